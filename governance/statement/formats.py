"""Whether a query reads files by a function of the format that is declared for them."""

from collections.abc import Mapping

from governance.errors import UnreadConstruct
from governance.landing.model import Format
from governance.sources import Source
from governance.statement.model import FileRead, Statement


def require_formats(statement: Statement, sources: Mapping[str, Source]) -> None:
    """Check each reading function of the statement's query against ``sources``, which has all that it reads.

    Raises:
        UnreadConstruct: the files are declared to be of another format.
    """
    for read in statement.files:
        files = sources[read.path].files if read.path in sources else None
        if read.function and files is not None and files.format is not _format_of(read.function):
            raise _other(statement, read, files.format.value)


def _format_of(function: str) -> Format:
    from governance.statement.files import FORMATS  # noqa: PLC0415  # the SQL parser is slow to start

    return FORMATS[function]


def _other(statement: Statement, read: FileRead, declared: str) -> UnreadConstruct:
    pipeline = statement.pipeline
    line, _ = pipeline.place(statement.line + statement.query.count("\n", 0, read.span[0]))
    problem = f"{read.path} is declared as {declared}, and {read.function} reads another format"
    fix = f"write FROM '{read.path}', or mend its format in sources.toml"
    return UnreadConstruct(problem, fix=fix, pipeline=pipeline.file, line=line, clause=read.function)
