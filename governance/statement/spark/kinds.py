"""What kinds of values the two engines share, and when a value of one may stand where another is wanted."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from governance.sql_type import sql_type as one_name

DIGITS = 38
"""What a decimal has at most, in both engines."""

SPARK = {
    "boolean": "boolean",
    "integer": "int",
    "bigint": "bigint",
    "real": "float",
    "double": "double",
    "varchar": "string",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp_ltz",
    "blob": "binary",
    "hugeint": "decimal(38, 0)",
}
"""Our names of types to Spark's. A sum of whole numbers is a ``hugeint``, for which Spark has its widest decimal."""

DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: its name here, and digits and places of a decimal. ``nested`` and ``other`` values only pass through."""

    name: str
    precision: int = 0
    scale: int = 0

    @property
    def spark(self) -> str:
        """The type as Spark writes it."""
        return f"decimal({self.precision}, {self.scale})" if self.name == "decimal" else SPARK[self.name]

    @property
    def said(self) -> str:
        """The type as DuckDB's SQL writes it."""
        return f"decimal({self.precision}, {self.scale})" if self.name == "decimal" else self.name


BOOLEAN, INTEGER, BIGINT, HUGEINT = Kind("boolean"), Kind("integer"), Kind("bigint"), Kind("hugeint")
REAL, DOUBLE, VARCHAR, BLOB = Kind("real"), Kind("double"), Kind("varchar"), Kind("blob")
DATE, TIMESTAMP, TIMESTAMPTZ = Kind("date"), Kind("timestamp"), Kind("timestamptz")
NULL, NESTED, OTHER = Kind("null"), Kind("nested"), Kind("other")
UNKNOWN = Kind("unknown")
"""Of a column whose type only running tells: what is done with it is looked at again then."""

WHOLE = (INTEGER, BIGINT)
AS_DECIMAL = {INTEGER: Kind("decimal", 10), BIGINT: Kind("decimal", 19)}
DATED = {DATE, TIMESTAMP, TIMESTAMPTZ}


def kind_of(sql_type: str) -> Kind:
    """Return the kind of a column whose SQL type is ``sql_type``, as Headwater writes types."""
    text = one_name(sql_type) or sql_type.lower()
    if found := DECIMAL.fullmatch(text):
        return Kind("decimal", int(found[1]), int(found[2]))
    if text.endswith("[]") or text.startswith(("struct(", "map(")):
        return NESTED
    if text in {"unknown", ""}:
        return UNKNOWN
    return Kind(text) if text in SPARK else OTHER


def decimal(kind: Kind) -> Kind | None:
    """Return the decimal that holds every value of ``kind`` exactly, None where none does."""
    return kind if kind.name == "decimal" else AS_DECIMAL.get(kind)


def is_number(kind: Kind) -> bool:
    """Whether one can count with it; REAL's few digits are counted otherwise on either engine."""
    return kind in {*WHOLE, HUGEINT, DOUBLE} or kind.name == "decimal"


def common(kinds: Iterable[Kind]) -> Kind | None:
    """Return the kind that values of ``kinds`` have together, in a CASE or a UNION, None where engines may differ."""
    every = tuple(kinds)
    known = [it for it in dict.fromkeys(every) if it != NULL]
    if len(every) > 1 and {NESTED, OTHER} & set(known):
        return None
    if UNKNOWN in known or len(known) <= 1:
        return UNKNOWN if UNKNOWN in known else (known or [NULL])[0]
    return TIMESTAMP if set(known) == {DATE, TIMESTAMP} else _common_number(known)


def _common_number(known: Sequence[Kind]) -> Kind | None:
    if all(it in {*WHOLE, HUGEINT} for it in known):
        return HUGEINT if HUGEINT in known else BIGINT
    if DOUBLE in known and all(map(is_number, known)):
        return DOUBLE
    exact = [decimal(it) for it in known]
    if None in exact:
        return None
    scale = max(it.scale for it in exact if it)
    whole = max(it.precision - it.scale for it in exact if it)
    return Kind("decimal", whole + scale, scale) if whole + scale <= DIGITS else None


def castable(given: Kind, wanted: Kind) -> bool:
    """Whether a cast gives the same on both engines: exact, or an error on both."""
    if UNKNOWN in {given, wanted} or given == wanted:
        return True
    if given == NULL:
        return wanted.name == "decimal" or wanted.name in SPARK
    return _number_castable(given, wanted) or wanted in EQUAL.get(given, ())


EQUAL = {
    DATE: (TIMESTAMP, VARCHAR),
    TIMESTAMP: (DATE,),
    TIMESTAMPTZ: (TIMESTAMP, DATE),
    INTEGER: (VARCHAR,),
    BIGINT: (VARCHAR,),
    BOOLEAN: (VARCHAR,),
}


def _number_castable(given: Kind, wanted: Kind) -> bool:
    if given in {*WHOLE, HUGEINT} and wanted in {*WHOLE, HUGEINT, DOUBLE}:
        return True
    if given.name == "decimal" or given in {*WHOLE, HUGEINT}:
        return wanted.name == "decimal" or (wanted == DOUBLE and given.name == "decimal")
    return given == REAL and wanted == DOUBLE
