"""Compaction changes where events stand and nothing of what readers, writers and destinations see."""

import base64
import json
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from governance.events.compact import Compacted, compact, due
from governance.events.manifest import read_manifest
from governance.events.reading import Reading, read_events
from governance.events.run import abort_event, fail_event, start_event
from governance.events.store import EventStore
from tests.events.compacting import DAY, LATER, SEGMENT, TOMORROW, at, fill, run, tear
from tests.events.night import NIGHT


def test_a_finished_day_reads_the_same_from_parquet_once_its_ndjson_is_gone(store: EventStore) -> None:
    fill(store)
    before = store.read()
    assert compact(at(store, TOMORROW)) == Compacted(events=5)
    assert store.read() == before
    assert [file.name for file in store.files()] == [DAY]
    assert compact(at(store, LATER)) == Compacted(removed=(DAY,))
    assert store.files() == ()
    assert store.read() == before
    assert read_events(store.folder) == before


def test_the_bytes_of_events_are_kept_with_facets_that_nobody_here_reads(store: EventStore) -> None:
    fill(store, 1)
    event = json.loads((store.folder / DAY).read_bytes())
    event["run"]["facets"]["acme_cost"] = {"_producer": "p", "_schemaURL": "s", "dollars": 0.1}
    line = json.dumps(event, indent=None, separators=(" ,", ": ")).encode()
    (store.folder / DAY).write_bytes(line + b"\n")
    compact(at(store, LATER))
    segment = pq.read_table(store.folder / "compacted" / SEGMENT)
    assert segment["raw"].to_pylist() == [line]


def test_the_manifest_is_the_documented_json(store: EventStore) -> None:
    fill(store, 2)
    size = (store.folder / DAY).stat().st_size
    compact(at(store, TOMORROW))
    manifest = json.loads((store.folder / "compacted" / "manifest.json").read_text())
    (segment,) = manifest["days"][DAY].pop("segments")
    assert manifest == {"version": 1, "days": {DAY: {"base": 0, "end": size, "lines": 2}}}
    assert len(segment.pop("sha256")) == 64
    assert segment == {
        "file": SEGMENT,
        "start": 0,
        "end": size,
        "events": 2,
        "quarantined": 0,
        "edges": SEGMENT.replace(".parquet", ".edges.parquet"),
        "quarantine": None,
    }


def test_torn_and_glued_lines_stay_reported_at_their_places_and_their_bytes_stay(store: EventStore) -> None:
    fill(store)
    tear(store)
    before = store.read()
    assert [(problem.file, problem.line) for problem in before.problems] == [(DAY, 2)]
    assert len(before.events) == 4
    torn = (store.folder / DAY).read_bytes().splitlines()[1]
    done = compact(at(store, LATER))
    assert done == Compacted(events=4, quarantined=1, removed=(DAY,))
    assert store.read() == before
    (kept,) = store.folder.glob("compacted/*.quarantine")
    (line,) = map(json.loads, kept.read_text().splitlines())
    assert base64.b64decode(line["base64"]) == torn


def test_a_piece_that_a_later_version_can_read_comes_back_out_of_quarantine(store: EventStore) -> None:
    fill(store)
    tear(store)
    third = store.read().events[1]
    compact(at(store, LATER))
    (file,) = store.folder.glob("compacted/*.quarantine")
    kept = json.loads(file.read_text())
    whole = pq.read_table(store.folder / "compacted" / SEGMENT)["raw"].to_pylist()[1]
    file.write_text(json.dumps(kept | {"base64": base64.b64encode(whole).decode()}) + "\n")
    reading = store.read()
    assert reading.problems == ()
    assert reading.events.count(third) == 2


def test_a_torn_end_is_taken_with_its_day_and_a_late_append_goes_on_behind_it(store: EventStore) -> None:
    fill(store, 2)
    with (store.folder / DAY).open("ab") as torn:
        torn.write(b'{"eventTime": ')
    assert compact(at(store, TOMORROW)) == Compacted(events=2, quarantined=1)
    store.append(start_event(run(9), NIGHT, [], []))
    reading = store.read()
    assert [event.run.run_id for event in reading.events] == [run(n).attempt.run_id for n in (0, 1, 9)]
    assert [(problem.line, problem.reason) for problem in reading.problems] == [(3, "14 bytes that are no whole event")]
    compact(at(store, LATER))
    assert store.read() == reading


@pytest.mark.parametrize("when", [TOMORROW, LATER], ids=["ndjson kept", "ndjson removed"])
def test_a_late_append_to_a_compacted_day_is_read_behind_it(store: EventStore, when: datetime) -> None:
    fill(store, 3)
    compact(at(store, when))
    store.append(start_event(run(7), NIGHT, [], []))
    found = store.read()
    assert [event.run.run_id for event in found.events] == [run(n).attempt.run_id for n in (0, 1, 2, 7)]
    assert found.problems == ()
    compact(at(store, TOMORROW))
    assert store.read() == found
    compact(at(store, LATER))
    assert store.files() == ()
    assert store.read() == found
    assert [segment.events for segment in read_manifest(store.folder).day(DAY).segments] == [3, 1]


def test_today_is_left_alone_until_it_is_large(store: EventStore) -> None:
    fill(store, 6)
    before = store.read()
    assert not due(store)
    assert compact(store) == Compacted()
    size = (store.folder / DAY).stat().st_size
    assert due(store, stretch=size // 2)
    done = compact(store, stretch=size // 2)
    assert done is not None
    assert 0 < done.events <= 6
    assert store.read() == before
    fill(store, 1)
    assert len(store.read().events) == 7


def test_a_long_day_becomes_several_segments(store: EventStore) -> None:
    fill(store, 12)
    tear(store)
    before = store.read()
    compact(at(store, LATER), stretch=1500)
    assert len(read_manifest(store.folder).day(DAY).segments) > 3
    assert store.read() == before


def test_what_is_due_is_a_finished_day_or_a_retention_that_has_passed(store: EventStore) -> None:
    assert not due(store)
    fill(store, 1)
    assert not due(at(store, NIGHT.replace(hour=0, minute=30) + timedelta(days=1)))
    assert due(at(store, TOMORROW))
    compact(at(store, TOMORROW))
    assert not due(at(store, TOMORROW))
    assert due(at(store, LATER))
    compact(at(store, LATER))
    assert not due(at(store, LATER))


def test_an_end_in_a_compacted_day_stands(store: EventStore) -> None:
    fill(store, 3)
    store.end(abort_event(run(1), NIGHT, "terminated"))
    compact(at(store, LATER))
    late = at(store, LATER)
    assert late.end(fail_event(run(1), NIGHT, "orphan")) is False
    assert late.begin(start_event(run(2), NIGHT, [], [])) is False
    ended = late.terminal(run(1).attempt.run_id)
    assert ended is not None
    assert ended.event_type == "ABORT"
    assert late.terminal(run(0).attempt.run_id) is None
    assert late.end(fail_event(run(0), NIGHT, "late")) is True


def test_a_json_document_under_a_days_name_is_left_as_it_is(store: EventStore) -> None:
    fill(store)
    events = [json.loads(line) for line in (store.folder / DAY).read_text().splitlines()]
    (store.folder / DAY).write_text(json.dumps(events, indent=1))
    before = store.read()
    assert len(before.events) == 5
    done = compact(at(store, LATER))
    assert done == Compacted(kept=(f"{DAY} is one JSON document and not NDJSON",))
    assert store.read() == before


def test_a_store_that_is_not_there_has_nothing_to_compact(tmp_path: Path) -> None:
    store = EventStore(tmp_path / "nowhere")
    assert compact(store) == Compacted()
    assert not due(store)
    assert store.read() == Reading((), ())
    assert not store.folder.exists()
