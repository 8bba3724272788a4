"""Two things that DuckDB's text says and sqlglot's trees lose: calls of macros under functions' names, and ``$doc``."""

from collections.abc import Container, Iterable, Iterator, Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

DOCUMENT = "$doc"
"""A document's sections: written so it is a parameter to DuckDB, and meant as the name of a column."""

MARK = "hw_macro_"
"""What the name of a macro begins with while sqlglot reads it, lest it reads a function of its own."""

DUCKDB = "DuckDB"


def documents(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the place among ``tokens`` of each ``$`` that begins ``$doc``, whatever its case."""
    # hardly a text has one: every token is looked at, its neighbour only where it is the sign
    for number in [number for number, token in enumerate(tokens[:-1]) if token.text == "$"]:
        token, after = tokens[number], tokens[number + 1]
        follows = after.start == token.end + 1 and after.text.lower() == DOCUMENT[1:]
        if token.token_type is TokenType.PARAMETER and follows:
            yield number


def with_documents(tokens: list[Token], sql: str, dialect: Dialect) -> list[Token]:
    """Return ``tokens`` with ``$doc`` as one name of a column."""
    if type(dialect).__name__ != DUCKDB or DOCUMENT not in sql.lower():
        return tokens
    places = {*documents(tokens)}
    named = (
        Token(TokenType.IDENTIFIER, DOCUMENT, after.line, after.col, token.start, after.end, [])
        if number in places
        else token
        for number, (token, after) in enumerate(zip(tokens, [*tokens[1:], tokens[-1]], strict=True))
        if number - 1 not in places
    )
    return [*named]


def with_macros(tokens: list[Token], sql: str, dialect: Dialect, known: Iterable[str]) -> list[Token]:
    """Return ``tokens`` with the calls of macros marked that have the name of a function which sqlglot reads itself.

    The macros are those that the text makes, and those of ``known``, in lower case.
    """
    if type(dialect).__name__ != DUCKDB:
        return tokens
    made = {*_made(tokens)} if "macro" in sql.lower() or "function" in sql.lower() else set()
    names = {name for name in (*known, *made) if is_function(name, dialect)}
    return [_marked(tokens, number, names) for number in range(len(tokens))] if names else tokens


def is_function(name: str, dialect: Dialect) -> bool:
    """Whether sqlglot has a reading of its own for calls of ``name``."""
    parser = dialect.parser_class
    return name.upper() in parser.FUNCTIONS or name.upper() in parser.FUNCTION_PARSERS


def _made(tokens: list[Token]) -> Iterator[str]:
    for token, name, opens in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.text.upper() in MAKING and opens.token_type is TokenType.L_PAREN:
            yield name.text.lower()


MAKING = frozenset({"MACRO", "FUNCTION"})


def _marked(tokens: list[Token], number: int, names: Container[str]) -> Token:
    token = tokens[number]
    if token.text.lower() not in names or token.token_type is TokenType.STRING:
        return token
    calls = number + 1 < len(tokens) and tokens[number + 1].token_type is TokenType.L_PAREN
    before = tokens[number - 1].text.upper() if number else ""
    if not calls or before in MAKING or before == ".":
        return token
    return Token(TokenType.VAR, f"{MARK}{token.text}", token.line, token.col, token.start, token.end, [])


def without_marks(trees: Iterable[exp.Expr]) -> None:
    """Give the calls that ``with_macros`` marked their names again."""
    for tree in trees:
        for call in tree.find_all(exp.Anonymous):
            if call.name.startswith(MARK):
                call.set("this", call.name.removeprefix(MARK))
