"""The commands over a project of their own, from events alone."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from governance.catalog_seen import CatalogSeen, keep, seen
from governance.errors import HeadwaterError, UnknownField
from governance.events.model import Event
from governance.graph import build_graph
from governance.identity import SchemaVersion
from governance.policy import Policy
from governance.project import find_project
from platform_assets.catalog import open_catalog
from platform_assets.cli_knowledge import COMMANDS

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]
Run = Callable[..., Result]

LINEAGE = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"
"""
METADATA = """
# Sources.
["a.a"]
owner = "team:a"
columns.x = { classification = "personal" }

["b.b"]
owner = "team:b"
"""
CONSUMERS = """
[consumers."Mail dashboard"]
kind = "dashboard"
reads = ["c.c"]
owner = "team:mail"
criticality = "critical"
"""


@pytest.fixture
def root(tmp_path: Path, event: Say, output: Shape, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "platform_assets").mkdir()
    (tmp_path / "governance").mkdir()
    (tmp_path / "governance" / "lineage.toml").write_text(LINEAGE)
    (tmp_path / "governance" / "metadata.toml").write_text(METADATA)
    (tmp_path / "governance" / "consumers.toml").write_text(CONSUMERS)
    first = output("b.b", "x: a.a.old IDENTITY")
    first["facets"]["version"] = {"datasetVersion": "11"}
    second = output("b.b", "x: a.a.x IDENTITY")
    second["facets"]["version"] = {"datasetVersion": "12"}
    write(
        tmp_path / ".headwater" / "events" / "events-2026-10-01.ndjson",
        event("COMPLETE", "b.b", "2026-10-01T02:00:00Z", run="1", reads=["a.a"], writes=[first]),
        event("COMPLETE", "b.b", "2026-10-02T02:00:00Z", run="2", reads=["a.a"], writes=[second]),
        event(
            "COMPLETE",
            "c.c",
            "2026-10-02T03:00:00Z",
            run="3",
            reads=["b.b"],
            writes=[output("c.c", "y: b.b.x IDENTITY")],
        ),
    )
    monkeypatch.setenv("HEADWATER_ROOT", str(tmp_path))
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    return tmp_path


def write(file: Path, *events: Event) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in events))


@pytest.fixture
def run(root: Path) -> Run:
    group = click.Group(commands={it.name or "": it for it in COMMANDS})

    def call(*words: str) -> Result:
        assert root.is_dir()
        return CliRunner().invoke(group, words, catch_exceptions=False)

    return call


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


def test_proposals_are_written_for_review_once(run: Run, root: Path) -> None:
    shown = json.loads(run("propose", "--format", "json").output)
    assert [(it["field"], it["declared"], it["proposed"]) for it in shown] == [
        ("b.b.x", None, "personal"),
        ("c.c.y", None, "personal"),
    ]
    assert (root / "governance" / "metadata.toml").read_text() == METADATA

    answer = run("propose", "--write")

    assert "2 columns written to governance/metadata.toml" in answer.output
    text = (root / "governance" / "metadata.toml").read_text()
    assert text.startswith(METADATA.rstrip())
    assert 'columns.x = { classification = "personal" } # proposed from a.a.x (DIRECT IDENTITY)' in text
    assert "0 columns written" in run("propose", "--write").output
    assert (root / "governance" / "metadata.toml").read_text() == text


def test_other_events_are_read_in_place_of_the_store(run: Run, tmp_path: Path, event: Say, output: Shape) -> None:
    write(tmp_path / "other" / "events.ndjson", event("COMPLETE", writes=[output("z.z", "q: a.a.x IDENTITY")]))

    found = json.loads(run("impact", "a.a.x", "--events", str(tmp_path / "other"), "--format", "json").output)

    assert [it["field"] for it in found["values"]] == ["z.z.q"]


def test_the_catalog_as_last_seen_tells_what_is_stale_and_renamed(run: Run, root: Path) -> None:
    now = datetime(2026, 10, 5, tzinfo=UTC)
    versions = (
        SchemaVersion(datetime(2026, 9, 1, tzinfo=UTC), "1", {1: "x"}),
        SchemaVersion(datetime(2026, 10, 4, tzinfo=UTC), "2", {1: "contact"}),
    )
    keep(root / ".headwater", CatalogSeen(now, ("a.a", "b.b"), {"a.a": versions}))

    answer = run("impact", "a.a.contact", "--format", "json")
    found = json.loads(answer.stdout)

    # nothing tells whether this catalog changed since
    assert "at 2026-10-05 00:00 UTC; `headwater check` looks anew" in answer.stderr
    assert [(it["field"], it["stale"]) for it in found["values"]] == [("b.b.x", False), ("c.c.y", True)]
    # the declaration of the old name goes along
    assert [it["proposed"] for it in json.loads(run("propose", "--format", "json").stdout)] == ["personal", "personal"]


def test_a_source_that_is_gone_is_marked_wherever_it_is_shown(run: Run, root: Path) -> None:
    keep(root / ".headwater", CatalogSeen(datetime(2026, 10, 5, tzinfo=UTC), ("b.b", "c.c")))

    traced = json.loads(run("trace", "b.b.x", "--format", "json").stdout)["steps"]

    assert run("impact", "a.a.x").stdout.startswith("A change of a.a.x (stale: dropped) can reach")
    assert [(it["dataset"], it["stale"]) for it in traced] == [("b.b", False), ("a.a", True)]
    assert "stale" not in run("impact", "a.a.x", "--as-of", "2026-10-04T00:00").stdout


def test_a_catalog_on_this_machine_that_changed_is_looked_at_anew_once(run: Run, root: Path) -> None:
    state = root / ".headwater"
    with open_catalog(find_project()) as catalog:
        catalog.create_namespace("a")
        table = catalog.create_table("a.a", pa.schema([("x", pa.string())]))
        keep(state, CatalogSeen(datetime(2026, 10, 5, tzinfo=UTC), ("a.a",), {}, str(state / "catalog.db")))
        with table.update_schema() as change:
            change.rename_column("x", "contact")

    answer = run("impact", "a.a.contact", "--format", "json")

    assert [it["field"] for it in json.loads(answer.stdout)["values"]] == ["b.b.x", "c.c.y"]
    assert answer.stderr == ""
    first = (state / "catalog.json").read_bytes()
    run("impact", "a.a.contact")
    assert (state / "catalog.json").read_bytes() == first


def test_a_catalog_that_cannot_be_looked_at_anew_is_taken_as_last_seen(run: Run, root: Path) -> None:
    state = root / ".headwater"
    (state / "catalog.db").write_text("no database")
    keep(state, CatalogSeen(datetime(2026, 10, 5, tzinfo=UTC), ("a.a",), {}, str(state / "catalog.db")))

    answer = run("trace", "c.c.y")

    assert "warning: the catalog changed, and cannot be looked at" in answer.stderr
    assert "note: columns and tables are those that the catalog had at 2026-10-05 00:00 UTC" in answer.stderr


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


def test_a_policy_file_keeps_its_line_ends_its_mode_and_the_link_to_it(run: Run, root: Path) -> None:
    link, file = root / "governance" / "metadata.toml", root / "kept.toml"
    file.write_bytes(METADATA.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    link.unlink()
    link.symlink_to(file)

    run("propose", "--write")

    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    content = file.read_bytes()
    assert b"# proposed from a.a.x" in content
    assert content.count(b"\n") == content.count(b"\r\n")
    assert sorted(it.name for it in (root / "governance").iterdir()) == [
        "consumers.toml",
        "lineage.toml",
        "metadata.toml",
    ]


def test_a_catalog_that_was_never_seen_says_nothing(tmp_path: Path) -> None:
    assert seen(tmp_path) is None
    (tmp_path / "catalog.json").write_text("{")
    assert seen(tmp_path) is None


def test_a_table_written_after_the_look_is_not_gone(
    event: Say, output: Shape, policy_of: Callable[..., Policy]
) -> None:
    graph = build_graph([event("COMPLETE", at="2026-10-06T00:00:00Z", writes=[output("b.b", "x: a.a.x IDENTITY")])])

    assert CatalogSeen(datetime(2026, 10, 5, tzinfo=UTC), ()).gone(graph, policy_of({}).lineage) == ()
    gone = CatalogSeen(datetime(2026, 10, 7, tzinfo=UTC), ()).gone(graph, policy_of({}).lineage)
    assert [it.name for it in gone] == ["a.a", "b.b"]


SCRIPT = """
import sys
from platform_assets.cli_knowledge import impact
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
