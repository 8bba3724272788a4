"""Statement → ColumnLineage, and the columns that follow from it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache

from governance import lineage as engine
from governance.errors import LineageError, NoLineage, UnknownColumn, UnknownTable
from governance.lineage.explain import explain as explained
from governance.lineage.model import ColumnLineage, Explanation
from governance.pipeline import header_line
from governance.statement.columns import UNKNOWN as UNKNOWN  # noqa: PLC0414  # who traces needs it too
from governance.statement.columns import columns_of
from governance.statement.model import Statement
from governance.statement.order import place_of
from governance.statement.parting import require_parting
from governance.statement.text import DIALECT, Text, located
from governance.template.explained import at_home


def trace(
    statement: Statement,
    schema: Mapping[str, Mapping[str, str]],
    *,
    masking_functions: frozenset[str] = frozenset(),
) -> ColumnLineage:
    """Return the statement's lineage; its output is the pipeline's table.

    ``schema`` maps each table that may be read to its columns and their SQL types, in the table's order; an INSERT's
    own table is taken from there, or as the pipeline declares it. ``masking_functions`` are the team's own.

    Raises:
        LineageError: the lineage cannot be read correctly; it names the pipeline's file and the place.
    """
    pipeline = statement.pipeline
    if pipeline.table in statement.needs - schema.keys():
        raise _no_own_table(statement, "is not in the catalog, and the pipeline does not declare it")
    named = {*statement.reads, pipeline.table}
    if not schema.keys() >= {*statement.reads}:
        return _trace(statement, schema, masking_functions)
    given = tuple((table, tuple(schema[table].items())) for table in sorted(named & schema.keys()))
    return _remembered(statement, given, masking_functions)


@lru_cache(maxsize=4096)
def _remembered(
    statement: Statement, given: tuple[tuple[str, tuple[tuple[str, str], ...]], ...], masking_functions: frozenset[str]
) -> ColumnLineage:
    """Return the lineage of a text over columns that may have been asked for before: that costs a hash, not a parse."""
    return _trace(statement, {table: dict(columns) for table, columns in given}, masking_functions)


def _trace(
    statement: Statement, schema: Mapping[str, Mapping[str, str]], masking_functions: frozenset[str]
) -> ColumnLineage:
    pipeline = statement.pipeline
    known = {pipeline.table: dict(statement.declared)} if statement.declared else {}
    try:
        found = engine.column_lineage(
            Text(pipeline).only(*statement.span),
            {**known, **schema},
            dialect=DIALECT,
            masking_functions=masking_functions,
            prelude=pipeline.blocks,
        )
    except LineageError as error:
        located(error, pipeline)
        raise
    if len(found) != 1 or found[0].output != pipeline.table:
        outputs = ", ".join(str(lineage.output) for lineage in found) or "nothing"
        problem = f"lineage of {pipeline.table} is expected, and {outputs} was found"
        raise NoLineage(problem, fix="please report this pipeline", pipeline=pipeline.file, line=statement.line)
    lineage = replace(found[0], inputs=tuple(sorted(found[0].inputs, key=_order(statement))))
    columns = columns_of(statement, lineage, schema)
    _require_grain(statement, columns)
    require_parting(statement, columns)
    return lineage


def _order(statement: Statement) -> Callable[[str], tuple[int, str]]:
    """Return the order of the statement's inputs, which is that of what it reads."""
    place = {name: number for number, name in enumerate(statement.reads)}
    return lambda name: (place.get(name, -1), name)


def explain(
    statement: Statement,
    schema: Mapping[str, Mapping[str, str]],
    shown: Callable[[str], str],
    *,
    masking_functions: frozenset[str] = frozenset(),
) -> Explanation | None:
    """Return the text that made the edges of the statement's lineage, None where that cannot be told.

    ``shown`` gives SQL as it may be shown: what is explained is that text, so that every place in it is right. The
    other arguments are those of ``trace``.
    """
    pipeline = statement.pipeline
    known = {pipeline.table: dict(statement.declared)} if statement.declared else {}
    text = shown(Text(pipeline).only(*statement.span))
    try:
        found = explained(
            text,
            {**known, **schema},
            dialect=DIALECT,
            masking_functions=masking_functions,
            prelude=pipeline.blocks,
        )
    except LineageError:  # lineage was read before: what is too large to explain runs all the same
        return None
    return at_home(found[0], pipeline) if [it.output for it in found] == [pipeline.table] else None


def _require_grain(statement: Statement, columns: Iterable[str]) -> None:
    """Check that the header's grain names columns of the table, in whatever case."""
    pipeline = statement.pipeline
    spelt = {name.lower(): name for name in columns}
    for name in pipeline.grain:
        if name.lower() not in spelt:
            near = get_close_matches(name.lower(), sorted(spelt), 1)
            raise UnknownColumn(
                f"the grain names {name}, and {pipeline.table} has no such column",
                fix=f"did you mean {spelt[near[0]]}?" if near else f"name some of {', '.join(spelt.values())}",
                pipeline=pipeline.file,
                line=header_line(pipeline, "grain"),
                clause="grain",
            )


def without_columns(statement: Statement, schema: Mapping[str, Mapping[str, str]]) -> LineageError:
    """Return why texts alone do not tell the statement's lineage, for want of the columns of a table that it needs."""
    table = statement.pipeline.table
    if table in statement.needs - schema.keys():
        return _no_own_table(statement, "is not declared by its pipeline, and the catalog is not asked here")
    missing = min(statement.needs - schema.keys())
    file, line, column = place_of(statement, missing)
    problem = f"the columns of {missing} are not known"
    fix = "correct the pipeline that builds it"
    return UnknownTable(problem, fix=fix, pipeline=file, line=line, column=column)


def _no_own_table(statement: Statement, problem: str) -> LineageError:
    table = statement.pipeline.table
    return UnknownTable(
        f"{table} {problem}",
        fix=f"begin the file with create table if not exists {table} (name type, …);",
        pipeline=statement.pipeline.file,
        line=statement.line,
        column=statement.column,
    )
