"""Times at the edge of a partition, and times too far off for one."""

from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.partition import parse_terms
from platform_assets.engines.engine import Engine, Query
from platform_assets.iceberg.catalog import Catalog
from platform_assets.iceberg.publish import replace, target
from tests.partitions.conftest import files
from tests.partitions.tables import put


def test_a_day_ends_before_the_next_begins(catalog: Catalog) -> None:
    last = datetime(2026, 1, 2) - timedelta(microseconds=1)  # noqa: DTZ001
    data = pa.table({"id": [1, 2], "paid_at": pa.array([last, last + timedelta(microseconds=1)])})
    put(catalog, data.append_column("d", pa.array([Decimal(1)] * 2)), "day(paid_at)")
    assert sorted(files(catalog, "s.t")) == ["20454", "20455"]


def test_a_time_that_has_no_partition_stops_the_commit_and_leaves_no_file(catalog: Catalog) -> None:
    far = pa.array([2**63 - 1], pa.int64()).cast(pa.timestamp("us"))
    with pytest.raises(CatalogError, match="a time is too far off"):
        put(catalog, pa.table({"at": far, "id": [1]}), "hour(at)")
    assert not catalog.table_exists("s.t")
    assert not list((Path(catalog.properties["warehouse"]) / "s").rglob("*.parquet"))


FAR = (
    "timestamp 'infinity'",
    "timestamptz '-infinity'",
    "timestamp '0044-03-15 (BC) 00:00:00'",
    "timestamp '10000-01-01'",
    "date 'infinity'",
    "date '0001-12-31 (BC)'",
)


@pytest.mark.parametrize(
    ("far", "terms"), [*((far, "day(born)") for far in FAR), (FAR[0], "hour(paid), born"), (FAR[2], "")]
)
def test_a_time_out_of_pythons_years_is_told_with_its_column_and_the_fix_works(
    catalog: Catalog, engine: Engine, far: str, terms: str
) -> None:
    text = f"select born, 1 as id, timestamp '9999-12-31' as paid from (values ({far}), (date '0001-01-01')) as t(born)"  # noqa: S608
    at = target("s.t", None, parse_terms(terms) if terms else ())
    with engine.open(Query(text, "q.sql"), {}) as result, pytest.raises(CatalogError) as told:
        replace(catalog, at, result, {}, {})
    said = "s.t does not take these rows: a time is too far off in born: it is infinity, or no year from 1 to 9999"
    assert told.value.problem == said
    fixed = text + told.value.fix.partition("leave such rows out:")[2].replace("column", "born")
    with engine.open(Query(fixed, "q.sql"), {}) as result:
        assert replace(catalog, at, result, {}, {}).rows == 1
    with (
        engine.open(Query(text, "q.sql"), {}) as result,
        result.batches() as reader,
        pytest.raises(CatalogError, match="a time is too far off in born"),
    ):
        replace(catalog, target("s.u", None), reader, {}, {})
