"""A place in the tokens of a statement that is read by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import LineageError, UnreadConstruct
from governance.statement.text import Text


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a statement's tokens; moving it gives another cursor."""

    text: Text
    tokens: Sequence[Token]
    at: int = 0

    @property
    def start(self) -> int:
        """The character where the next token begins; the statement's end where none is left."""
        return self.tokens[self.at].start if self.at < len(self.tokens) else self.tokens[-1].end + 1

    @property
    def said(self) -> str:
        """The next token as it stands, or that there is none."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else "nothing"

    def word(self, ahead: int = 0) -> str:
        """Return the next token in upper case, empty at the end or where it is quoted."""
        index = self.at + ahead
        if index >= len(self.tokens) or self.tokens[index].token_type in (TokenType.IDENTIFIER, TokenType.STRING):
            return ""
        return self.tokens[index].text.upper()

    def moved(self, count: int) -> "Cursor":
        """Return the cursor ``count`` tokens on."""
        return replace(self, at=self.at + count)

    def after(self, *words: str) -> "Cursor | None":
        """Return the cursor past ``words`` where they come next, else None."""
        there = all(self.word(ahead) == word for ahead, word in enumerate(words))
        return self.moved(len(words)) if there else None

    def until(self, *words: str) -> "Cursor":
        """Return the cursor at the first of ``words`` that stands in no brackets and no CASE, else at the end."""
        at, depth = self.at, 0
        while at < len(self.tokens):
            word = replace(self, at=at).word()
            if depth == 0 and word in words:
                break
            depth += NESTING.get(word, 0)
            at += 1
        return replace(self, at=at)

    def wrong(self, error: type[LineageError], problem: str, *, fix: str, clause: str = "") -> LineageError:
        """Return ``error`` at the next token."""
        return self.text.wrong(error, self.start, problem, fix=fix, clause=clause)


NESTING = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1, "CASE": 1, "END": -1}


def names(cursor: Cursor) -> tuple[tuple[str, ...], Cursor]:
    """Return the names up to the closing parenthesis, and the cursor past it.

    Raises:
        UnreadConstruct: it is no list of names.
    """
    found: list[str] = []
    while cursor.at < len(cursor.tokens):
        found.append(cursor.tokens[cursor.at].text)
        if cursor.word(1) not in (",", ")"):
            break
        if cursor.word(1) == ")":
            return tuple(found), cursor.moved(2)
        cursor = cursor.moved(2)
    raise cursor.wrong(UnreadConstruct, "a list of column names is expected", fix="write (first, second)")
