"""All pipelines read at once, before anything runs: what can run, in which order, and what cannot be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from governance.engines import DUCKDB, SPARK
from governance.errors import HeadwaterError, LineageError, PipelineCycle, PipelineError, UnreadStatement
from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.sources import Source
from governance.statement.columns import columns_of
from governance.statement.formats import require_formats
from governance.statement.model import Kind, Statement
from governance.statement.order import layers, ordered, unknown_table
from governance.statement.reading import PLAIN, Reading, Trace
from governance.uncollected import swept

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Program:
    """The pipelines of a project as far as text alone tells.

    statements: what can be read, in an order in which it can run
    unreadable: by table, why a pipeline cannot be read
    schemas:    by table, name → SQL type of each column, of the sources and of every statement whose inputs are known;
                a type that only running tells is ``trace.UNKNOWN``
    lineages:   by table, the column lineage of every statement whose inputs are known, as of these texts
    """

    statements: tuple[Statement, ...]
    unreadable: Mapping[str, HeadwaterError]
    schemas: Mapping[str, Mapping[str, str]]
    lineages: Mapping[str, ColumnLineage] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def undetermined(self) -> frozenset[str]:
        """The tables whose coming columns are not known: what cannot be read, and what is built from that."""
        waiting = (it for it in self.statements if it.kind is Kind.REPLACE)
        return frozenset(self.unreadable) | frozenset(it.pipeline.table for it in waiting) - self.schemas.keys()


EMPTY = Program((), MappingProxyType({}), MappingProxyType({}))


def read_program(
    pipelines: Iterable[Pipeline],
    sources: Iterable[Source],
    *,
    masking_functions: frozenset[str] = frozenset(),
    like: Program = EMPTY,
    engine: str = DUCKDB,
    reading: Reading = PLAIN,
) -> Program:
    """Return all pipelines read against the declared sources. One that cannot be read leaves the others standing.

    A statement that reads an unreadable pipeline's table is in order all the same: the table may be there from an
    earlier run, and the statement's own run looks. What is in ``like``, a program read with the same masking functions,
    with the same text and the same columns of all that it reads, is taken from there and not read again.

    ``engine`` runs the pipelines whose header names none; SQL that that engine may read otherwise is unreadable.
    ``reading`` reads the texts, and may remember what it read.
    """
    declared = {source.table: source for source in sources}
    schemas: dict[str, Mapping[str, str]] = {it.table: dict(it.columns) for it in declared.values()}
    unreadable: dict[str, HeadwaterError] = {}
    pipelines = tuple(pipelines)
    standing = _in_order(_parsed(pipelines, declared, unreadable, like, reading), frozenset(schemas), unreadable)
    lineages: dict[str, ColumnLineage] = {}
    known = {it.pipeline.table: it for it in like.statements}
    for layer in layers(standing):
        reading.at_hand([it for it in layer if it.needs <= schemas.keys()], schemas, masking_functions)
        for statement in swept(layer):
            try:
                if known.get(statement.pipeline.table) is statement and _same_inputs(statement, schemas, like):
                    _take_from(like, statement.pipeline.table, schemas, lineages)
                else:
                    _trace_into(schemas, lineages, statement, masking_functions, reading.trace)
                if (statement.pipeline.engine or engine) == SPARK:
                    _require_spark(statement, schemas)
            except LineageError as error:
                unreadable[statement.pipeline.table] = error
    unreadable = _at_their_place(unreadable, {it.file: it.table for it in pipelines})
    readable = tuple(it for it in standing if it.pipeline.table not in unreadable)
    return Program(readable, _sorted(unreadable), _sorted(schemas), _sorted(lineages))


def _sorted(by_table: Mapping[str, T]) -> Mapping[str, T]:
    return MappingProxyType(dict(sorted(by_table.items())))


def _at_their_place(unreadable: Mapping[str, HeadwaterError], tables: Mapping[str, str]) -> dict[str, HeadwaterError]:
    """Return the errors, in place of each that is in another pipeline's file, which is included, that one's own.

    ``tables`` are the pipelines' by their files.
    """
    found: dict[str, HeadwaterError] = {}
    for table, error in unreadable.items():
        file = error.pipeline if isinstance(error, LineageError) else getattr(error, "file", "")
        found[table] = unreadable.get(tables.get(file, ""), error)
    return found


def _parsed(
    pipelines: tuple[Pipeline, ...],
    sources: Mapping[str, Source],
    unreadable: dict[str, HeadwaterError],
    like: Program,
    reading: Reading,
) -> tuple[Statement, ...]:
    """Return the statements that can be parsed and whose tables exist, and note why the others do not stand."""
    written = {pipeline.table for pipeline in pipelines}
    known = {statement.pipeline: statement for statement in like.statements}
    parsed: list[Statement] = []
    reading.coming([it for it in pipelines if it not in known] if known else pipelines)
    for pipeline in swept(pipelines):
        try:
            if pipeline.table in sources:
                raise _declared_source(pipeline)
            statement = known.get(pipeline) or reading.parse(pipeline)
            for table in statement.reads:
                if table not in written and table not in sources:
                    raise unknown_table(statement, table, (*written, *sources))
            require_formats(statement, sources)
            parsed.append(statement)
        except (LineageError, PipelineError) as error:
            unreadable[pipeline.table] = error
    return tuple(parsed)


def _in_order(
    statements: tuple[Statement, ...], sources: frozenset[str], unreadable: dict[str, HeadwaterError]
) -> tuple[Statement, ...]:
    """Return the statements in order, the members of a circle taken out and noted."""
    try:
        return ordered(statements, sources | unreadable.keys())
    except PipelineCycle as error:
        unreadable |= dict.fromkeys(error.tables, error)
        rest = tuple(it for it in statements if it.pipeline.table not in unreadable)
        return _in_order(rest, sources, unreadable)


def _trace_into(
    schemas: dict[str, Mapping[str, str]],
    lineages: dict[str, ColumnLineage],
    statement: Statement,
    masking_functions: frozenset[str],
    trace: Trace,
) -> None:
    """Add the lineage and the columns of the statement's table where the columns of all that it needs are there."""
    if statement.needs <= schemas.keys():
        lineage = trace(statement, schemas, masking_functions=masking_functions)
        lineages[statement.pipeline.table] = lineage
        schemas[statement.pipeline.table] = columns_of(statement, lineage, schemas)


def _require_spark(statement: Statement, schemas: Mapping[str, Mapping[str, str]]) -> None:
    from governance.statement.spark import require_spark  # noqa: PLC0415  # the SQL parser is slow to start

    require_spark(statement, schemas)


def _same_inputs(statement: Statement, schemas: Mapping[str, Mapping[str, str]], like: Program) -> bool:
    """Whether what the statement needs has the columns, in the order, that it had in ``like``."""
    return all(
        table in schemas and table in like.schemas and [*schemas[table].items()] == [*like.schemas[table].items()]
        for table in statement.needs
    )


def _take_from(
    like: Program, table: str, schemas: dict[str, Mapping[str, str]], lineages: dict[str, ColumnLineage]
) -> None:
    """Take over what was read of the same text over the same columns."""
    lineages[table], schemas[table] = like.lineages[table], like.schemas[table]


def _declared_source(pipeline: Pipeline) -> LineageError:
    fix = "take it out of sources.toml, or name the pipeline otherwise"
    return UnreadStatement(f"{pipeline.table} is a declared source", fix=fix, pipeline=pipeline.file)
