"""SQL text → sqlglot trees, within bounds.

sqlglot's parser is compiled and recursive, so what would exhaust the stack or the memory is turned away before it is
parsed: by the size of the text and by the nesting that its tokens show.
"""

import logging
import re
from contextvars import ContextVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import LimitExceeded, UnparsableSql
from governance.lineage.session import MAX_COLUMNS

MAX_CHARACTERS = 2_000_000
MAX_TOKENS = 400_000
MAX_DEPTH = 150
MAX_RUN = 100

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_MARKS = ("(", "[", "{", "- ", "--", "-(", "+", "~", "not", "case", "interval")
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
        tokens = dialect.tokenize(sql)
    except TokenError as error:
        raise UnparsableSql(f"not {_name(dialect)} SQL: {error}", fix="close every quote and comment") from error
    if len(tokens) > MAX_TOKENS:
        raise LimitExceeded(f"the statement has {len(tokens):,} tokens, the limit is {MAX_TOKENS:,}", fix="split it")
    if sum(map(sql.lower().count, _MARKS)) > MAX_RUN:
        _check_nesting(tokens)
    return tokens


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
            raise LimitExceeded(limit, fix="break the expression up", line=token.line, column=_column(token))


def _column(token: Token) -> int:
    """Sqlglot counts to a token's last character."""
    return max(token.col - (token.end - token.start), 1)


def parse(sql: str, dialect: Dialect) -> list[exp.Expr]:
    """Return the trees of the statements in ``sql``, in order.

    Raises:
        LimitExceeded: beyond a bound, see ``tokenize``.
        UnparsableSql: the text is not SQL of the dialect; line and column say where.
    """
    tokens = tokenize(_respelt(sql, dialect), dialect)
    if "pivot" in sql.lower():
        tokens = _selected(tokens)
    quiet = _PARSING.set(True)
    try:
        trees = dialect.parser().parse(tokens, sql)
    except ParseError as error:
        raise _unparsable(error, dialect) from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:  # what it says of some broken text
        raise UnparsableSql(f"not {_name(dialect)} SQL: {error}", fix="correct the text") from error
    finally:
        _PARSING.reset(quiet)
    return [tree for tree in trees if tree is not None]


_PARSING: ContextVar[bool] = ContextVar("parsing", default=False)


class _Quiet(logging.Filter):
    """sqlglot logs statements that it cannot read, text and all; they are refused by name, and texts hold secrets."""

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002  the base class's
        return not _PARSING.get()


logging.getLogger("sqlglot").addFilter(_Quiet())


def _selected(tokens: list[Token]) -> list[Token]:
    """Put ``SELECT * FROM (…)`` around a PIVOT or UNPIVOT that is the body of a CREATE or INSERT.

    sqlglot reads such a statement as an opaque command; the query means the same, and no token moves.
    """
    pivots = [n for n in range(len(tokens)) if tokens[n].token_type in _PIVOTS]
    for number in pivots:
        _check_product(tokens, number)
    found = [n for n in pivots if n > 1 and _is_body(tokens, n)]
    for start in reversed(found):
        end = start
        while end < len(tokens) and tokens[end].token_type is not TokenType.SEMICOLON:
            end += 1
        at = tokens[start]
        before = [_token(kind, text, at) for kind, text in _AROUND]
        tokens = [*tokens[:start], *before, *tokens[start:end], _token(TokenType.R_PAREN, ")", at), *tokens[end:]]
    return tokens


def _respelt(sql: str, dialect: Dialect) -> str:
    """Spell MySQL's REPLACE INTO as the INSERT it is, place for place: sqlglot reads it as an opaque command."""
    return _REPLACE.sub(r"\1INSERT \2", sql) if type(dialect).__name__ == "MySQL" else sql


_REPLACE = re.compile(r"(?im)(^\s*|;\s*)REPLACE(\s+INTO\b)")


def _check_product(tokens: list[Token], start: int) -> None:
    """Turn away a PIVOT whose lists multiply to more columns than any table has: sqlglot names them all."""
    product, depth, items = 1, 0, 0
    for number in range(start + 1, len(tokens)):
        kind = tokens[number].token_type
        if kind is TokenType.L_PAREN:
            depth += 1
            items = 1 if tokens[number - 1].token_type is TokenType.IN else items
        elif kind is TokenType.R_PAREN:
            depth -= 1
            product *= max(items, 1)
            items = 0
        elif kind is TokenType.COMMA and items:
            items += 1
        if depth < 0 or kind is TokenType.SEMICOLON or (depth == 0 and kind is TokenType.R_PAREN):
            break
    if product > MAX_COLUMNS:
        at = tokens[start]
        problem = f"a PIVOT to {product:,} columns, the limit is {MAX_COLUMNS:,}"
        raise LimitExceeded(problem, fix="pivot fewer values", line=at.line, column=_column(at))


def _is_body(tokens: list[Token], number: int) -> bool:
    """Whether the PIVOT at ``number`` follows CREATE … AS, or INSERT INTO t [(…)], and is not inside parentheses."""
    first = number
    depth = 0
    while first > 0 and tokens[first - 1].token_type is not TokenType.SEMICOLON:
        first -= 1
        depth += (tokens[first].token_type is TokenType.R_PAREN) - (tokens[first].token_type is TokenType.L_PAREN)
        if depth < 0 or tokens[first].token_type in _QUERY:
            return False
    kind = tokens[first].token_type
    return kind is TokenType.INSERT or (kind is TokenType.CREATE and tokens[number - 1].token_type is TokenType.ALIAS)


def _token(kind: TokenType, text: str, at: Token) -> Token:
    return Token(kind, text, at.line, at.col, at.start, at.end, [])


_PIVOTS = frozenset({TokenType.PIVOT, TokenType.UNPIVOT})
_QUERY = frozenset({TokenType.SELECT, TokenType.FROM, TokenType.WITH})
_AROUND = (
    (TokenType.SELECT, "SELECT"),
    (TokenType.STAR, "*"),
    (TokenType.FROM, "FROM"),
    (TokenType.L_PAREN, "("),
)


def _unparsable(error: ParseError, dialect: Dialect) -> UnparsableSql:
    first = error.errors[0] if error.errors else {}
    found = f" near {first['highlight']!r}" if first.get("highlight") else ""
    said = re.sub(r"<Token.*", "the end of the text", first.get("description") or str(error))
    line, end = first.get("line"), first.get("col")
    column = end - len(first.get("highlight") or "") + 1 if end else None
    return UnparsableSql(f"not {_name(dialect)} SQL: {said}{found}", fix="correct the text", line=line, column=column)


def _name(dialect: Dialect) -> str:
    return type(dialect).__name__
