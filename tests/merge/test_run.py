"""Runs of MERGE pipelines over a real catalog: one commit, and events that tell what it read and wrote."""

import pyarrow as pa
import pytest

from governance.errors import LandingError, LineageError
from platform_assets.engines.engine import QueryError
from platform_assets.iceberg.catalog import load, published
from platform_assets.iceberg.publish import replace, target
from tests.platform.running import Landing

MERGE = """create table if not exists mart.customers (id bigint, name varchar, seen bigint);
merge into mart.customers as t
using (
  select id, name from s.updates
) as s
on t.id = s.id
when matched and s.name is null then delete
when matched then update set name = s.name, seen = t.seen + 1
when not matched then insert (id, name, seen) values (s.id, s.name, 1)
"""


def give(landing: Landing, rows: list[tuple[int | None, str | None]], table: str = "s.updates") -> None:
    there = landing.platform.catalog.table_exists(table)
    data = pa.table(
        {"id": pa.array([it[0] for it in rows], pa.int64()), "name": pa.array([it[1] for it in rows], pa.string())}
    )
    at = load(landing.platform.catalog, table) if there else None
    replace(landing.platform.catalog, target(table, at), data.to_reader(), {}, {})


def customers(landing: Landing) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in landing.rows("mart.customers")]


def test_the_first_run_makes_the_table_and_later_ones_change_it(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE)
    give(landing, [(1, "Ada"), (2, "Bo"), (None, "Nn")])
    first = landing.run("mart.customers")
    assert first.done.commit.lifecycle == "CREATE"
    assert customers(landing) == [(1, "Ada", 1), (2, "Bo", 1), (None, "Nn", 1)]
    give(landing, [(1, "Ada L."), (2, None), (3, "Cy"), (None, "Nn")])
    before = [field.field_id for field in load(landing.platform.catalog, "mart.customers").schema().fields]
    second = landing.run("mart.customers", 1)
    assert second.done.commit.lifecycle is None
    # NULL is like no other NULL: it is inserted once more
    assert customers(landing) == [(1, "Ada L.", 2), (3, "Cy", 1), (None, "Nn", 1), (None, "Nn", 1)]
    assert [field.field_id for field in load(landing.platform.catalog, "mart.customers").schema().fields] == before
    # the whole table is written anew
    assert (second.done.commit.rows, second.done.commit.total_rows) == (4, 4)


def test_events_tell_its_own_table_as_an_input_and_no_lifecycle(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE)
    give(landing, [(1, "Ada")])
    landing.run("mart.customers")
    landing.run("mart.customers", 1)
    start, complete = landing.sent[-2:]
    assert [it["name"] for it in start["inputs"]] == ["mart.customers", "s.updates"]
    assert [it["name"] for it in complete["inputs"]] == ["mart.customers", "s.updates"]
    (output,) = complete["outputs"]
    assert "lifecycleStateChange" not in output["facets"]
    lineage = output["facets"]["columnLineage"]
    assert {
        (it["name"], it["field"], kind["subtype"]) for it in lineage["dataset"] for kind in it["transformations"]
    } == {
        ("mart.customers", "id", "JOIN"),
        ("s.updates", "id", "JOIN"),
        ("s.updates", "name", "FILTER"),
    }
    assert [it["field"] for it in lineage["fields"]["id"]["inputFields"]] == ["id"]
    assert landing.statistics == (2, 1, 0)
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 1


def test_one_that_changes_nothing_commits_a_snapshot_all_the_same(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE)
    give(landing, [(1, "Ada")])
    landing.run("mart.customers")
    give(landing, [])
    done = landing.run("mart.customers", 1)
    assert customers(landing) == [(1, "Ada", 1)]
    assert done.run_id in {it.run_id for it in published(landing.platform.catalog, "mart.customers")}


def test_two_rows_of_the_source_for_one_of_the_table_stop_the_run(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE)
    give(landing, [(1, "Ada"), (2, "Bo")])
    landing.run("mart.customers")
    give(landing, [(1, "Ada"), (1, "Eve")])
    with pytest.raises(QueryError) as caught:
        landing.run("mart.customers", 1)
    error = caught.value
    assert error.problem == "several rows of the source match one row of mart.customers on t.id = s.id"
    assert "row_number()" in error.fix
    assert error.where() == "platform_assets/pipelines/mart/customers.sql:6"
    assert landing.kinds[-1] == "FAIL"
    assert customers(landing) == [(1, "Ada", 1), (2, "Bo", 1)]
    assert not list(landing.project.state.glob("warehouse/**/unfinished*"))


def test_conditions_that_leave_one_row_of_the_source_are_enough(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE.replace("when matched then", "when matched and s.name <> 'Eve' then"))
    give(landing, [(1, "Ada")])
    landing.run("mart.customers")
    give(landing, [(1, "Eve"), (1, "Ada L."), (1, "Eve")])
    landing.run("mart.customers", 1)
    assert customers(landing) == [(1, "Ada L.", 2)]


def test_an_error_in_it_points_to_the_line_of_the_file(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE.replace("t.seen + 1", "cast(s.name as bigint)"))
    give(landing, [(1, "1")])
    landing.run("mart.customers")
    give(landing, [(1, "secret")])
    with pytest.raises(QueryError) as caught:
        landing.run("mart.customers", 1)
    assert "secret" not in str(caught.value)
    landing.pipeline("mart.customers", MERGE.replace("t.seen + 1", "\n    strptime(s.id, 'x')"))
    with pytest.raises(QueryError) as bound:
        landing.run("mart.customers", 2)
    assert bound.value.where() == "platform_assets/pipelines/mart/customers.sql:9"


def test_its_lineage_is_read_before_anything_runs(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE.replace("s.name, seen", "s.nmae, seen"))
    give(landing, [(1, "Ada")])
    with pytest.raises(LineageError, match="no column nmae") as caught:
        landing.run("mart.customers")
    assert caught.value.where().endswith("customers.sql:8:39")


def test_a_table_that_is_neither_there_nor_declared_is_asked_for(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE.partition(";\n")[2])
    give(landing, [(1, "Ada")])
    with pytest.raises(LineageError, match="is not in the catalog") as caught:
        landing.run("mart.customers")
    assert "create table if not exists" in caught.value.fix
    give(landing, [(1, "Ada")], "mart.customers")
    with pytest.raises(LineageError, match="no column seen"):
        landing.run("mart.customers", 1)


def test_a_landing_file_is_taken_once(landing: Landing) -> None:
    merge = """create table if not exists mart.orders (id bigint, amount decimal(10, 2));
    merge into mart.orders t using 'landing/orders/*.csv' s on t.id = s.id
    when matched then update set amount = s.amount
    when not matched then insert (id, amount) values (s.id, s.amount)
    """
    landing.pipeline("mart.orders", merge)
    landing.land("orders/1.csv", "id,amount\n1,5.00\n2,7.00\n")
    landing.run("mart.orders")
    landing.land("orders/2.csv", "id,amount\n2,8.00\n")
    landing.run("mart.orders", 1)
    assert [float(it["amount"]) for it in landing.rows("mart.orders")] == [5.0, 8.0]
    landing.run("mart.orders", 2)
    assert [float(it["amount"]) for it in landing.rows("mart.orders")] == [5.0, 8.0]
    landing.land("orders/1.csv", "id,amount\n1,6.00\n")
    with pytest.raises(LandingError, match="taken"):
        landing.run("mart.orders", 3)


def test_what_only_earlier_files_have_is_not_taken_for_gone(landing: Landing) -> None:
    landing.pipeline(
        "mart.orders",
        "create table if not exists mart.orders (id bigint, amount decimal(10, 2));\n"
        "merge into mart.orders t using 'landing/orders/*.csv' s on t.id = s.id\n"
        "when not matched by source then delete",
    )
    with pytest.raises(LineageError, match="takes each file of landing") as caught:
        landing.run("mart.orders")
    assert caught.value.where().endswith("orders.sql:2:1")


def test_what_another_run_committed_meanwhile_is_merged_into(landing: Landing) -> None:
    landing.pipeline("mart.customers", MERGE)
    give(landing, [(1, "Ada")])
    landing.run("mart.customers")
    give(landing, [(2, "Bo")])
    numbers = iter([1])

    def first_time_only() -> None:
        for number in numbers:
            landing.run("mart.customers", number)

    landing.meanwhile(first_time_only).run("mart.customers", 2)
    # the second of the two found 2 there already, and counted it
    assert customers(landing) == [(1, "Ada", 1), (2, "Bo", 2)]


def test_a_partitioned_table_stays_parted(landing: Landing) -> None:
    landing.pipeline("mart.customers", f"-- partition by: bucket(4, id)\n{MERGE}")
    give(landing, [(number, "x") for number in range(20)])
    landing.run("mart.customers")
    give(landing, [(number, "y") for number in range(10)])
    landing.run("mart.customers", 1)
    table = load(landing.platform.catalog, "mart.customers")
    assert len({str(it.file.partition) for it in table.scan().plan_files()}) == 4
    assert [row[1] for row in customers(landing)] == ["y"] * 10 + ["x"] * 10


def test_macros_views_and_odd_names(landing: Landing) -> None:
    blocks = landing.project.root / "platform_assets" / "blocks"
    blocks.mkdir(parents=True)
    (blocks / "b.sql").write_text(
        "create macro doubled(x) as x * 2;\n"
        "create view s.named as select id, name from s.updates where name <> 'no';\n",
        "utf-8",
    )
    landing.pipeline(
        "mart.odd",
        'create table if not exists mart.odd ("select" bigint, "a ""b""" varchar);\n'
        'merge into mart.odd as "my t"\n'
        'using s.named as "order"\n'
        'on "my t"."select" = "order".id\n'
        'when matched then update set "select" = doubled("order".id)\n'
        'when not matched then insert ("a ""b""", "select") values (name, id)\n',
    )
    give(landing, [(1, "Ada"), (2, "no")])
    landing.run("mart.odd")
    assert [tuple(row.values()) for row in landing.rows("mart.odd")] == [(1, "Ada")]
    landing.run("mart.odd", 1)
    assert [tuple(row.values()) for row in landing.rows("mart.odd")] == [(2, "Ada")]
