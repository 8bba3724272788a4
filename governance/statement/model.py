"""What a pipeline's SQL says, as values."""

from dataclasses import dataclass
from enum import Enum

from governance.pipeline import Pipeline


class Kind(Enum):
    """How a run's result goes into its table."""

    REPLACE = "create table as"
    APPEND = "insert"


@dataclass(frozen=True, slots=True)
class Statement:
    """The one write of a pipeline.

    query:    the SELECT to run, as it stands in the file
    line:     where ``query`` begins in the file, 1-based
    column:   the same
    columns:  an INSERT's explicit column list; empty where it has none
    declared: (name, SQL type) of a leading CREATE TABLE IF NOT EXISTS of the same table; empty where there is none
    reads:    the tables read, sorted, its own among them where the query reads it
    span:     the write's first and past-the-last character in the file
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

    @property
    def upstream(self) -> frozenset[str]:
        """The tables that must be built before it: what it reads but its own table."""
        return frozenset(self.reads) - {self.pipeline.table}

    @property
    def needs(self) -> frozenset[str]:
        """The tables whose columns lineage asks for: those read, an INSERT's own too; not what it declares itself."""
        own = frozenset({self.pipeline.table})
        read = frozenset(self.reads) | (own if self.kind is Kind.APPEND else frozenset())
        return read - own if self.declared else read
