"""Types as people write them, by their one name."""

import duckdb
import pytest
from pyiceberg.io.pyarrow import _pyarrow_to_schema_without_ids  # as the catalog does

from governance.sql_type import DEPTH, LENGTH, is_nested, read, sql_type
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.columns import sql_type as iceberg_name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("INT", "integer"),
        ("timestamp  with time zone", "timestamptz"),
        ("numeric(5,2)", "decimal(5, 2)"),
        ("varchar[]", "varchar[]"),
        ("text [ ] []", "varchar[][]"),
        ("struct(city varchar, zip text)", 'struct("city" varchar, "zip" varchar)'),
        ('Struct("a ""b""" Int, City varchar)', 'struct("a ""b""" integer, "City" varchar)'),
        ("map(varchar, bigint)", "map(varchar, bigint)"),
        ("MAP(VARCHAR, STRUCT(x DECIMAL(10,2)[]))", 'map(varchar, struct("x" decimal(10, 2)[]))'),
        ("struct(map integer, struct varchar[])", 'struct("map" integer, "struct" varchar[])'),
        ("integer" + "[]" * (DEPTH - 1), "integer" + "[]" * (DEPTH - 1)),
    ],
)
def test_type_has_one_name(written: str, name: str) -> None:
    assert sql_type(written) == name
    assert sql_type(name) == name


@pytest.mark.parametrize(
    "written",
    [
        "",
        "money",
        "decimal(39, 1)",
        "decimal(3, 4)[]",
        "varchar[3]",
        "varchar[",
        "[]",
        "struct()",
        "struct(a)",
        "struct(a integer",
        "struct(a integer))",
        "struct(a integer, A varchar)",
        "struct(a hugeint)",
        "map(varchar)",
        "map(varchar, bigint, bigint)",
        "varchar; drop",
        "varchar not null",
        "integer" + "[]" * DEPTH,
        "struct(a " * 5_000 + "integer" + ")" * 5_000,
        f"struct({'a' * LENGTH} integer)",
    ],
)
def test_what_iceberg_does_not_store_has_none(written: str) -> None:
    assert sql_type(written) is None


@pytest.mark.parametrize("written", ["varchar[]", "struct(a integer)", "map(varchar, bigint)"])
def test_nested_types_are_told(written: str) -> None:
    assert is_nested(sql_type(written) or "")


@pytest.mark.parametrize("written", ["varchar", "decimal(5, 2)"])
def test_flat_types_are_told(written: str) -> None:
    assert not is_nested(written)


def test_types_that_are_not_stored_are_read() -> None:
    read_ = read("STRUCT(a TINYINT, b TIMESTAMP WITH TIME ZONE[])")
    assert read_ is not None
    assert read_.sql == 'struct("a" tinyint, "b" timestamp with time zone[])'


@pytest.mark.parametrize(
    "written",
    [
        "varchar[][]",
        'struct("a ""b""" integer, "City" decimal(10, 2)[])',
        "map(varchar, struct(x timestamptz, y blob))",
    ],
)
def test_catalog_calls_a_type_the_same(written: str) -> None:
    arrow = DuckDb(duckdb.connect).schema([("x", sql_type(written) or "")])
    (field,) = _pyarrow_to_schema_without_ids(arrow).fields
    assert iceberg_name(field.field_type) == sql_type(written)
