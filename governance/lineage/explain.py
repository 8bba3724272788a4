"""The text that made each edge: lineage once more, with every place that names a column carried along as a source.

A place is a source beside the fields, so it takes the ways that the column it names takes, and the engine need
not know. What the place held (``Place.held``) and how it reached the output then say which edges went through it: the
edges themselves are those of ``column_lineage``, whatever is noted beside them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sqlglot import exp

from governance.block import Block
from governance.errors import LimitExceeded
from governance.lineage.clauses import Clauses
from governance.lineage.columns import Column
from governance.lineage.ctes import filled
from governance.lineage.dialects import rules_for
from governance.lineage.edges import AS_IS, CARRIED, TRANSFORMATIONS, Deps, Source, field_of, inputs, unknown, unmixed
from governance.lineage.model import ColumnLineage, Explanation, InputField, Span, Use
from governance.lineage.names import table_parts
from governance.lineage.parse import parse, tokenize
from governance.lineage.prelude import after
from governance.lineage.script import read_script
from governance.lineage.session import Session
from governance.lineage.spelling import respelt_text
from governance.lineage.tables import Tables
from governance.lineage.trace import Settings, refusing, session_over

MAX_NOTED = 400_000
"""Sources that may be carried through all places of one text together: beyond it nothing is explained."""


def explain(
    sql: str,
    schema: Mapping[str, Mapping[str, str]],
    *,
    dialect: str = "duckdb",
    default_schema: str | None = None,
    masking_functions: frozenset[str] = frozenset(),
    prelude: tuple[Block, ...] = (),
) -> tuple[Explanation, ...]:
    """Return which text made each edge of ``sql``, parallel to ``column_lineage`` of the same arguments.

    A column is marked where it is named, with its qualifier; where no name stands for it, the star, COLUMNS or USING
    that does; of a whole row its table; where only a table is named (NATURAL JOIN, PIVOT's other columns), the table.
    What is named within a block of ``prelude`` is in another text, and is not told.

    Raises:
        LineageError: as ``column_lineage`` does.
        LimitExceeded: also beyond :data:`MAX_NOTED`.
    """
    _, parser = rules_for(dialect)
    fields = Noting()
    settings = Settings(dialect, default_schema, masking_functions, prelude)
    session = session_over(sql, schema, fields.inputs, settings, fields.mark)
    with refusing():
        session = after(prelude, session)
        trees = parse(sql, parser, session.macros)
        lineages = read_script(trees, session)
        clauses = Clauses(sql, tokenize(respelt_text(sql, parser), parser))
        uses = _Uses(session, fields, clauses, _tables(trees, session.tables))
        told = iter(fields.told)
        return tuple(_explained(lineage, uses, told) for lineage in lineages)


def _explained(lineage: ColumnLineage, uses: "_Uses", told: Iterator[Deps]) -> Explanation:
    """``told`` gives the sources of each field, then of the rows, as the lineage was made from them."""
    edges = [(out.name, out.inputs) for out in lineage.fields] + [(None, lineage.dataset)]
    each = zip(edges, told, strict=False)  # the next output's sources follow
    return Explanation(
        lineage.output, tuple(use for (name, inputs), deps in each for use in uses.of(name, inputs, deps))
    )


class Place(NamedTuple):
    """A stretch of the text that names a column, and what that column held; ``steps`` as in ``Use``."""

    span: Span
    held: Deps
    steps: int


class Noting:
    """The places among the sources."""

    __slots__ = ("noted", "places", "told")

    def __init__(self) -> None:
        self.places: dict[Source, Place] = {}
        self.told: list[Deps] = []
        self.noted = 0

    def inputs(self, deps: Deps) -> tuple[InputField, ...]:
        """See ``edges``: whatever is asked for is an output's, so it is kept with its places."""
        self.told.append(deps)
        places = self.places
        return inputs({source: bits for source, bits in deps.items() if source not in places})

    def mark(self, at: exp.Expr, column: Column) -> Column:
        """Return ``column`` with the place of ``at`` among its sources.

        Raises:
            LimitExceeded: too much is noted.
        """
        span = span_of(at)
        if span is None or not column.deps:
            return column
        places = self.places
        self.noted += len(column.deps)
        if self.noted > MAX_NOTED:
            raise LimitExceeded("too many columns are named to tell where each came from", fix="split the statement")
        steps = max((self._steps(source) for source in column.deps if not field_of(source)[0]), default=0)
        place = unknown()
        places[place] = Place(span, column.deps, steps)
        members = column.members
        if members is not None:
            members = {key: self.mark(at, member) for key, member in members.items()}
        return column._replace(deps={**column.deps, place: AS_IS}, members=members)

    def _steps(self, source: Source) -> int:
        """A place is one step further than what it names; so is an unknown of a recursive CTE, which is of no table."""
        place = self.places.get(source)
        return 1 if place is None else place.steps + 1


def span_of(tree: exp.Expr) -> Span | None:
    """Return where the name, star or COLUMNS ``tree`` stands, its qualifier included; None where no text shows it."""
    parts = [tree, *(part for part in tree.args.values() if isinstance(part, exp.Expr))]
    if tree.__class__ is exp.Dot:
        parts = [part for part in tree.walk() if part.__class__ in {exp.Identifier, exp.Star}]
    elif tree.args.get("this").__class__ is exp.Parameter:
        parts += [part for part in tree.args["this"].args.values() if isinstance(part, exp.Expr)]
    metas = [part.meta for part in parts if "start" in part.meta]
    if tree.__class__ is exp.Columns:
        metas = metas[:1]
    return (min(m["start"] for m in metas), max(m["end"] for m in metas) + 1) if metas else None


Edge: TypeAlias = tuple[str, str, int]
"""Dataset, field and transformation's number."""


def _tables(trees: Sequence[exp.Expr], tables: Tables) -> Mapping[str, Span]:
    """Where each table of the schema is first named."""
    found: dict[str, Span] = {}
    for tree in trees:
        for table in tree.find_all(exp.Table):
            parts = table_parts(table) if isinstance(table.args["this"], exp.Identifier | exp.Dot) else []
            key = tables.find(tuple(part.args["this"] for part in parts)) if parts else None
            metas = [part.meta for part in parts if "start" in part.meta]
            if isinstance(key, str) and metas:
                found.setdefault(key, (min(m["start"] for m in metas), max(m["end"] for m in metas) + 1))
    return found


class _Uses:
    """The uses of one output's edges."""

    def __init__(self, session: Session, fields: Noting, clauses: Clauses, tables: Mapping[str, Span]) -> None:
        self._session = session
        self._fields = fields
        self._clauses = clauses
        self._tables = tables

    def of(self, field: str | None, inputs: Sequence[InputField], deps: Deps) -> Iterator[Use]:
        """Yield what made the edges ``inputs`` of one field, or of the rows, whose sources and places are ``deps``."""
        self._session.tick()
        ways = self._ways(deps)
        for given in inputs:
            edge = given.dataset, given.field, TRANSFORMATIONS.index(given.transformation)
            steps = ways.get(edge)
            if steps is None:
                table = self._tables.get(given.dataset)
                steps = {} if table is None else {table: 0}
            pieces = self._clauses.holding(steps)
            for piece in sorted(pieces, key=lambda it: (min(steps[span] for span in pieces[it]), it)):
                spans = pieces[piece]
                expression, marks = self._clauses.shown(piece, spans)
                if marks:
                    yield Use(field, given, expression, marks, min(steps[span] for span in spans))

    def _ways(self, deps: Deps) -> Mapping[Edge, Mapping[Span, int]]:
        """Return the places that each edge went through, with their steps."""
        places = self._fields.places
        ways: dict[Edge, dict[Span, int]] = defaultdict(dict)
        for source, bits in deps.items():
            place = places.get(source)
            if place is None:
                continue
            held = self._held(place.held)
            for hop, _ in unmixed(bits):
                for origin, inner in held.items():
                    if origin not in places:
                        for kind, _ in unmixed(CARRIED[hop][inner]):
                            spans = ways[*field_of(origin), kind]
                            spans[place.span] = min(place.steps, spans.get(place.span, place.steps))
        return ways

    def _held(self, deps: Deps) -> Deps:
        """Return ``deps`` with what the unknowns of recursive CTEs turned out to hold; such a CTE may be in another."""
        solved = self._session.solved
        while solved and not solved.keys().isdisjoint(deps):
            deps = filled(deps, solved)
        return deps
