"""Whole events are read out of whatever bytes there are, and each bad piece is reported by its place."""

import gzip
import io
import json
import os
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from governance.errors import EventStoreError
from governance.events.decode import Decoder
from governance.events.pieces import FOREIGN, pieces_of
from governance.events.reading import Reading, read_events, read_store
from governance.graph import build_graph
from governance.telling import told

SECRET = "hunter2"  # noqa: S105  stands for content that must not be echoed


def event(run: int, **changes: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-10-01T02:00:00Z",
        "eventType": "START",
        "run": {"runId": f"00000000-0000-7000-8000-{run:012d}"},
        "job": {"namespace": "headwater", "name": SECRET},
        "inputs": [{"namespace": "n", "name": "a.b", "facets": {"schema": {"fields": [{"name": "x"}]}}}],
    } | changes


def line(run: int, **changes: Any) -> str:
    return json.dumps(event(run, **changes))


def runs(path: Path) -> list[int]:
    return [int(found.run.run_id[-12:]) for found in read_events(path).events]


def test_n06_torn_glued_and_malformed_lines_are_read_around(tmp_path: Path) -> None:
    lines = [
        line(1),
        line(2) + line(3),
        line(4)[:80],
        '{"job": "' + SECRET + '"}',
        line(5)[:100] + line(6),
        "é" + SECRET,
        line(7) + "x" + line(8)[:50],
    ]
    file = tmp_path / "events.ndjson"
    file.write_text("\n".join(lines))
    assert runs(file) == [1, 2, 3, 6, 7]
    problems = read_events(file).problems
    assert [problem.line for problem in problems] == [3, 4, 5, 6, 7]
    data = file.read_bytes()
    starts = [lines[2], lines[3], lines[4], "é", "x" + line(8)[:50]]
    assert [data[p.offset :].startswith(s[:30].encode()) for p, s in zip(problems, starts, strict=True)] == [True] * 5
    assert all(SECRET not in str(problem) for problem in problems)


def test_bytes_that_are_no_text_are_read_around(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    broken = line(2).encode().replace(SECRET.encode(), b"\xff\xfe")
    file.write_bytes(line(1).encode() + b"\n" + broken + b"\n\x00\x01\n" + line(3).encode())
    assert runs(file) == [1, 3]
    assert [problem.line for problem in read_events(file).problems] == [2, 3]


def test_deeply_nested_json_is_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text('{"a":' * 5_000 + "\n" + "[" * 5_000 + "\n" + line(1))
    assert runs(file) == [1]
    assert len(read_events(file).problems) == 2


@pytest.mark.parametrize("depth", [100, 500, 900, 2_000])
@pytest.mark.parametrize("facet", ["own", "schema"])
def test_a_facet_of_any_depth_stops_no_reader(tmp_path: Path, facet: str, depth: int) -> None:
    opened, closed = {"own": ('{"a":', "}"), "schema": ('{"name":"x","fields":[', "]}")}[facet]
    nested = opened * depth + '{"name":null}' + closed * depth
    nested = f'{{"fields":[{nested}]}}' if facet == "schema" else nested
    poison = line(2, eventType="COMPLETE", outputs=[{"namespace": "n", "name": "a", "facets": {facet: "NESTED"}}])
    file = tmp_path / "events.ndjson"
    file.write_text(line(1) + "\n" + poison.replace('"NESTED"', nested) + "\n" + line(3))
    assert {1, 3} <= set(runs(file))
    build_graph(told(read_events(file).events))


def test_a_file_that_begins_with_a_deep_array_stops_no_reader(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text("[" * 100_000 + "\n" + line(1))
    assert runs(file) == [1]


def test_nulls_of_careless_producers_count_as_absent(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    nulls = line(1, inputs=None, outputs=[{"namespace": "n", "name": "a", "facets": {"schema": None}}])
    file.write_text(nulls)
    assert runs(file) == [1]
    assert read_events(file).problems == ()


def test_a_run_event_without_type_is_read_and_said_to_end_nothing(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    untyped = {key: value for key, value in event(2).items() if key != "eventType"}
    file.write_text(line(1, eventType=None) + "\n" + json.dumps(untyped) + "\n" + line(3, eventType="OTHER"))
    assert runs(file) == [1, 2, 3]
    reasons = [(problem.line, problem.reason) for problem in read_events(file).problems]
    assert reasons == [(number, "it has no eventType, so it ends no run") for number in (1, 2)]


def test_a_malformed_facet_is_left_out_and_the_rest_of_the_event_kept(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    facets = {"schema": {"fields": "x"}, "version": {"datasetVersion": "7"}}
    file.write_text(line(1, outputs=[{"namespace": "n", "name": "a", "facets": facets}]))
    reading = read_events(file)
    (found,) = reading.events
    assert found.outputs[0].facets.schema is None
    assert found.outputs[0].facets.version is not None
    assert [problem.reason for problem in reading.problems] == ["outputs[0]: facet schema is malformed"]


def test_a_time_without_zone_is_read_as_utc_and_flagged(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text(line(1, eventTime="2026-10-01T02:00:00"))
    reading = read_events(file)
    assert reading.events[0].at.isoformat() == "2026-10-01T02:00:00+00:00"
    assert [problem.reason for problem in reading.problems] == ["eventTime has no time zone, read as UTC"]


def test_running_duplicates_and_empty_lists_are_handed_over(tmp_path: Path) -> None:
    file = tmp_path / "events.ndjson"
    file.write_text("\n".join([line(1), line(1), line(1, eventType="RUNNING", inputs=[])]))
    assert runs(file) == [1, 1, 1]


def test_arrays_pretty_objects_and_folders_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([event(1), event(2)], indent=2))
    (tmp_path / "b.json").write_text(json.dumps(event(3), indent=2))
    (tmp_path / "c.jsonl").write_text(line(4) + "\n\n" + line(5) + "\n")
    (tmp_path / "notes.txt").write_text("not events")
    assert runs(tmp_path) == [1, 2, 3, 4, 5]
    assert read_events(tmp_path).problems == ()


def test_objects_over_several_lines_may_follow_each_other(tmp_path: Path) -> None:
    file = tmp_path / "events.json"
    file.write_text(f"{json.dumps(event(1), indent=2)}\n{json.dumps(event(2, eventTime='x'), indent=2)}\n\n{line(3)}")
    assert runs(file) == [1, 3]
    (problem,) = read_events(file).problems
    assert file.read_text().splitlines()[problem.line - 1] == "{"


def test_a_byte_order_mark_is_none_of_the_first_event(tmp_path: Path) -> None:
    for text in (line(1) + "\n", json.dumps([event(1)], indent=2), json.dumps(event(1), indent=2)):
        (tmp_path / "a.json").write_text(text, "utf-8-sig")
        assert runs(tmp_path / "a.json") == [1]
        assert read_events(tmp_path / "a.json").problems == ()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(line(1).encode()), "compressed by gzip: unpack it first"),
        (line(1).encode("utf-16"), "UTF-16: write it in UTF-8"),
    ],
)
def test_a_file_of_another_form_is_one_problem_that_says_what_to_do(tmp_path: Path, data: bytes, reason: str) -> None:
    file = tmp_path / "events.ndjson"
    file.write_bytes(data)
    assert [problem.reason for problem in read_events(file).problems] == [f"the file is {reason}"]


def test_where_there_is_no_event_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "2026").mkdir()
    (tmp_path / "2026" / "events.ndjson").write_text(line(1))
    (tmp_path / "empty.txt").touch()
    with pytest.raises(EventStoreError, match="holds no event") as none:
        read_events(tmp_path)
    assert "that folder itself whose names end in .ndjson, .jsonl, .json" in none.value.fix
    with pytest.raises(EventStoreError, match=r"empty\.txt holds no event"):
        read_events(tmp_path / "empty.txt")
    assert read_store(tmp_path) == Reading((), ())


def test_a_pipe_is_read_as_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(json.dumps([event(1)], indent=2),))
    writer.start()
    assert runs(pipe) == [1]
    writer.join()


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EventStoreError, match=r"nowhere\.ndjson"):
        read_events(tmp_path / "nowhere.ndjson")


def _document(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


WHOLE = [line(number).encode() for number in range(4)]
SCRAPS = st.one_of(
    st.sampled_from([b"\n", b"{", b"}", b'{"eventTime": "', b"\xff", b"[]", b"null"]),
    st.sampled_from(WHOLE).flatmap(lambda whole: st.integers(1, len(whole) - 1).map(lambda cut: whole[:cut] + b"\n")),
    st.binary(max_size=20),
)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.one_of(st.sampled_from(WHOLE).map(lambda whole: b"\n" + whole + b"\n"), SCRAPS), max_size=8))
def test_every_whole_line_is_read_whatever_stands_around_it(parts: list[bytes]) -> None:
    data = b"".join(parts)
    # a file that begins as other formats do is told as that, whole
    assume(not data.startswith(tuple(FOREIGN)))
    pieces = list(pieces_of("events.ndjson", io.BytesIO(data), Decoder()))
    expected = [part.strip() for part in parts if part.strip() in WHOLE]
    assert [piece.raw.strip() for piece in pieces if piece.raw.strip() in WHOLE] == expected
    for piece in pieces:
        # one object over several lines is a document; of an event in one, what is kept is written anew
        assert data[piece.offset : piece.offset + len(piece.raw)] == piece.raw or _document(data)
        assert data.count(b"\n", 0, piece.offset) == piece.line - 1
