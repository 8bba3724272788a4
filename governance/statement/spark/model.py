"""What is translated: tables as Spark has them, a value with its kind, and how one is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.statement.spark.kinds import Kind

FIX = "write it otherwise, or run this pipeline on DuckDB: -- engine: duckdb"


@dataclass(frozen=True, slots=True)
class View:
    """A table as Spark has it: the name of its view, and its columns' kinds by name, in order."""

    name: str
    columns: Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Value:
    """A value in Spark's SQL, and its kind as DuckDB has it."""

    sql: str
    kind: Kind

    def cast(self, kind: Kind) -> "Value":
        """Return the value as ``kind``, which holds it."""
        return self if kind == self.kind or kind.name == "unknown" else Value(f"cast({self.sql} as {kind.spark})", kind)

    @property
    def ranked(self) -> "Value":
        """The value as it takes its place in an order: of -0.0 and 0.0, and of NaNs, not every Spark makes one."""
        if self.kind.name not in {"double", "real"}:
            return self
        nan, zero = (f"cast({it} as {self.kind.spark})" for it in ("'NaN'", "0"))
        return Value(f"(case when isnan({self.sql}) then {nan} else {self.sql} + {zero} end)", self.kind)


@dataclass(slots=True)
class Scope:
    """What names mean in one SELECT.

    sources: by the name that FROM gives, (column as written, its kind) by its name in lower case
    merged:  the columns that USING makes one, in lower case, with the source that has them
    aliases: the select list's, in lower case, as far as it has been read
    moved:   what Spark calls a source's column where FROM has become a query of its own
    """

    parent: "Scope | None"
    tables: Mapping[str, View]
    sources: dict[str, dict[str, tuple[str, Kind]]] = field(default_factory=dict)
    merged: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, Value] = field(default_factory=dict)
    moved: dict[tuple[str, str], str] = field(default_factory=dict)

    def value(self, source: str, key: str) -> Value:
        """Return the column ``key``, in lower case, of a source."""
        spelt, kind = self.sources[source][key]
        return Value(self.moved.get((source, key)) or f"{name(source)}.{name(spelt)}", kind)


def name(text: str) -> str:
    """Return ``text`` as one of Spark's identifiers."""
    return "`" + text.replace("`", "``") + "`"


def text(value: str) -> str:
    """Return ``value`` as one of Spark's string literals."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def refused(at: exp.Expr, what: str) -> UnreadConstruct:
    """Return the error that ``what`` does not mean the same on Spark; at the place of ``at`` or what it belongs to."""
    place: exp.Expr | None = at
    while place is not None:
        for it in place.walk():
            if "line" in it.meta:
                problem = f"{what} is not known to mean the same on Spark"
                return UnreadConstruct(problem, fix=FIX, line=it.meta["line"], column=_column(it), clause=what)
        place = place.parent
    return UnreadConstruct(f"{what} is not known to mean the same on Spark", fix=FIX, clause=what)


def _column(it: exp.Expr) -> int:
    return int(it.meta["col"] - it.meta["end"] + it.meta["start"])


def called(it: exp.Expr) -> str:
    """Return what a function is called, or what a piece of syntax is."""
    return it.sql_name().lower() if isinstance(it, exp.Func) else type(it).__name__.upper()


def only(it: exp.Expr, *known: str) -> None:
    """Raise UnreadConstruct where the parser found more in ``it`` than is ``known``: it would be lost.

    Raises:
        UnreadConstruct: names it.
    """
    for key, given in it.args.items():
        if given and key not in known:
            raise refused(it, f"{key.strip('_').replace('_', ' ').upper()} of {called(it)}")
