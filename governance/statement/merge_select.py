"""The SELECT of a MERGE, written from its parts: every part of the file on lines of its own, at its column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from governance.statement.merge import Act, Merge, Piece, Side, When
from governance.statement.model import Statement

SOURCE, ROW, ACT, HITS, PLACE, ASKED = (f"headwater {it}" for it in ("source", "row", "act", "hits", "place", "asked"))
"""Names of relations and columns of the SELECT, which nobody gives theirs."""

_ACT = f'"{ACT}"'

Parts = Iterator[str | Piece]
"""A text in the making: what is written here, and what was written in the file."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What the SELECT is written from.

    own, given: what the MERGE calls its table, and its source
    columns:    the table's, with their SQL types
    """

    statement: Statement
    merge: Merge
    own: str
    given: str
    columns: Mapping[str, str]
    whens: tuple[When, ...]
    twice: str

    def select(self) -> Parts:
        """Yield the whole SELECT."""
        yield from (self.merge.ctes, ", ") if self.merge.ctes else ("with ",)
        yield from (f"{quoted(SOURCE)} as materialized (select * from ", self.merge.source, ")")  # noqa: S608  # names are quoted
        yield from self._matched() if self._of(Side.BOTH) else self._kept()
        yield " union all "
        yield from self._unmatched()
        if inserts := self._of(Side.SOURCE):
            yield " union all "
            yield from self._inserted(inserts)

    def _of(self, side: Side) -> list[When]:
        return [it for it in self.whens if it.side is side]

    @property
    def _table(self) -> str:
        pipeline = self.statement.pipeline
        return f"{quoted(pipeline.schema)}.{quoted(pipeline.name)}"

    @property
    def _own(self) -> str:
        return quoted(self.own)

    @property
    def _given(self) -> str:
        return f"{quoted(SOURCE)} as {quoted(self.given)}"

    def _on(self) -> Parts:
        bracketed = self.merge.joined == "on"
        yield from (f" {self.merge.joined} {'(' if bracketed else ''}", self.merge.on, ")" if bracketed else "")

    def _matched(self) -> Parts:
        """Yield the SELECT of the table's rows that match, each once."""
        whens = self._of(Side.BOTH)
        names = ", ".join(map(quoted, self.columns))
        over = f"over (partition by {quoted(ROW)}"
        hits = f"count({quoted(ACT)}) {over}) as {quoted(HITS)}"
        place = f"row_number() {over} order by {quoted(ACT)} nulls last) as {quoted(PLACE)}"
        yield f" select {names} from (select {names}, {quoted(ACT)}, {hits}, {place} from (select {quoted(ROW)}, {_ACT}"  # noqa: S608  # names are quoted
        for column, kind in self.columns.items():
            yield ", "
            yield from self._value(whens, column, kind, f"{self._own}.{quoted(column)}")
        numbered = f"(select row_number() over () as {quoted(ROW)}, * from {self._table}) as {self._own}"  # noqa: S608  # names are quoted
        yield f" from {numbered} join {self._given}"
        yield from self._on()
        yield from _asked(whens)
        stays = " and ".join((f"{quoted(PLACE)} = 1", *_left(whens)))
        said = "'" + self.twice.replace("'", "''") + "'"
        yield f")) where case when {quoted(HITS)} > 1 then error({said}) else {stays} end"

    def _kept(self) -> Parts:
        """Yield the SELECT of the table's rows that match where no WHEN is about them."""
        yield f" select {self._all()} from {self._table} as {self._own} semi join {self._given}"  # noqa: S608  # names are quoted
        yield from self._on()

    def _unmatched(self) -> Parts:
        """Yield the SELECT of the table's rows that do not match."""
        whens = self._of(Side.TARGET)
        yield " select "
        for at, (column, kind) in enumerate(self.columns.items()):
            yield ", " if at else ""
            yield from self._value(whens, column, kind, f"{self._own}.{quoted(column)}")
        yield f" from {self._table} as {self._own} anti join {self._given}"
        yield from self._on()
        if any(it.act is Act.UPDATE for it in whens):
            yield from _asked(whens)
            yield "".join(f" where {it}" for it in _left(whens))
        elif whens:
            # nothing else asks for the number, and not every Spark has IN of a query among the columns
            yield " where "
            yield from _case(whens, ["false" if it.act is Act.DELETE else "true" for it in whens], "true")

    def _inserted(self, whens: list[When]) -> Parts:
        """Yield the SELECT of the source's rows that do not match and are inserted."""
        yield " select "
        for at, (column, kind) in enumerate(self.columns.items()):
            yield ", " if at else ""
            yield from self._value(whens, column, kind, f"cast(null as {kind})")
        yield f" from {self._given} anti join {self._table} as {self._own}"
        yield from self._on()
        yield from _asked(whens)
        yield f" where {_ACT} in ({_numbers(whens, Act.INSERT) or 'null'})"

    def _all(self) -> str:
        return ", ".join(f"{self._own}.{quoted(it)}" for it in self.columns)

    def _value(self, whens: Sequence[When], column: str, kind: str, otherwise: str) -> Parts:
        """Yield what a column becomes: what the first WHEN that applies writes, else what it was."""
        written = [(at, it) for at, when in enumerate(whens, 1) if (it := self._written(when, column, kind))]
        if written:
            yield f"case {_ACT}"
            for at, it in written:
                yield f" when {at} then "
                yield from it
            yield f" else {otherwise} end"
        else:
            yield otherwise
        yield f" as {quoted(column)}"

    def _written(self, when: When, column: str, kind: str) -> "tuple[str | Piece, ...] | None":
        keys = [it.lower() for it in when.columns]
        if column.lower() not in keys:
            return None
        value = when.values[keys.index(column.lower())]
        return "cast((", value, f") as {kind})"


def _asked(whens: Sequence[When]) -> Parts:
    """Yield the join with the number of the first WHEN that applies, of which each condition is computed once.

    NULL is the number of one that does nothing to the row: it does not count as a change.
    """
    if not whens:
        return
    none = "cast(null as integer)"
    yield " cross join lateral (select "
    yield from _case(whens, [none if it.act is Act.NOTHING else str(at) for at, it in enumerate(whens, 1)], none)
    yield f" as {quoted(ACT)}) as {quoted(ASKED)}"


def _case(whens: Sequence[When], results: Sequence[str], otherwise: str) -> Parts:
    """Yield a CASE over the conditions of the WHENs, in order."""
    yield "case"
    for when, result in zip(whens, results, strict=True):
        yield from (" when (", when.condition, ")") if when.condition else (" when true",)
        yield f" then {result}"
    yield f" else {otherwise} end"


def _left(whens: Sequence[When]) -> Iterator[str]:
    """Yield the condition of what no WHEN deletes, where one may."""
    if deleted := _numbers(whens, Act.DELETE):
        yield f"({_ACT} is null or {_ACT} not in ({deleted}))"


def _numbers(whens: Sequence[When], act: Act) -> str:
    return ", ".join(str(at) for at, it in enumerate(whens, 1) if it.act is act)


def laid(parts: Iterable[str | Piece], line: int) -> tuple[str, tuple[int, ...]]:
    """Return the text with every piece of the file on lines of its own, at its column, and whose line each is."""
    texts: list[str] = []
    lines = [line]
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        texts.append("\n" + " " * (part.column - 1) + part.text + "\n")
        lines += range(part.line, part.line + part.text.count("\n") + 1)
        # what follows belongs to what was written last
        lines.append(lines[-1])
    return "".join(texts), tuple(lines)


def quoted(name: str) -> str:
    """Return ``name`` as an identifier of DuckDB's SQL."""
    return '"' + name.replace('"', '""') + '"'
