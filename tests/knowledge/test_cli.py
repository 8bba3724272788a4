"""The questions over a project of their own, from events alone: at which moment, of which name, in which form."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from governance.errors import HeadwaterError, UnknownField
from tests.knowledge.project import Run, Say, Shape, write


def test_impact_has_the_lists_the_change_and_a_rank_for_each_table(run: Run) -> None:
    found = json.loads(run("impact", "a.a.x", "--change", "enum", "--format", "json").output)

    assert list(found)[:5] == ["start", "values", "population", "tables", "unknown"]
    assert [it["field"] for it in found["values"]] == ["b.b.x", "c.c.y"]
    assert found["change"]["kind"] == "enum"
    assert [(it["dataset"], it["owner"], it["criticality"], it["consumers"]) for it in found["ranking"]] == [
        ("b.b", "team:b", "critical", []),
        ("c.c", None, "critical", ["Mail dashboard"]),
    ]


@pytest.mark.parametrize("form", ["text", "md"])
@pytest.mark.parametrize(
    "words", [("impact", "a.a.x"), ("trace", "c.c.y"), ("trace", "c.c", "--rows"), ("history", "b.b")]
)
def test_every_command_answers_people_too(run: Run, words: tuple[str, ...], form: str) -> None:
    answer = run(*words, "--format", form)

    assert answer.exit_code == 0
    assert "b.b" in answer.output


def test_what_stood_at_a_time_or_at_a_snapshot(run: Run) -> None:
    def origins(*words: str) -> list[str]:
        return [it["field"] for it in json.loads(run("trace", "b.b.x", "--format", "json", *words).output)["origins"]]

    assert origins() == ["a.a.x"]
    assert origins("--as-of", "2026-10-01T12:00") == ["a.a.old"]
    assert origins("--snapshot", "11") == ["a.a.old"]
    assert origins("--snapshot", "12") == ["a.a.x"]
    with pytest.raises(HeadwaterError, match="no completed run wrote snapshot 13"):
        run("trace", "b.b.x", "--snapshot", "13")
    with pytest.raises(HeadwaterError, match="name two moments"):
        run("trace", "b.b.x", "--snapshot", "12", "--as-of", "2026-10-01")


def test_the_history_of_a_table(run: Run) -> None:
    found = json.loads(run("history", "b.b", "--format", "json").output)

    assert [(it["run"], it["snapshot"], it["removed"]) for it in found] == [
        ("1", "11", []),
        ("2", "12", ["x from a.a.old (DIRECT IDENTITY)"]),
    ]


def test_other_events_are_read_in_place_of_the_store(run: Run, tmp_path: Path, event: Say, output: Shape) -> None:
    write(tmp_path / "other" / "events.ndjson", event("COMPLETE", writes=[output("z.z", "q: a.a.x IDENTITY")]))

    found = json.loads(run("impact", "a.a.x", "--events", str(tmp_path / "other"), "--format", "json").output)

    assert [it["field"] for it in found["values"]] == ["z.z.q"]


def test_a_day_alone_is_said_to_be_its_first_instant(run: Run) -> None:
    answer = run("trace", "b.b", "--as-of", "2026-10-02")

    assert "as of 2026-10-02 00:00 UTC; what that day itself brought" in answer.stderr
    assert run("trace", "b.b", "--as-of", "2026-10-02T03:00").stderr == ""


@pytest.mark.parametrize("command", ["trace", "impact"])
def test_an_answer_as_of_a_moment_says_of_which(run: Run, command: str) -> None:
    as_of = ("b.b.x", "--as-of", "2026-10-01T12:00+02:00")

    for form in ("text", "md", "html"):
        assert "As of 2026-10-01 10:00 UTC" in run(command, *as_of, "--format", form).stdout
        assert "As of" not in run(command, "b.b.x", "--format", form).stdout
    assert json.loads(run(command, *as_of, "--format", "json").stdout)["as_of"] == "2026-10-01T12:00:00+02:00"
    assert json.loads(run(command, "b.b.x", "--format", "json").stdout)["as_of"] is None


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ("a.a.old",),
            "only runs that stand no longer name a.a.old; the latest is of job b.b, run 1, 2026-10-01 02:00",
        ),
        (("A.A.OLD",), "ask --as-of 2026-10-01T02:00:00"),
        (
            ("c.c.y", "--as-of", "2026-10-01T12:00"),
            "as of 2026-10-01 12:00 UTC no event names c.c.y; the latest that does",
        ),
        (
            ("d.d",),
            "only runs that did not complete name d.d; the latest is of job d.d, run 4, 2026-10-03 02:00 UTC: FAIL",
        ),
        (("e.e",), "no event names e.e"),
    ],
)
def test_a_name_of_which_nothing_that_stands_speaks(
    run: Run, root: Path, event: Say, words: tuple[str, ...], problem: str
) -> None:
    failed = event("FAIL", "d.d", "2026-10-03T02:00:00Z", run="4", writes=["d.d"])
    (root / ".headwater" / "events" / "events-2026-10-03.ndjson").write_bytes(msgspec.json.encode(failed) + b"\n")

    with pytest.raises(UnknownField, match=re.escape(problem)):
        run("impact", *words)


def test_a_name_of_two_things_that_stand_is_ambiguous(run: Run, root: Path, event: Say) -> None:
    other = event("COMPLETE", "d.d", "2026-10-03T02:00:00Z", run="4", writes=[{"namespace": "n", "name": "c.c"}])
    (root / ".headwater" / "events" / "events-2026-10-03.ndjson").write_bytes(msgspec.json.encode(other) + b"\n")

    with pytest.raises(UnknownField, match=r"c\.c is ambiguous"):
        run("impact", "c.c")


def test_the_history_of_a_table_that_no_run_completed(run: Run, root: Path, event: Say) -> None:
    failed = event("FAIL", "d.d", "2026-10-03T02:00:00Z", run="4", writes=["d.d"])
    (root / ".headwater" / "events" / "events-2026-10-03.ndjson").write_bytes(msgspec.json.encode(failed) + b"\n")

    assert "FAIL" in run("history", "d.d").stdout


def test_the_history_of_a_file_is_of_its_readers(run: Run, root: Path, event: Say) -> None:
    files = {"inputFacets": {"headwater_files": {"fileCount": 1, "files": [{"name": "landing/1.csv"}]}}}
    reads = [{"namespace": "file", "name": "landing/*.csv", **files}]
    read = event("COMPLETE", "d.d", "2026-10-03T02:00:00Z", run="4", reads=reads, writes=["d.d"])
    (root / ".headwater" / "events" / "events-2026-10-03.ndjson").write_bytes(msgspec.json.encode(read) + b"\n")

    assert "landing/1.csv" in run("history", "landing/*.csv").stdout
    (told,) = json.loads(run("history", "landing/*.csv", "--format", "json").output)
    assert (told["job"], told["wrote"], told["files"]) == ("d.d", ["d.d"], {"count": 1, "names": ["landing/1.csv"]})


SCRIPT = """
import sys
from platform_assets.commands.knowledge import impact
try:
    impact.main(["a.a.x"])
except SystemExit as end:
    assert end.code == 0
heavy = {"dagster", "duckdb", "pyiceberg", "sqlglot", "pyarrow", "openlineage", "numpy"} & set(sys.modules)
assert not heavy, heavy
"""


def test_a_question_starts_no_engine_no_parser_and_no_scheduler(root: Path) -> None:
    here = Path(__file__).parents[2]

    subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=True,
        cwd=root,
        env=os.environ | {"HEADWATER_ROOT": str(root), "PYTHONPATH": str(here)},
        capture_output=True,
    )
