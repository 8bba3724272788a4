"""Arrow's types by the names of SQL, as Headwater writes them."""

import pyarrow as pa

from governance.errors import EngineError
from platform_assets.engines.sql import quoted

PLAIN = {
    pa.bool_(): "boolean",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double",
    pa.string(): "varchar",
    pa.large_string(): "varchar",
    pa.binary(): "blob",
    pa.large_binary(): "blob",
    pa.date32(): "date",
    pa.time64("us"): "time",
    pa.timestamp("us"): "timestamp",
    pa.null(): "null",
}


def sql_types(schema: pa.Schema) -> dict[str, str]:
    """Return each column's SQL type by its name.

    Raises:
        EngineError: a type that no table holds.
    """
    return {field.name: _of(field.name, field.type) for field in schema}


def _of(name: str, kind: pa.DataType) -> str:
    if kind in PLAIN or pa.types.is_nested(kind):
        return PLAIN[kind] if kind in PLAIN else _nested(name, kind)
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind) and kind.unit == "us":
        return "timestamptz"
    if isinstance(kind, pa.BaseExtensionType) or pa.types.is_fixed_size_binary(kind):
        return "uuid"
    raise EngineError(f"column {name} has the type {kind}, which no table holds", fix="cast it to one that tables hold")


def _nested(name: str, kind: pa.DataType) -> str:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"{_of(name, kind.value_type)}[]"
    if pa.types.is_map(kind):
        return f"map({_of(name, kind.key_type)}, {_of(name, kind.item_type)})"
    return f"struct({', '.join(f'{quoted(it.name)} {_of(name, it.type)}' for it in kind)})"
