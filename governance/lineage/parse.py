"""SQL text → sqlglot trees, within bounds.

sqlglot's parser is compiled and recursive, so what would exhaust the stack or the memory is turned away before it is
parsed: by the size of the text and by the nesting that its tokens show.
"""

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokens import Token, TokenType

from governance.errors import LimitExceeded, UnparsableSql

MAX_CHARACTERS = 2_000_000
MAX_TOKENS = 400_000
MAX_DEPTH = 150
MAX_RUN = 100

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.INTERVAL})
_SUBSCRIPT = frozenset({TokenType.L_BRACKET})


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
    _check_nesting(tokens)
    return tokens


def _check_nesting(tokens: list[Token]) -> None:
    depth = run = subscripts = 0
    for token in tokens:
        kind = token.token_type
        if kind in _OPEN:
            depth += 1
            subscripts += kind in _SUBSCRIPT
        elif kind in _CLOSE:
            depth = max(depth - 1, 0)
        elif kind is TokenType.SEMICOLON:
            depth = 0
        if kind in _PREFIX:
            run += 1
        else:
            run = 0
        if depth > MAX_DEPTH or run > MAX_RUN:
            raise LimitExceeded(
                f"nested more than {MAX_DEPTH} deep", fix="break the expression up", line=token.line, column=token.col
            )


def parse(sql: str, dialect: Dialect) -> list[exp.Expr]:
    """Return the trees of the statements in ``sql``, in order.

    Raises:
        LimitExceeded: beyond a bound, see ``tokenize``.
        UnparsableSql: the text is not SQL of the dialect; line and column say where.
    """
    tokens = tokenize(sql, dialect)
    try:
        trees = dialect.parser().parse(tokens, sql)
    except ParseError as error:
        raise _unparsable(error, dialect) from error
    return [tree for tree in trees if tree is not None]


def _unparsable(error: ParseError, dialect: Dialect) -> UnparsableSql:
    first = error.errors[0] if error.errors else {}
    found = f" near {first['highlight']!r}" if first.get("highlight") else ""
    said = first.get("description") or str(error)
    line, end = first.get("line"), first.get("col")
    column = end - len(first.get("highlight") or "") + 1 if end else None
    return UnparsableSql(f"not {_name(dialect)} SQL: {said}{found}", fix="correct the text", line=line, column=column)


def _name(dialect: Dialect) -> str:
    return type(dialect).__name__
