"""What sqlglot does not read, spelt so that it does: token for token, so that every place in the text holds."""

import re
from collections.abc import Callable, Iterator

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import LimitExceeded, UnreadConstruct
from governance.lineage.session import MAX_COLUMNS
from governance.lineage.units import as_values


def respelt(tokens: list[Token], sql: str, dialect: Dialect) -> list[Token]:
    """Return ``tokens``, the forms of ``FORMS`` that occur in ``sql`` respelt."""
    low, name = sql.lower(), type(dialect).__name__
    for form in dict.fromkeys([form for word, form in FORMS.items() if word in low]):
        tokens = form(tokens, name)
    return tokens


def column_at(token: Token) -> int:
    """Return the column where ``token`` begins; sqlglot counts to its last character."""
    return max(token.col - (token.end - token.start), 1)


def _batched(tokens: list[Token], dialect: str) -> list[Token]:
    """T-SQL's GO on a line of its own ends a statement."""
    if dialect not in {"TSQL", "Fabric"}:
        return tokens
    kept: list[Token] = []
    count = False
    for number, token in enumerate(tokens):
        if count and token.token_type is TokenType.NUMBER and token.line == kept[-1].line:
            continue
        count = token.text.upper() == "GO" and _alone(tokens, number)
        kept.append(_token(TokenType.SEMICOLON, ";", token) if count else token)
    return kept


def _alone(tokens: list[Token], number: int) -> bool:
    """Tell whether a token, but for the count after it, has a line to itself."""
    line = tokens[number].line
    after = number + 1
    if after < len(tokens) and tokens[after].token_type is TokenType.NUMBER and tokens[after].line == line:
        after += 1
    first = number == 0 or tokens[number - 1].line < line
    return first and (after == len(tokens) or tokens[after].line > line)


def _statements(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement, its semicolon included."""
    start = 0
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.SEMICOLON:
            yield tokens[start : number + 1]
            start = number + 1
    yield tokens[start:]


def _materialized(tokens: list[Token], dialect: str) -> list[Token]:
    """CREATE MATERIALIZED VIEW without what Oracle and Postgres say of its storage and refreshing."""
    if dialect not in {"Oracle", "Postgres"}:
        return tokens
    return [token for statement in _statements(tokens) for token in _plain_view(statement)]


def _plain_view(tokens: list[Token]) -> list[Token]:
    words = [token.text.upper() for token in tokens]
    if words[:1] != ["CREATE"] or "MATERIALIZED" not in words[:4] or "VIEW" not in words[:5]:
        return tokens
    end = words.index("VIEW") + (4 if "EXISTS" in words[:9] else 1)
    while end + 1 < len(words) and words[end + 1] == ".":
        end += 2
    end += 1
    if words[end : end + 1] == ["("]:
        end = words.index(")", end) + 1 if ")" in words[end:] else end
    bodies = [n for n in range(end, len(words) - 1) if words[n] == "AS" and words[n + 1] in {"SELECT", "WITH", "("}]
    if not bodies:
        return tokens
    return _without_data([*tokens[:end], *tokens[bodies[0] :]])


def _without_data(tokens: list[Token]) -> list[Token]:
    """WITH [NO] DATA at the end says when the view is filled, not from what."""
    ends = tokens[-1:] if tokens[-1].token_type is TokenType.SEMICOLON else []
    body = tokens[: len(tokens) - len(ends)]
    for tail in (["WITH", "NO", "DATA"], ["WITH", "DATA"]):
        if [token.text.upper() for token in body[-len(tail) :]] == tail:
            return [*body[: -len(tail)], *ends]
    return tokens


def _asserted(tokens: list[Token], dialect: str) -> list[Token]:
    """BigQuery's ASSERT stops a script or does nothing: it is left out beside other statements."""
    if dialect != "BigQuery":
        return tokens
    statements = list(_statements(tokens))
    kept = [statement for statement in statements if not statement or statement[0].text.upper() != "ASSERT"]
    return [token for statement in kept for token in statement] if any(kept) else tokens


def _selected(tokens: list[Token], _dialect: str) -> list[Token]:
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


def respelt_text(sql: str, dialect: Dialect) -> str:
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
        raise LimitExceeded(problem, fix="pivot fewer values", line=at.line, column=column_at(at))


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


def _arrows(tokens: list[Token], dialect: str) -> list[Token]:
    """``f(j -> 'a')``: sqlglot takes the arrow for a lambda of j; JSON's is spelt ``->>``, of the same lineage.

    In DuckDB it is a lambda's in the functions that take one, and JSON's in all others.
    """
    takers = LAMBDAS.get(dialect)
    if takers is None:
        return tokens
    calls = [""]
    result = []
    for number, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            calls.append(tokens[number - 1].text.lower())
        elif kind is TokenType.R_PAREN and len(calls) > 1:
            calls.pop()
        is_json = kind is TokenType.ARROW and number > 1 and calls[-1] not in takers
        opens = is_json and tokens[number - 2].text.upper() in {"(", ",", "DISTINCT"}
        result.append(_token(TokenType.DARROW, "->>", token) if opens else token)
    return result


def _lambdas(tokens: list[Token], dialect: str) -> list[Token]:
    """DuckDB's ``apply(…)`` and ``reduce(…)``: sqlglot keeps the words for APPLY joins and for Trino's REDUCE."""
    if dialect != "DuckDB":
        return tokens
    calls = {n for n in range(len(tokens) - 1) if tokens[n + 1].token_type is TokenType.L_PAREN}
    return [
        _token(TokenType.VAR, _LISTS[token.text.lower()], token)
        if n in calls and token.text.lower() in _LISTS
        else token
        for n, token in enumerate(tokens)
    ]


def _counted(tokens: list[Token], _dialect: str) -> list[Token]:
    """XMLTABLE's FOR ORDINALITY as the type of a number that counts: sqlglot's trees have no place for its words."""
    kept: list[Token] = []
    depth = 0  # within the parentheses of an XMLTABLE
    for token in tokens:
        opens = token.token_type is TokenType.L_PAREN
        if opens and (depth or (kept and kept[-1].text.lower() == "xmltable")):
            depth += 1
        elif token.token_type is TokenType.R_PAREN and depth:
            depth -= 1
        if depth and token.text.lower() == "ordinality" and kept[-1].token_type is TokenType.FOR:
            kept[-1] = _token(TokenType.SERIAL, "SERIAL", token)
        else:
            kept.append(token)
    return kept


_LISTS = {"apply": "list_apply", "reduce": "list_reduce"}

LAMBDAS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("Postgres", "Redshift", "MySQL", "SQLite"), frozenset[str]()),
    "DuckDB": frozenset({
        "apply", "array_apply", "array_filter", "array_reduce", "array_transform", "columns", "filter", "invoke",
        "list_apply", "list_filter", "list_reduce", "list_transform", "reduce",
    }),
}  # fmt: skip
"""Dialects with JSON's arrow → the functions in which an arrow is a lambda's (``duckdb_functions()`` names them)."""


def _pipes(tokens: list[Token], dialect: str) -> list[Token]:
    """Turn away the places of DISTINCT in BigQuery's pipes whose meaning sqlglot's trees lose."""
    for number, token in enumerate(tokens):
        if dialect != "BigQuery" or token.token_type is not TokenType.DISTINCT or number == 0:
            continue
        before = [each.token_type for each in tokens[max(number - 2, 0) : number]]
        after = [each.text.upper() for each in tokens[number + 1 : number + 3]]
        inside = before == [TokenType.PIPE_GT, TokenType.SELECT]
        if inside or (before[-1] is TokenType.PIPE_GT and after[:1] == ["|>"] and after[1:] not in _AFTER_DISTINCT):
            problem = f"|> {'SELECT ' * inside}DISTINCT here is not read"
            fix = "end a subquery with |> DISTINCT, and go on outside"
            raise UnreadConstruct(problem, fix=fix, line=token.line, column=column_at(token))
    return tokens


_AFTER_DISTINCT = (["WHERE"], ["ORDER"], ["LIMIT"])
"""What may follow a ``|> DISTINCT`` and means the same in one query with it."""


def _defaults(tokens: list[Token], dialect: str) -> list[Token]:
    """DuckDB's ``CREATE MACRO f(x := 2) AS …``: sqlglot reads DEFAULT there."""
    if dialect != "DuckDB":
        return tokens
    return [token for statement in _statements(tokens) for token in _with_defaults(statement)]


def _with_defaults(tokens: list[Token]) -> list[Token]:
    words = [token.text.upper() for token in tokens]
    if words[:1] != ["CREATE"] or not {"MACRO", "FUNCTION"} & set(words[:5]) or "AS" not in words:
        return tokens
    body = words.index("AS")
    return [
        _token(TokenType.DEFAULT, "DEFAULT", token) if n < body and token.token_type is TokenType.COLON_EQ else token
        for n, token in enumerate(tokens)
    ]


FORMS: dict[str, Callable[[list[Token], str], list[Token]]] = {
    "pivot": _selected,
    ":=": _defaults,
    "|>": _pipes,
    "go": _batched,
    "materialized": _materialized,
    "assert": _asserted,
    "->": _arrows,
    "apply": _lambdas,
    "reduce": _lambdas,
    "xmltable": _counted,
    "date_": as_values,
    "datediff": as_values,
    "trunc": as_values,
    "time_bucket": as_values,
}
"""A word without which the form does not occur → what respells its tokens, by dialect."""
