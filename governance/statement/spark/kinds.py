"""What kinds of values the two engines share, and when a value of one may stand where another is wanted."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from governance.sql_type import LIST, MAP, STRUCT, SqlType, is_nested, parsed

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
    """A type: its name here, digits and places of a decimal, and what a nested one is of.

    ``nested`` and ``other`` values only pass through; ``of`` is None where Iceberg stores no such nested type.
    """

    name: str
    precision: int = 0
    scale: int = 0
    of: SqlType | None = None

    @property
    def spark(self) -> str:
        """The type as Spark writes it."""
        if self.of is not None:
            return spark_type(self.of)
        return f"decimal({self.precision}, {self.scale})" if self.name == "decimal" else SPARK[self.name]

    @property
    def said(self) -> str:
        """The type as DuckDB's SQL writes it."""
        return f"decimal({self.precision}, {self.scale})" if self.name == "decimal" else self.name


BOOLEAN, INTEGER, BIGINT, HUGEINT = Kind("boolean"), Kind("integer"), Kind("bigint"), Kind("hugeint")
REAL, DOUBLE, VARCHAR, BLOB = Kind("real"), Kind("double"), Kind("varchar"), Kind("blob")
DATE, TIMESTAMP, TIMESTAMPTZ = Kind("date"), Kind("timestamp"), Kind("timestamptz")
NULL, OTHER = Kind("null"), Kind("other")
NESTED = "nested"
PASSING = frozenset({NESTED, OTHER.name})
"""The names of kinds whose values are not compared."""

UNKNOWN = Kind("unknown")
"""Of a column whose type only running tells: what is done with it is looked at again then."""

WHOLE = (INTEGER, BIGINT)
AS_DECIMAL = {INTEGER: Kind("decimal", 10), BIGINT: Kind("decimal", 19)}
DATED = {DATE, TIMESTAMP, TIMESTAMPTZ}


def kind_of(sql_type: str) -> Kind:
    """Return the kind of a column whose SQL type is ``sql_type``, as Headwater writes types."""
    known = parsed(sql_type)
    text = known.sql if known else sql_type.lower()
    if found := DECIMAL.fullmatch(text):
        return Kind("decimal", int(found[1]), int(found[2]))
    if known and known.members:
        return Kind(NESTED, of=known) if _leaves(known) <= SPARK.keys() else OTHER
    if is_nested(text):
        return Kind(NESTED)
    if text in {"unknown", ""}:
        return UNKNOWN
    return Kind(text) if text in SPARK else OTHER


def _leaves(kind: SqlType) -> set[str]:
    """Return the names of the types within, a decimal's left out."""
    if kind.members:
        return set().union(*(_leaves(member) for _, member in kind.members))
    return set() if DECIMAL.fullmatch(kind.name) else {kind.name}


def spark_type(kind: SqlType) -> str:
    """Return a type as Spark writes it."""
    members = [(called, spark_type(member)) for called, member in kind.members]
    if kind.name == LIST:
        return f"array<{members[0][1]}>"
    if kind.name == MAP:
        return f"map<{members[0][1]}, {members[1][1]}>"
    if kind.name == STRUCT:
        named = (f"`{called.replace('`', '``')}`: {member}" for called, member in members)
        return f"struct<{', '.join(named)}>"
    return SPARK.get(kind.name, kind.name)


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
    if len(every) > 1 and any(it.name in PASSING for it in known):
        return None
    if UNKNOWN in known or len(known) <= 1:
        return UNKNOWN if UNKNOWN in known else (known or [NULL])[0]
    return TIMESTAMP if set(known) == {DATE, TIMESTAMP} else _common_number(known)


def held_alike(kinds: Iterable[Kind]) -> Kind | None:
    """Return the same where values are only held in one column, and never compared: nested ones of one type may be."""
    every = tuple(kinds)
    known = {it for it in every if it != NULL}
    only = next(iter(known)) if len(known) == 1 else NULL
    return only if only.of is not None else common(every)


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
        return wanted.name == "decimal" or wanted.name in SPARK or wanted.of is not None
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
