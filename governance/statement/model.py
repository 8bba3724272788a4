"""What a pipeline's SQL says, as values."""

from dataclasses import dataclass
from enum import Enum

from governance.block import Block
from governance.pipeline import Pipeline
from governance.scrubbed import Stretch


class Kind(Enum):
    """How a run's result goes into its table."""

    REPLACE = "create table as"
    APPEND = "insert"
    MERGE = "merge"

    @property
    def keeps(self) -> bool:
        """Whether the table keeps its columns, and rows of earlier runs."""
        return self is not Kind.REPLACE


@dataclass(frozen=True, slots=True)
class FileRead:
    """A place in a query that reads files.

    path:    as the SQL writes it, which is the dataset's name
    options: (name, SQL text of the value) that a reading function is given there; none where the path stands alone
    span:    the first and past-the-last character of the call, or of the path, in ``Statement.query``
    function: the reading function in lower case, empty where the path stands alone
    """

    path: str
    options: tuple[tuple[str, str], ...]
    span: tuple[int, int]
    function: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """The one write of a pipeline.

    query:    the SELECT to run, of a MERGE all of it, as it stands in the file but for ``$doc``, which has its quotes
    line:     where ``query`` begins in the file, 1-based
    column:   the same
    columns:  an INSERT's explicit column list; empty where it has none
    declared: (name, SQL type) of a leading CREATE TABLE IF NOT EXISTS of the same table; empty where there is none
    reads:    the tables and datasets of files read, sorted, its own among them where the query reads it, as a MERGE
              does; through views and macros too, so that each is one that the catalog or a declaration has; a file's
              kinds of record come after it, as declared
    span:     the write's first and past-the-last character in the file
    files:    the places of ``query`` that read files, in order
    setup:    the macros and views that the query needs, as an engine runs them, each after those that it builds on
    block_files: the datasets of files that ``setup`` reads by these names, as declared, in order
    guarded:  the stretches of the file's text that may hold secrets or data, as ``sqltext`` finds them; None where it
              cannot tell
    """

    pipeline: Pipeline
    kind: Kind
    query: str
    line: int
    column: int
    columns: tuple[str, ...]
    declared: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]
    span: tuple[int, int]
    files: tuple[FileRead, ...] = ()
    setup: tuple[Block, ...] = ()
    block_files: tuple[str, ...] = ()
    guarded: tuple[Stretch, ...] | None = None

    @property
    def upstream(self) -> frozenset[str]:
        """The tables that must be built before it: what it reads but its own table."""
        return frozenset(self.reads) - {self.pipeline.table}

    @property
    def needs(self) -> frozenset[str]:
        """The tables whose columns lineage asks for: those read, its own where that stays; not what it declares."""
        own = frozenset({self.pipeline.table})
        read = frozenset(self.reads) | (own if self.kind.keeps else frozenset())
        return read - own if self.declared else read
