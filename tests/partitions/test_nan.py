"""NaN in a partitioned table is seen also by who goes by its files' statistics."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from governance.partition import parse_terms
from platform_assets.engines.engine import Engine, Files, Query
from platform_assets.iceberg import parted
from platform_assets.iceberg.catalog import Catalog, load, plan
from platform_assets.iceberg.publish import replace, target


def batch(country: str, amounts: list[float | None]) -> pa.RecordBatch:
    nested = pa.array([{"x": it} for it in amounts], pa.struct([("x", pa.float64())]))
    return pa.record_batch({
        "country": [country] * len(amounts), "amount": pa.array(amounts, pa.float64()), "s": nested
    })  # fmt: skip


def test_statistics_pass_over_no_nan_and_stay_elsewhere(
    catalog: Catalog, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each batch is a piece, so that NaN comes to a file that is open
    monkeypatch.setattr(parted, "HELD_BYTES", 1)
    nan = float("nan")
    given = [batch("fr", [5.0, 6.0]), batch("fr", [5.0, nan]), batch("de", [1.0, 2.0]), batch("fr", [7.0, None])]
    reader = pa.RecordBatchReader.from_batches(given[0].schema, given)
    replace(catalog, target("s.t", None, parse_terms("country")), reader, {}, {})
    relation = plan("s.t", load(catalog, "s.t")).relation
    assert isinstance(relation, Files)
    asked = "select country, max(amount) as a, count(*) filter (where amount > 100) as n from s.t group by 1 order by 1"
    with engine.open(Query(asked, "q.sql"), {"s.t": relation}) as result, result.batches() as rows:
        assert str(rows.read_all().to_pylist()) == str([
            {"country": "de", "a": 2.0, "n": 0}, {"country": "fr", "a": nan, "n": 1}
        ])  # fmt: skip
    pushed = Query("select amount from s.t where amount > 100", "q.sql")
    with engine.open(pushed, {"s.t": relation}) as result, result.batches() as rows:
        assert rows.read_all().num_rows == 1
    files = {path: pq.ParquetFile(path).metadata.row_group(0) for path in relation.paths}
    told = [(it.column(1).statistics is not None, it.column(2).statistics is not None) for it in files.values()]
    assert sorted(told) == [(False, False), (True, True), (True, True)]
