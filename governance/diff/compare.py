"""Two revisions → how each table differs: columns, what they hold, what decides the rows, edges by kind.

Pipelines whose text and whose inputs' columns are the same are not looked into: a comparison costs what changed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from governance.diff.model import Difference, Edge, Side
from governance.errors import LineageError
from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.sql_type import sql_type
from governance.statement import Statement
from governance.statement.meaning import Meaning, meaning
from governance.statement.trace import UNKNOWN

SOURCES = "platform_assets/sources.toml"


def compare(base: Side, head: Side) -> tuple[Difference, ...]:
    """Return how the tables of ``head`` differ from those of ``base``, by table; one that does not is left out."""
    sources = tuple(_sources(base, head))
    return tuple(sorted((*sources, *_pipelines(base, head, sources)), key=lambda it: it.table))


def _sources(base: Side, head: Side) -> Iterator[Difference]:
    before = {source.table: dict(source.columns) for source in base.sources}
    after = {source.table: dict(source.columns) for source in head.sources}
    for table in sorted({*before, *after}):
        found = _columns(table, SOURCES, before.get(table), after.get(table))
        if found:
            yield found


def _columns(
    table: str, file: str, before: Mapping[str, str] | None, after: Mapping[str, str] | None
) -> Difference | None:
    """Return how the declared columns of a table differ; None where they do not."""
    if before is None or after is None:
        columns = tuple(after or before or ())
        return Difference(table, file, made=before is None, removed=after is None, columns=columns)
    if before == after:
        return None
    found = Difference(
        table,
        file,
        gone=tuple(name for name in before if name not in after),
        added=tuple(name for name in after if name not in before),
        retyped=tuple(
            (name, before[name], after[name])
            for name in before
            if name in after and _type(before[name]) != _type(after[name])
        ),
        columns=tuple(before),
        text=True,
    )
    # the only column gone and the only new one, at the same place and of one type, is one that was renamed
    old, new = found.gone, found.added
    if (
        len(old) == len(new) == 1
        and list(before).index(old[0]) == list(after).index(new[0])
        and before[old[0]] == after[new[0]]
    ):
        return replace(found, gone=(), added=(), renamed=((old[0], new[0]),))
    return found


Respelt = Mapping[tuple[str, str], str]
"""(table, column) of the earlier revision → the name that the column has in the later one, where it was renamed."""


def _pipelines(base: Side, head: Side, sources: Iterable[Difference]) -> Iterator[Difference]:
    before, after = (_Of.all(side) for side in (base, head))
    respelt = {(it.table, old): new for it in sources for old, new in it.renamed}
    # in the order in which they run, so that what a reader reads is known under its new name
    order = dict.fromkeys((*(it.pipeline.table for it in head.program.statements), *sorted({*before, *after})))
    for table in order:
        old, new = before.get(table), after.get(table)
        if old and new:
            found = _pipeline(old, new, respelt)
            if found:
                respelt |= {(table, was): now for was, now in found.renamed}
                yield found
        elif new:
            yield replace(_alone(new), made=True, problem=new.problem, more=_sorted(_edges(new.lineage)))
        elif old:
            yield replace(_alone(old), removed=True, less=_sorted(_edges(old.lineage)))


def _alone(of: "_Of") -> Difference:
    return Difference(of.pipeline.table, of.pipeline.file, line=of.line, columns=of.columns)


@dataclass(frozen=True, slots=True)
class _Of:
    """A pipeline within its revision."""

    pipeline: Pipeline
    side: Side
    statement: Statement | None
    lineage: ColumnLineage | None
    problem: str
    line: int | None

    @classmethod
    def all(cls, side: Side) -> "dict[str, _Of]":
        statements = {it.pipeline.table: it for it in side.program.statements}
        return {it.table: cls._of(side, it, statements.get(it.table)) for it in side.pipelines}

    @classmethod
    def _of(cls, side: Side, pipeline: Pipeline, statement: Statement | None) -> "_Of":
        error = side.program.unreadable.get(pipeline.table)
        line = error.line if isinstance(error, LineageError) else None
        lineage = side.program.lineages.get(pipeline.table)
        return cls(pipeline, side, statement, lineage, str(error) if error else "", line)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.side.program.schemas.get(self.pipeline.table, ()))

    @property
    def inputs(self) -> Mapping[str, tuple[tuple[str, str], ...] | None]:
        """The columns of each table read, in order: a star, an INSERT and a set operation take them by place."""
        reads = self.statement.reads if self.statement else ()
        schemas = self.side.program.schemas
        return {table: tuple(schemas[table].items()) if table in schemas else None for table in reads}


def _pipeline(old: _Of, new: _Of, respelt: Respelt) -> Difference | None:
    text = old.pipeline.sql != new.pipeline.sql
    if not text and old.inputs == new.inputs and bool(old.problem) == bool(new.problem):
        return None
    table, file = new.pipeline.table, new.pipeline.file
    if new.problem and (text or not old.problem):
        return Difference(table, file, problem=new.problem, line=new.line, columns=old.columns, text=text)
    if not text and not (old.lineage and new.lineage):
        # what it reads cannot be read on one side: that change reaches it, and it is none of its own
        return None
    if new.lineage is None:
        return Difference(table, file, problem="what it reads cannot be read", columns=old.columns, text=text)
    if old.lineage is None:
        return Difference(table, file, made=True, columns=new.columns, text=text, more=_sorted(_edges(new.lineage)))
    line = _first_changed(old.pipeline.sql, new.pipeline.sql)
    found = _read(old, new, Difference(table, file, line=line, columns=old.columns, text=text), respelt)
    told = (found.gone, found.renamed, found.retyped, found.added, found.values, found.rows, found.more, found.less)
    return found if text or any(told) else None


def _first_changed(old: str, new: str) -> int | None:
    """Return the first line of ``new`` that is not as it was, where a remark on the change is to be shown."""
    lines = new.splitlines()
    pairs = enumerate(zip_longest(old.splitlines(), lines), start=1)
    return next((min(at, len(lines)) for at, (was, now) in pairs if was != now), None)


def _read(old: _Of, new: _Of, so_far: Difference, respelt: Respelt) -> Difference:
    """Return how two readable versions of one pipeline differ."""
    assert old.statement is not None  # noqa: S101  asked before
    assert new.statement is not None  # noqa: S101
    before = meaning(old.statement, old.side.program.schemas, respelt)
    after = meaning(new.statement, new.side.program.schemas)
    was, now = _named(old, before), _named(new, after)
    renamed = _renamed(was, now)
    names = {name: name for name in was if name in now} | dict(renamed)
    more = _edges(new.lineage)
    # a column that was renamed has the edges of its old name, and so has what reads it
    less: set[Edge] = {
        (names.get(out or "", out), table, respelt.get((table, column), column), how, masking)
        for out, table, column, how, masking in _edges(old.lineage)
    }
    return replace(
        so_far,
        gone=tuple(name for name in was if name not in names),
        renamed=renamed,
        retyped=tuple(_retyped(old, new, before, after, names)),
        added=tuple(name for name in now if name not in names.values()),
        values=tuple(name for name, to in names.items() if was[name] != now[to]),
        rows=before.rows != after.rows or old.statement.kind is not new.statement.kind,
        more=_sorted(more - less),
        less=_sorted(less - more),
    )


def _named(of: _Of, said: Meaning) -> dict[str, str]:
    """Return the digest of each column of the table; an INSERT's go by position into the table's own names."""
    digests = [digest for _, digest in said.ordered]
    fields = [it.name for it in of.lineage.fields] if of.lineage else []
    listed = [_spelt(name, of.columns) for name in of.statement.columns] if of.statement else []
    # what an INSERT does not list is as it was declared
    unlisted = {name: "" for name in of.columns if name not in fields}
    if "*" in said.columns or len(digests) != len(fields):
        # not taken apart: a column may have changed wherever anything did
        edges = _edges(of.lineage)
        rest = said.rows, *digests
        return {name: repr((rest, _sorted({it for it in edges if it[0] == name}))) for name in fields} | unlisted
    return dict(zip(listed or fields, digests, strict=True)) | unlisted


def _spelt(name: str, columns: Iterable[str]) -> str:
    """Return ``name`` as the table has it."""
    return next((it for it in columns if it.lower() == name.lower()), name)


def _renamed(was: Mapping[str, str], now: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the columns that are gone under one name and there under another, computed alike: (old, new)."""
    gone = [name for name in was if name not in now]
    fresh = [name for name in now if name not in was]
    found: list[tuple[str, str]] = []
    for digest in dict.fromkeys(was[name] for name in gone):
        alike = [name for name in gone if was[name] == digest], [name for name in fresh if now[name] == digest]
        # several that are computed alike keep their order
        found += zip(*alike, strict=True) if len(alike[0]) == len(alike[1]) else ()
    left, new = [it for it in gone if it not in dict(found)], [it for it in fresh if it not in dict(found).values()]
    # the one column that went and the one that came, at the same place
    if len(left) == len(new) == 1 and list(was).index(left[0]) == list(now).index(new[0]) and len(was) == len(now):
        found.append((left[0], new[0]))
    return tuple(found)


def _retyped(
    old: _Of, new: _Of, before: Meaning, after: Meaning, names: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    was, now = _types(old, before), _types(new, after)
    for name, to in names.items():
        if was.get(name) and now.get(to) and was[name] != now[to]:
            yield name, was[name], now[to]


def _types(of: _Of, said: Meaning) -> dict[str, str]:
    schema = of.side.program.schemas.get(of.pipeline.table, {})
    declared = {name: _type(kind) for name, kind in schema.items() if kind != UNKNOWN}
    # a column of a declared table keeps the declared type, whatever the query gives it
    cast = {name.lower(): _type(kind) for name, kind in said.types.items()}
    return {name: declared.get(name) or cast.get(name.lower(), "") for name in schema}


def _type(kind: str) -> str:
    return sql_type(kind) or kind.lower()


def _edges(lineage: ColumnLineage | None) -> set[Edge]:
    if lineage is None:
        return set()
    own = ((out.name, it) for out in lineage.fields for it in out.inputs)
    rows = ((None, it) for it in lineage.dataset)
    return {
        (out, it.dataset, it.field, f"{it.transformation.type} {it.transformation.subtype}", it.masking)
        for out, it in (*own, *rows)
    }


def _sorted(edges: set[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda edge: (edge[0] or "", *edge[1:])))
