"""The exception tree: every error that a user can cause says what is wrong, where, and what to do.

HeadwaterError
├── PolicyError            a policy file (governance/*.toml, sources.toml)
├── PipelineError          a pipeline file's header or path
├── EventStoreError        the event store cannot be written or read
├── CatalogError           the Iceberg catalog or a table in it
├── LandingError           a file where it lands: not there, not readable, or another one than was listed
├── EngineError            the engine refused or failed the SQL
├── UnknownField           a question about a table or column that nothing here knows
└── LineageError           SQL whose lineage cannot be read correctly; nothing has run
    ├── UnparsableSql      the text is not SQL of the dialect
    ├── UnreadStatement    a statement kind outside what is read
    ├── UnreadConstruct    a clause or function form that is not read
    ├── DynamicSql         SQL made at run time
    ├── UnknownTable       neither the catalog nor an earlier pipeline has it
    ├── UnknownColumn      the table has no such column
    ├── AmbiguousColumn    several tables have it
    ├── ColumnCountMismatch   an INSERT or column list of another length than its values
    ├── NoLineage          no lineage where there must be some
    ├── PipelineCycle      pipelines that read each other's tables in a circle
    └── LimitExceeded      the statement is beyond a bound of the engine
"""

from pathlib import Path


class HeadwaterError(Exception):
    """Base of every error that is the user's to mend: what is wrong, and what to do."""

    def __init__(self, problem: str, *, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(problem, fix)

    def where(self) -> str:
        """Return the place of the error, empty when it has none."""
        return ""

    def __str__(self) -> str:
        """Return ``where: problem; fix``."""
        text = f"{self.where()}: {self.problem}" if self.where() else self.problem
        return f"{text}; {self.fix}" if self.fix else text


class PolicyError(HeadwaterError):
    """A policy file that cannot be used: names the file, the table and the key."""

    def __init__(self, file: Path | str, key: str, problem: str, *, fix: str = "") -> None:
        self.file = str(file)
        self.key = key
        super().__init__(problem, fix=fix)

    def where(self) -> str:
        """Return ``file: key``."""
        return f"{self.file}: {self.key}" if self.key else self.file


class PipelineError(HeadwaterError):
    """A pipeline file whose path or header is wrong."""

    def __init__(self, file: Path | str, line: int | None, problem: str, *, fix: str = "") -> None:
        self.file = str(file)
        self.line = line
        super().__init__(problem, fix=fix)

    def where(self) -> str:
        """Return ``file:line``."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class EventStoreError(HeadwaterError):
    """The event store cannot be written or read; the message names the file."""


class CatalogError(HeadwaterError):
    """The Iceberg catalog, or a table in it, cannot be read or written."""


class LandingError(HeadwaterError):
    """A file where it lands cannot be listed or read, or is not what it was; the message names it by its location."""


class RowsLeftOut(LandingError):
    """The engine read files in parts and left out rows; read in one piece they are all there."""


class EngineError(HeadwaterError):
    """The engine refused or failed a statement."""


class UnknownField(HeadwaterError):
    """A question about a table or column that neither events nor catalog know."""


class LineageError(HeadwaterError):
    """SQL whose lineage cannot be read correctly; raised before anything runs.

    ``pipeline`` is a file or job name (``""`` where the SQL has none); ``line`` and ``column`` are 1-based places in
    the text given, ``None`` where the error has no single place; ``clause`` names the construct.
    """

    def __init__(
        self,
        problem: str,
        *,
        fix: str = "",
        pipeline: str = "",
        line: int | None = None,
        column: int | None = None,
        clause: str = "",
    ) -> None:
        self.pipeline = pipeline
        self.line = line
        self.column = column
        self.clause = clause
        super().__init__(problem, fix=fix)

    def where(self) -> str:
        """Return ``pipeline:line:column`` as far as it is known."""
        parts = [self.pipeline, *(str(number) for number in (self.line, self.column) if number is not None)]
        return ":".join(part for part in parts if part)


class UnparsableSql(LineageError):
    """The text is not SQL of the dialect."""


class UnreadStatement(LineageError):
    """A statement of a kind whose lineage is not read."""


class UnreadConstruct(LineageError):
    """A clause, function form or dialect construct that is not read."""


class UnknownFunction(UnreadConstruct):
    """A pipeline calls a function that neither DuckDB nor a building block has."""


class DynamicSql(LineageError):
    """SQL that is made at run time, so that no text can be read."""


class UnknownTable(LineageError):
    """A table that neither the schema nor an earlier statement has."""


class UnknownColumn(LineageError):
    """A column that its table lacks, or that no table in scope has."""


class AmbiguousColumn(LineageError):
    """An unqualified column that several tables in scope have."""


class ColumnCountMismatch(LineageError):
    """An INSERT, column list or set operation whose sides have different lengths."""


class NoLineage(LineageError):
    """No lineage where there must be some."""


class PipelineCycle(LineageError):
    """Pipelines that read each other's tables in a circle; ``tables`` are the circle's, sorted."""

    def __init__(self, problem: str, *, fix: str = "", pipeline: str = "", tables: tuple[str, ...] = ()) -> None:
        self.tables = tables
        super().__init__(problem, fix=fix, pipeline=pipeline)


class LimitExceeded(LineageError):
    """A statement beyond the engine's bound of time, size or depth; the message names the bound."""
