"""What a header says of a table's partitions, held against the table's columns."""

from collections.abc import Mapping

from governance.errors import HeadwaterError, LineageError, UnreadConstruct
from governance.partition import IDENTITY, Term, placed
from governance.pipeline import PARTITION_BY, PARTITIONS, Pipeline, header_line
from governance.statement.model import Kind, Statement
from governance.windows import parted_by


def require_parting(statement: Statement, columns: Mapping[str, str]) -> None:
    """Check that the header's terms part columns of the table, and that its partitions can be built one by one.

    Raises:
        UnreadConstruct: they do not, with the header's line.
    """
    pipeline = statement.pipeline
    try:
        terms = placed(pipeline.partition_by, columns)
    except HeadwaterError as error:
        raise _wrong(pipeline, PARTITION_BY, error) from None
    if pipeline.partitions is None:
        return
    try:
        first = parted_by(pipeline.partitions, terms)
        _require_time(first, columns)
        _require_replaced(statement)
    except HeadwaterError as error:
        raise _wrong(pipeline, PARTITIONS, error) from None


def _require_time(first: Term, columns: Mapping[str, str]) -> None:
    kind = columns[first.column]
    if first.transform == IDENTITY and kind in {"timestamp", "timestamptz"}:
        fix = f"let partition by begin with day({first.column})"
        raise HeadwaterError(f"a file for each moment of {first.column} is too many", fix=fix)
    if first.transform == IDENTITY and kind not in {"date", "unknown"}:
        fix = "let partition by begin with a column that holds a date or a timestamp"
        raise HeadwaterError(f"{first.column} is a {kind}, which is no time", fix=fix)


def _require_replaced(statement: Statement) -> None:
    if statement.kind is not Kind.REPLACE:
        table = statement.pipeline.table
        fix = f"write create table {table} as …, of which a run replaces one partition; or take the line out"
        does = "changes rows of" if statement.kind is Kind.MERGE else "adds rows to"
        raise HeadwaterError(f"a run {does} what is there, and no partition of it is made anew", fix=fix)


def _wrong(pipeline: Pipeline, word: str, error: HeadwaterError) -> LineageError:
    line = header_line(pipeline, word)
    problem = f"{word}: {error.problem}"
    return UnreadConstruct(problem, fix=error.fix, pipeline=pipeline.file, line=line, clause=word)
