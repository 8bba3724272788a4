"""One contract for every catalog that settings can name: what holds of SQLite holds of Postgres, REST and S3."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import Catalog, inventory, kind_of, load, load_known, published
from platform_assets.iceberg.publish import Conflict, append, landed, replace, target
from platform_assets.known import known
from platform_assets.loaded import load as load_project
from platform_assets.runs.repair import repair_events
from tests.platform.running import AT, Landing, landing_project


@pytest.fixture
def landing(project: Project, catalog: Catalog, engine: DuckDb) -> Landing:
    return landing_project(project, catalog, engine)


def rows(catalog: Catalog, name: str) -> list[dict[str, Any]]:
    return sorted(load(catalog, name).scan().to_arrow().to_pylist(), key=repr)


def now(catalog: Catalog, name: str) -> Any:
    return target(name, load_known(catalog, [name]).get(name))


def put(catalog: Catalog, run: str, values: Iterable[int], at: Any = None, **kept: str) -> Any:
    data = pa.table({"a": pa.array(values, pa.int64())}).to_reader()
    return replace(catalog, at or now(catalog, "s.t"), data, {"openlineage.runId": run}, {}, kept=kept)


def test_the_kind_is_what_pyiceberg_calls_it(kind: str, catalog: Catalog) -> None:
    assert kind_of(catalog) == ("rest" if kind == "rest" else "sql")


def test_a_table_is_made_replaced_and_appended_to(catalog: Catalog) -> None:
    made = put(catalog, "one", [1, 2])
    assert (made.lifecycle, made.rows, made.total_rows) == ("CREATE", 2, 2)
    again = put(catalog, "two", [3], taken="x")
    assert (again.lifecycle, again.rows, again.total_rows) == ("OVERWRITE", 1, 1)
    more = pa.table({"a": pa.array([4], pa.int64())})
    appended = append(catalog, now(catalog, "s.t"), more.to_reader(), {"openlineage.runId": "three"}, more.schema)
    assert (appended.lifecycle, appended.rows, appended.total_rows) == (None, 1, 2)
    table = load(catalog, "s.t")
    assert rows(catalog, "s.t") == [{"a": 3}, {"a": 4}]
    assert table.properties["taken"] == "x"
    assert [it.run_id for it in published(catalog, "s.t")] == ["one", "two", "three"]
    assert inventory(catalog) == {"s.t"}


def test_columns_that_change_keep_their_ids(catalog: Catalog) -> None:
    first = put(catalog, "one", [1])
    data = pa.table({"b": ["x"], "a": pa.array([2], pa.int64())})
    second = replace(catalog, now(catalog, "s.t"), data.to_reader(), {}, {"b": "new"})
    assert {it.name: it.field_id for it in second.columns} == {"a": first.columns[0].field_id, "b": 2}
    assert rows(catalog, "s.t") == [{"a": 2, "b": "x"}]


def test_who_comes_second_is_told_and_leaves_nothing(catalog: Catalog) -> None:
    nothing = now(catalog, "s.t")
    put(catalog, "one", [1])
    with pytest.raises(Conflict, match=r"s\.t was changed by another run"):
        put(catalog, "late", [0], at=nothing)
    old = now(catalog, "s.t")
    put(catalog, "two", [2])
    with pytest.raises(Conflict):
        put(catalog, "late", [0], at=old, taken="late")
    assert rows(catalog, "s.t") == [{"a": 2}]
    assert "taken" not in load(catalog, "s.t").properties
    assert landed(catalog, "s.t", "late", None) is None


def test_a_commit_whose_answer_is_lost_is_found(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    put(catalog, "one", [1])
    real = type(catalog).commit_table

    def lost(*args: Any) -> Any:
        real(*args)
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(type(catalog), "commit_table", lost)
        with pytest.raises(CatalogError, match="gone"):
            put(catalog, "two", [2])
    found = landed(catalog, "s.t", "two", "OVERWRITE")
    assert found is not None
    assert (found.rows, found.total_rows) == (1, 1)
    assert rows(catalog, "s.t") == [{"a": 2}]


def test_files_are_taken_once_in_the_commit_that_has_their_rows(landing: Landing, catalog: Catalog) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n")
    landing.run("bronze.orders")
    assert landing.statistics == (2, 1, 1)
    landing.land("orders/2.csv", "id,amount\n2,2.00\n")
    landing.run("bronze.orders", 1)
    landing.run("bronze.orders", 2)
    assert landing.statistics == (0, 0, 0)
    assert [row["id"] for row in landing.rows("bronze.orders")] == [1, 2]
    assert inventory(catalog) == {"bronze.orders", "quarantine.bronze_orders"}


def test_a_run_that_another_overtakes_computes_again(landing: Landing, catalog: Catalog) -> None:
    landing.land("people.csv", "id;mail\n1;a@example.com\n")
    landing.run("bronze.people")
    overtaken: list[int] = []

    def overtake() -> None:
        if not overtaken:
            overtaken.append(1)
            landing.run("bronze.people", 8)

    landing.meanwhile(overtake).run("bronze.people", 9)
    assert landing.kinds == ["START", "COMPLETE", "START", "START", "COMPLETE", "COMPLETE"]
    assert len(rows(catalog, "bronze.people")) == 1
    assert len(published(catalog, "bronze.people")) == 3


def test_an_end_that_was_lost_is_written_from_the_catalog(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;a@example.com\n")
    landing.run("bronze.people")
    (file,) = landing.platform.store.files()
    start, _ = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text(start, "utf-8")
    (repaired,) = repair_events(load_project(landing.project))
    assert (repaired.lost.snapshot.table, repaired.problem) == ("bronze.people", "")
    assert landing.kinds == ["START", "COMPLETE"]
    assert landing.complete["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 1


def test_rules_see_what_the_catalog_has(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;a@example.com\n")
    landing.run("bronze.people")
    seen = known(landing.project, (), AT)
    assert seen.inventory == {"bronze.people"}
    assert seen.columns["bronze.people"] == {"id", "mail", "source_file"}
