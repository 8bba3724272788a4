"""A building block of SQL: what several pipelines share, and no table keeps."""

from dataclasses import dataclass
from enum import Enum


class BlockKind(Enum):
    """What a block is."""

    MACRO = "macro"
    """A DuckDB macro, of a value or of rows."""
    VIEW = "view"
    """A view, or a pipeline that another one includes: its query stands for its name."""
    FILE = "file"
    """A file whose datasets are several: its name stands for them; the engine makes it of the file's declaration."""


@dataclass(frozen=True, slots=True)
class Block:
    """One ``CREATE MACRO`` or ``CREATE VIEW``, and where it is written.

    name: what SQL calls it, in lower case but for files: ``cents``, ``staging.orders``, ``landing/payments.txt``
    file: as it may be shown; ``line`` is where the statement begins in it, 1-based
    sql:  the one statement, without semicolon
    origin: the file's line for each line of ``sql``, where they do not follow each other as a template's do not
    """

    name: str
    kind: BlockKind
    file: str
    line: int
    sql: str
    origin: tuple[int, ...] = ()

    def at(self, line: int) -> int:
        """Return the file's line for a line of ``sql``, both 1-based."""
        return self.origin[line - 1] if 1 <= line <= len(self.origin) else self.line + line - 1
