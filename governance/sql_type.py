"""The SQL types that an Iceberg table can hold, by the names that Headwater writes."""

import re

ALIASES = {
    "bool": "boolean",
    "int": "integer",
    "int4": "integer",
    "int8": "bigint",
    "long": "bigint",
    "float": "real",
    "float4": "real",
    "float8": "double",
    "text": "varchar",
    "string": "varchar",
    "datetime": "timestamp",
    "timestamp with time zone": "timestamptz",
    "bytea": "blob",
    "binary": "blob",
}
NAMES = (
    "boolean",
    "integer",
    "bigint",
    "real",
    "double",
    "varchar",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "blob",
)
DECIMAL = re.compile(r"(?:decimal|numeric) ?\( ?(?P<precision>[1-9]\d?) ?, ?(?P<scale>\d\d?) ?\)")
EXPECTED = f"write one of {', '.join(NAMES)}, or decimal(precision, scale)"


def sql_type(text: str) -> str | None:
    """Return the type's one name in lower case, None where Iceberg stores no such type (``EXPECTED`` is the fix)."""
    words = " ".join(text.lower().split())
    if decimal := DECIMAL.fullmatch(words):
        precision, scale = int(decimal["precision"]), int(decimal["scale"])
        return f"decimal({precision}, {scale})" if scale <= precision <= 38 else None  # noqa: PLR2004 -- Iceberg's bound
    name = ALIASES.get(words, words)
    return name if name in NAMES else None
