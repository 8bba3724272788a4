"""The catalog as last seen: what the commands say of it, and when they look anew."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from governance.catalog_seen import CatalogSeen, keep, seen
from governance.graph import build_graph
from governance.identity import SchemaVersion
from governance.policy import Policy
from governance.project import find_project
from platform_assets.iceberg.catalog import open_catalog
from tests.knowledge.project import Run, Say, Shape


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


def test_a_catalog_that_was_never_seen_says_nothing(tmp_path: Path) -> None:
    assert seen(tmp_path) is None
    (tmp_path / "catalog.json").write_text("{")
    assert seen(tmp_path) is None


def test_a_table_written_after_the_look_is_not_gone(
    event: Say, output: Shape, policy_of: Callable[..., Policy]
) -> None:
    graph = build_graph([event("COMPLETE", at="2026-10-06T00:00:00Z", writes=[output("b.b", "x: a.a.x IDENTITY")])])

    def gone(day: int, *tables: str) -> list[str]:
        catalog = CatalogSeen(datetime(2026, 10, day, tzinfo=UTC), tables)
        return [it.name for it in catalog.gone(graph, policy_of({}).lineage)]

    assert gone(5, "c.c") == []
    assert gone(7, "c.c") == ["a.a", "b.b"]
    # a question made it, and nothing has been written to it
    assert gone(7) == []
