"""Where a function takes its unit or origin as a value, a name there is a column: sqlglot takes it for a keyword."""

from collections.abc import Mapping, Sequence

from sqlglot.tokenizer_core import Token, TokenType

_DUCKDB = {"date_trunc": 0, "datetrunc": 0, "date_diff": 0, "datediff": 0, "time_bucket": 2}
_POSTGRES = {"date_trunc": 0, "date_part": 0, "date_bin": 2}
_TRINO = {"date_trunc": 0, "date_diff": 0, "date_add": 0}
_SPARK = {"trunc": 1}
_CLICKHOUSE = {"date_trunc": 0, "datetrunc": 0, "date_diff": 0, "datediff": 0}

VALUES: dict[str, Mapping[str, int]] = {
    "DuckDB": _DUCKDB,
    "Postgres": _POSTGRES,
    "Redshift": {"date_trunc": 0},
    **dict.fromkeys(("Trino", "Presto", "Athena"), _TRINO),
    **dict.fromkeys(("Spark", "Spark2", "Databricks"), _SPARK),
    "Hive": {"trunc": 1},
    "ClickHouse": _CLICKHOUSE,
}
"""Dialect → functions, and which of their arguments (from 0) is any expression though sqlglot reads a keyword there."""

KEYWORDS: dict[str, frozenset[str]] = {
    "ClickHouse": frozenset(
        ["nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter"]
    )
    | {"year"},
}
"""Dialect → words that are units even there."""

_UNNAMED = frozenset({"Spark", "Spark2", "Databricks"})
"""Dialects in which sqlglot keeps nothing of DATE_TRUNC's unit but a word: with any other it is left a plain call."""

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}


def as_values(tokens: list[Token], dialect: str) -> list[Token]:
    """Return ``tokens`` with parentheses around each lonely name that is such an argument: so it stays a column."""
    places = VALUES.get(dialect)
    if places is None:
        return tokens
    result: list[Token] = []
    calls: list[list[int]] = []  # of each bracket that is open: which argument is a value, and which one is at hand
    for number, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPEN:
            before = tokens[number - 1].text.lower() if number and kind is TokenType.L_PAREN else ""
            calls.append([places.get(before, -1), 0])
        elif kind in _CLOSE and calls:
            calls.pop()
        elif kind is TokenType.COMMA and calls:
            calls[-1][1] += 1
        elif calls and calls[-1][0] == calls[-1][1] and _is_name(tokens, number, dialect):
            result += [_bracket(TokenType.L_PAREN, "(", token), token, _bracket(TokenType.R_PAREN, ")", token)]
            continue
        result.append(_plain(tokens, number) if dialect in _UNNAMED else token)
    return result


def _plain(tokens: Sequence[Token], number: int) -> Token:
    """Spark's DATE_TRUNC of a computed unit, under a name that sqlglot does not know."""
    token = tokens[number]
    if token.text.lower() != "date_trunc" or tokens[number + 2 : number + 3] == []:
        return token
    opens, unit = tokens[number + 1 : number + 3]
    if opens.token_type is not TokenType.L_PAREN or unit.token_type is TokenType.STRING:
        return token
    return Token(TokenType.VAR, "datetrunc", token.line, token.col, token.start, token.end, [])


def _is_name(tokens: Sequence[Token], number: int, dialect: str) -> bool:
    """Tell whether an argument is one name and nothing else."""
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    token = tokens[number]
    if (
        tokens[number - 1].text not in {"(", ","}
        or after not in {",", ")"}
        or token.text.lower() in KEYWORDS.get(dialect, ())
    ):
        return False
    return token.token_type is TokenType.IDENTIFIER or (
        token.token_type not in {TokenType.STRING, TokenType.NULL} and token.text.isidentifier()
    )


def _bracket(kind: TokenType, text: str, at: Token) -> Token:
    return Token(kind, text, at.line, at.col, at.start, at.end, [])
