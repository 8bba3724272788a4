"""What an engine is asked for a statement, and what it says of that, at the place in the user's file."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from governance.block import Block
from governance.events.redact import redact_error, secrets_of
from governance.statement import Kind, Statement
from governance.statement.merged import Merged, merged
from platform_assets.engines.engine import Query, QueryError
from platform_assets.iceberg.catalog import schema_of
from platform_assets.runs.run import Traced


@dataclass(frozen=True, slots=True)
class Asked:
    """The SELECT that an engine runs; ``merge`` is what it was made of where the statement is a MERGE."""

    query: Query
    merge: Merged | None = None


def asked(traced: Traced, spliced: str) -> Asked:
    """Return the SELECT at its place in the file, cast by position where the table keeps its columns.

    ``spliced`` is the statement's query with names of relations where it reads files.

    Raises:
        LineageError: of a MERGE that does not fit the columns of its table.
    """
    statement = traced.statement
    text = "\n" * (statement.line - 1) + " " * (statement.column - 1) + spliced
    query = Query(text, statement.pipeline.file, setup=tuple(block.sql for block in statement.setup))
    if statement.kind is Kind.REPLACE:
        return Asked(query)
    columns = schema_of(traced.own) if traced.own else dict(statement.declared)
    spelt = {name.lower(): name for name in columns}
    listed = [spelt[name.lower()] for name in statement.columns] or list(columns)
    query = replace(query, into=tuple((name, columns[name]) for name in listed))
    if statement.kind is Kind.APPEND:
        return Asked(query)
    merge = merged(statement, spliced, traced.schema | {statement.pipeline.table: columns})
    return Asked(replace(query, text=merge.text), merge)


@contextmanager
def shown(statement: Statement, of: Asked) -> Iterator[None]:
    """Raise the engine's errors anew without the values that they quote: whoever reads logs may not read the table."""
    try:
        yield
    except QueryError as error:
        if error.setup is not None:
            raise _of_block(statement.setup[error.setup], error) from None
        raise _of_query(statement, of.merge, error) from None


def _of_query(statement: Statement, merge: Merged | None, error: QueryError) -> QueryError:
    pipeline = statement.pipeline

    def place(line: int) -> int:
        # what a template wrote is run, and the template is what can be mended
        return pipeline.place(merge.line_of(line) if merge else line)[0]

    if merge and merge.twice in error.problem:
        said = redact_error(merge.twice, pipeline.sql, secrets_of())
        return QueryError(said, file=error.file, line=pipeline.place(merge.line)[0], fix=merge.fix)
    line = None if error.line is None else place(error.line)
    return QueryError(_without_data(error, pipeline.sql, place), file=error.file, line=line, fix=error.fix)


def _of_block(block: Block, error: QueryError) -> QueryError:
    """Return why the engine made no macro or view of ``block``, by its place."""
    problem = f"{block.kind.value} {block.name}: {_without_data(error, block.sql, block.at)}"
    return QueryError(problem, file=block.file, line=block.at(error.line or 1), fix=error.fix)


def _without_data(error: QueryError, sql: str, line: Callable[[int], int]) -> str:
    """Return the error's text without the values of ``sql``, with the file's line for each line of it."""
    shown = redact_error(error.problem, sql, secrets_of())
    shown = re.sub(r"\s*LINE \d+\s*$", "", shown)
    return re.sub(r"^LINE (\d+):", lambda it: f"LINE {line(int(it[1]))}:", shown, flags=re.MULTILINE)
