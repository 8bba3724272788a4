"""SQL text → sqlglot trees, within bounds.

sqlglot's parser is compiled and recursive, so what would exhaust the stack or the memory is turned away before it is
parsed: by the size of the text and by the nesting that its tokens show.
"""

import logging
import re
from collections.abc import Iterable
from contextvars import ContextVar
from threading import local

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from governance.errors import LimitExceeded, UnparsableSql
from governance.lineage.chains import CHAINED, with_columns
from governance.lineage.spelling import column_at, respelt, respelt_text
from governance.lineage.written import DUCKDB, with_documents, with_macros, without_marks

MAX_CHARACTERS = 2_000_000
MAX_TOKENS = 400_000
MAX_DEPTH = 150
MAX_RUN = 100

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_MARKS = ("(", "[", "{", "-", "+", "~", "not", "case", "interval")
"""Without many of these no statement is deep, and its tokens need no second look."""

_SUBSCRIPT = frozenset({TokenType.NUMBER, TokenType.STRING, TokenType.VAR, TokenType.R_BRACKET, TokenType.L_BRACKET})
"""Tokens that do not end a chain of subscripts."""


def tokenize(sql: str, dialect: Dialect) -> list[Token]:
    """Return the tokens of ``sql``.

    Raises:
        LimitExceeded: the text, its number of tokens or its nesting is beyond the bounds above.
        UnparsableSql: the text cannot be cut into tokens.
    """
    if len(sql) > MAX_CHARACTERS:
        raise LimitExceeded(
            f"the statement has {len(sql):,} characters, the limit is {MAX_CHARACTERS:,}",
            fix="load literal data from a file instead of the SQL text",
        )
    try:
        tokens = _TOKENIZERS.of(dialect).tokenize(sql)
    except TokenError as error:
        raise _unclosed(error, sql, dialect) from error
    if len(tokens) > MAX_TOKENS:
        raise LimitExceeded(f"the statement has {len(tokens):,} tokens, the limit is {MAX_TOKENS:,}", fix="split it")
    if len(tokens) > MAX_RUN and sum(map(sql.lower().count, _MARKS)) > MAX_RUN:
        _check_nesting(tokens)
    return tokens


class _Tokenizers(local):
    """A thread's tokenizers: sqlglot makes one for each text, which costs a tenth of a short one's tokens."""

    def __init__(self) -> None:
        self._made: dict[Dialect, Tokenizer] = {}

    def of(self, dialect: Dialect) -> Tokenizer:
        """Return the one of ``dialect``."""
        made = self._made.get(dialect)
        if made is None:
            made = self._made[dialect] = dialect.tokenizer()
        return made


_TOKENIZERS = _Tokenizers()


def _check_nesting(tokens: list[Token]) -> None:
    """Turn away what sqlglot's parser would recurse on too deeply, or read in quadratic time."""
    depth = prefixes = subscripts = 0
    before = None
    for token in tokens:
        kind = token.token_type
        if kind in _OPEN:
            depth += 1
        elif kind in _CLOSE:
            depth = max(depth - 1, 0)
        elif kind is TokenType.SEMICOLON:
            depth = 0
        prefixes = prefixes + 1 if kind in _PREFIX else 0
        if kind is TokenType.L_BRACKET and before is TokenType.R_BRACKET:
            subscripts += 1
        elif kind not in _SUBSCRIPT:
            subscripts = 0
        before = kind
        if depth > MAX_DEPTH or prefixes > MAX_RUN or subscripts > MAX_RUN:
            limit = (
                f"nested more than {MAX_DEPTH} deep" if depth > MAX_DEPTH else f"more than {MAX_RUN} operators in a row"
            )
            raise LimitExceeded(limit, fix="break the expression up", line=token.line, column=column_at(token))


def parse(sql: str, dialect: Dialect, macros: Iterable[str] = ()) -> list[exp.Expr]:
    """Return the trees of the statements in ``sql``, in order; ``macros`` are known beside those that it makes.

    Raises:
        LimitExceeded: beyond a bound, see ``tokenize``.
        UnparsableSql: the text is not SQL of the dialect; line and column say where.
    """
    plain = respelt(with_documents(tokenize(respelt_text(sql, dialect), dialect), sql, dialect), sql, dialect)
    tokens = with_macros(plain, sql, dialect, macros)
    quiet = _PARSING.set(True)
    try:
        trees = dialect.parser().parse(tokens, sql)
    except ParseError as error:
        raise _unparsable(error, dialect) from error
    except TokenError as error:  # hints are cut into tokens on the way
        problem = f"not {_name(dialect)} SQL: a hint cannot be cut into words"
        raise UnparsableSql(problem, fix="close every quote and comment") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:  # what it says of some broken text
        raise UnparsableSql(f"not {_name(dialect)} SQL: {error}", fix="correct the text") from error
    finally:
        _PARSING.reset(quiet)
    found = [tree for tree in trees if tree is not None]
    if tokens is not plain:
        without_marks(found)
    if type(dialect).__name__ == DUCKDB and CHAINED.search(sql):
        with_columns(found)
    return found


_PARSING: ContextVar[bool] = ContextVar("parsing", default=False)


class _Quiet(logging.Filter):
    """sqlglot logs statements that it cannot read, text and all; they are refused by name, and texts hold secrets."""

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002  the base class's
        return not _PARSING.get()


logging.getLogger("sqlglot").addFilter(_Quiet())


MISSING = re.compile(r"Missing (.+) from \d+:(\d+)", re.DOTALL)
"""What sqlglot says of a quote that is not closed: the quote, and which character of the text opens it."""


def _unclosed(error: TokenError, sql: str, dialect: Dialect) -> UnparsableSql:
    """Return that what opens somewhere is never closed: its text goes on to the end, and may hold anything."""
    found = MISSING.fullmatch(str(error.__context__))
    start = int(found[2]) if found else sql.rfind("/*")
    if not found and sql.rfind("*/") > start:
        problem = f"not {_name(dialect)} SQL: the text cannot be cut into words"
        return UnparsableSql(problem, fix="close every quote and comment")
    what = f"the quote {found[1]}" if found else "the comment"
    problem = f"not {_name(dialect)} SQL: {what} that opens here is never closed"
    fix = "close it, or the one before it" if found else "close it by */"
    line, column = sql.count("\n", 0, start) + 1, start - sql.rfind("\n", 0, start)
    return UnparsableSql(problem, fix=fix, line=line, column=column)


def _unparsable(error: ParseError, dialect: Dialect) -> UnparsableSql:
    first = error.errors[0] if error.errors else {}
    found = f" near {first['highlight']!r}" if first.get("highlight") else ""
    said = re.sub(r"<Token.*", "the end of the text", first.get("description") or str(error))
    line, end = first.get("line"), first.get("col")
    column = end - len(first.get("highlight") or "") + 1 if end else None
    return UnparsableSql(f"not {_name(dialect)} SQL: {said}{found}", fix="correct the text", line=line, column=column)


def _name(dialect: Dialect) -> str:
    return type(dialect).__name__
