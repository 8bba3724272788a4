"""A pipeline's text as tokens, and its places as errors say them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import LineageError
from governance.lineage import parse
from governance.pipeline import Pipeline

DIALECT = "duckdb"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one pipeline and the name that its errors bear."""

    pipeline: Pipeline

    def place(self, start: int) -> tuple[int, int]:
        """Return the 1-based line and column of the character ``start`` of the SQL; errors tell ``located`` ones."""
        before = self.pipeline.sql[:start]
        return before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1

    def wrong(self, error: type[LineageError], start: int, problem: str, *, fix: str, clause: str = "") -> LineageError:
        """Return ``error`` with ``problem`` at the character ``start``."""
        line, column = self.place(start)
        return located(error(problem, fix=fix, line=line, column=column, clause=clause), self.pipeline)

    def words(self, start: int, end: int) -> str:
        """Return the text from ``start`` up to ``end``, its blanks made one."""
        return " ".join(self.pipeline.sql[start:end].split())

    def only(self, start: int, end: int) -> str:
        """Return the text up to ``end`` with all before ``start`` blanked, so that its places are the file's."""
        before = "".join(char if char == "\n" else " " for char in self.pipeline.sql[:start])
        return before + self.pipeline.sql[start:end]

    def statements(self) -> Iterator[Sequence[Token]]:
        """Yield each statement's tokens without its semicolon; empty statements are left out."""
        return statements_of(self.tokens())

    def tree(self, start: int, end: int, macros: Iterable[str] = ()) -> exp.Expr:
        """Return the syntax tree of what stands between ``start`` and ``end``; ``macros`` are called in it."""
        try:
            (tree,) = parse.parse(self.only(start, end), Dialect.get_or_raise(DIALECT), macros)
        except LineageError as error:
            located(error, self.pipeline)
            raise
        return tree

    def tokens(self) -> Sequence[Token]:
        """Return all tokens of the text."""
        try:
            return parse.tokenize(self.pipeline.sql, Dialect.get_or_raise(DIALECT))
        except LineageError as error:
            located(error, self.pipeline)
            raise


def statements_of(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield each statement's tokens, see ``Text.statements``."""
    start = 0
    for end in (*(n for n, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON), len(tokens)):
        if end > start:
            yield tokens[start:end]
        start = end + 1


def located(error: LineageError, pipeline: Pipeline) -> LineageError:
    """Give ``error``, whose place is in the pipeline's SQL, its place in the pipeline's file, and return it.

    One that has a file already is of a building block, and keeps its place.
    """
    if error.pipeline:
        return error
    error.pipeline = pipeline.file
    if error.line is not None:
        error.line, error.column = pipeline.place(error.line, error.column)
    return error
