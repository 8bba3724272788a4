"""Queries asked of an engine: the rows that it writes, as a table of the catalog would have them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

from platform_assets.engines.engine import Column, Engine, Query, Relation, Rows
from platform_assets.engines.sql_types import sql_types


def column(number: int, name: str, kind: str) -> Column:
    members: tuple[Column, ...] = ()
    if kind.endswith("[]"):
        members = (Column(number + 100, "_element", kind[:-2]),)
    elif kind.startswith("map("):
        members = (Column(number + 100, "_key", "varchar"), Column(number + 200, "_value", "bigint"))
    elif kind.startswith("struct("):
        members = (Column(number + 100, "x", "integer"), Column(number + 200, "y", "varchar"))
    return Column(number, name, kind, "", members)


def columns_of(schema: pa.Schema) -> list[Column]:
    return [column(number, name, kind) for number, (name, kind) in enumerate(sql_types(schema).items(), start=1)]


def ask(engine: Engine, sql: str, tables: Mapping[str, Relation], into: tuple[tuple[str, str], ...] = ()) -> pa.Table:
    with engine.open(Query(sql, "q.sql", into), tables) as result:
        files = result.write(columns_of(result.schema))
        empty = result.schema.empty_table()
        return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files]) if files else empty


def shown(table: pa.Table) -> list[str]:
    """Return the rows in one order, whatever order they come in; NaN is like itself, and -0.0 is 0.0."""
    return sorted(repr(tuple(row.values())).replace("-0.0", "0.0") for row in table.to_pylist())


def at(day: int, hour: int = 0, micro: int = 0) -> datetime:
    return datetime(2024, 2, day, hour, 30, 15, micro, UTC).replace(tzinfo=None)


AMOUNTS = [Decimal("1.25"), Decimal("-3.50"), None, Decimal("1.25"), Decimal("0.00"), Decimal("9999999.99")]
GIVEN = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, None], pa.int32()),
        "big": pa.array([10, -20, 30, None, 9_000_000_000, 0], pa.int64()),
        "amount": pa.array(AMOUNTS, pa.decimal128(10, 2)),
        "rate": pa.array([0.5, -1.5, float("nan"), None, 1e300, 0.0], pa.float64()),
        "word": pa.array(["Ada", "it's", "", None, "a\\b", "É🤦x"], pa.string()),
        "yes": pa.array([True, False, None, True, True, False], pa.bool_()),
        "day": pa.array(
            [date(2024, 2, 29), date(1969, 12, 31), None, date(2024, 2, 1), date(1, 1, 1), date(9999, 12, 31)]
        ),
        "moment": pa.array([at(29, 23, 1), at(1), None, at(3, 5), at(4), at(1)], pa.timestamp("us")),
        "seen": pa.array([at(29, 23, 1), at(1), None, at(3, 5), at(4), at(1)], pa.timestamp("us", "UTC")),
        "raw": pa.array([b"a", b"", None, b"\0", b"b", b"c"], pa.binary()),
        "many": pa.array([[1, 2], [], None, [None], [3], [4]], pa.list_(pa.int64())),
        "one": pa.array(
            [{"x": 1, "y": "a"}, None, {"x": None, "y": None}, None, None, None],
            pa.struct([("x", pa.int32()), ("y", pa.string())]),
        ),
        "pairs": pa.array([[("k", 1)], [], None, [], [], [("a", None)]], pa.map_(pa.string(), pa.int64())),
    }
)
OTHER = pa.table(
    {"id": pa.array([1, 2, 2, 7, None], pa.int32()), "note": ["x", "y", "z", "w", None], "big": [1, 2, 3, 4, 5]}
)
ODD = pa.table({"x": [0.0, -0.0, float("nan"), float("nan"), None, 1.0], "y": list("abcdef")})
TABLES: Mapping[str, Relation] = {"s.z": Rows(ODD), "s.t": Rows(GIVEN), "s.u": Rows(OTHER)}
