"""INSERT and MERGE pipelines run twice on either engine: the same tables, and the same told of them."""

import os
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from governance.errors import LineageError
from governance.project import project_at
from platform_assets.engines.engine import Engine, QueryError
from platform_assets.iceberg.catalog import Catalog, load, open_catalog
from platform_assets.iceberg.publish import replace, target
from tests.engines_contract.asking import shown
from tests.platform.running import landing_project

ORDERS = pa.table(
    {
        "id": pa.array([1, 2, 3, None], pa.int32()),
        "paid": pa.array([Decimal("5.00"), Decimal("2.50"), None, Decimal("1.00")], pa.decimal128(10, 2)),
        "at": pa.array([datetime(2026, 10, day, 12) for day in (1, 1, 2, 3)], pa.timestamp("us")),  # noqa: DTZ001
    }
)
DAYS = """create table if not exists mart.days (day date, note varchar, paid double, orders bigint);

insert into mart.days (paid, day, orders)
select sum(o.paid), cast(o.at as date), count(*)
from s.orders o
where not exists (select 1 from mart.days d where d.day = cast(o.at as date))
group by cast(o.at as date)
"""
LAST = """create table if not exists mart.last (id bigint, paid decimal(12, 2), runs integer);

merge into mart.last as l
using (select id, paid from s.orders) as o
on l.id = o.id
when matched and o.paid is null then delete
when matched then update set paid = l.paid + o.paid, runs = runs + 1
when not matched then insert (id, paid, runs) values (o.id, coalesce(o.paid, 0), 1)
when not matched by source and l.id is not null then update set runs = 0
"""


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    for name in [name for name in os.environ if name.startswith(("PYICEBERG_", "OPENLINEAGE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    with open_catalog(project_at(tmp_path)) as opened:
        yield opened


def rows(catalog: Catalog, table: str) -> list[str]:
    return shown(load(catalog, table).scan().to_arrow())


def test_an_insert_and_a_merge_run_twice(engine: Engine, catalog: Catalog, tmp_path: Path) -> None:
    landing = landing_project(project_at(tmp_path), catalog, engine)
    landing.pipeline("mart.days", DAYS)
    landing.pipeline("mart.last", LAST)
    replace(catalog, target("s.orders", None), ORDERS.to_reader(), {}, {})
    first = [landing.run(table).done.commit for table in ("mart.days", "mart.last")]
    assert [(it.rows, it.lifecycle) for it in first] == [(3, "CREATE"), (4, "CREATE")]
    days = [
        "(datetime.date(2026, 10, 1), None, 7.5, 2)",
        "(datetime.date(2026, 10, 2), None, None, 1)",
        "(datetime.date(2026, 10, 3), None, 1.0, 1)",
    ]
    assert rows(catalog, "mart.days") == days
    second = [landing.run(table, 1).done.commit for table in ("mart.days", "mart.last")]
    assert [(it.rows, it.total_rows, it.lifecycle) for it in second] == [(0, 3, None), (4, 4, None)]
    assert rows(catalog, "mart.days") == days
    assert rows(catalog, "mart.last") == [
        "(1, Decimal('10.00'), 2)",
        "(2, Decimal('5.00'), 2)",
        "(None, Decimal('1.00'), 1)",
        "(None, Decimal('1.00'), 1)",
    ]
    kinds = {field.name: str(field.field_type) for field in load(catalog, "mart.last").schema().fields}
    assert kinds == {"id": "long", "paid": "decimal(12, 2)", "runs": "int"}


def test_two_rows_of_the_source_for_one_of_the_table(engine: Engine, catalog: Catalog, tmp_path: Path) -> None:
    landing = landing_project(project_at(tmp_path), catalog, engine)
    landing.pipeline("mart.last", LAST)
    replace(catalog, target("s.orders", None), ORDERS.slice(0, 2).to_reader(), {}, {})
    landing.run("mart.last")
    again = pa.concat_tables([ORDERS.slice(0, 2)] * 2)
    replace(catalog, target("s.orders", load(catalog, "s.orders")), again.to_reader(), {}, {})
    with pytest.raises(QueryError) as caught:
        landing.run("mart.last", 1)
    assert caught.value.problem == "several rows of the source match one row of mart.last on l.id = o.id"
    assert caught.value.where() == "platform_assets/pipelines/mart/last.sql:5"
    assert "row_number()" in caught.value.fix
    assert len(rows(catalog, "mart.last")) == 2


def test_files_as_they_landed_stay_with_duckdb(spark: Engine, catalog: Catalog, tmp_path: Path) -> None:
    landing = landing_project(project_at(tmp_path), catalog, spark)
    landing.land("orders/1.csv", "id,amount\n1,5.00\n")
    with pytest.raises((LineageError, QueryError), match="landing file"):
        landing.run("bronze.orders")
