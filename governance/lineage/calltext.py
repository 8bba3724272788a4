"""A function call as it stands in the text: sqlglot's tree may have another name for it, and other arguments."""

import re
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from governance.lineage.session import Session

MAX_CHARACTERS = 2000
"""A longer call keeps the tree's arguments: its name would be longer than anybody reads."""

UNWRITTEN = "unwritten"
"""In the meta of a call that no text shows: the text has a macro's parameters where it has their arguments."""

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_WORDS = frozenset({TokenType.FROM, TokenType.IN, TokenType.FOR, TokenType.SELECT, TokenType.WITH})
"""Words by which a call is none of arguments alone: ``extract(year FROM d)``, ``exists(SELECT …)``."""


@dataclass(frozen=True, slots=True)
class Call:
    """The name of a function as written, the text of each argument, and of what orders them."""

    name: str
    arguments: tuple[str, ...]
    distinct: bool = False
    order: str = ""


def call_of(session: Session, tree: exp.Expr) -> Call | None:
    """Return the call that ``tree`` was read from; None where its text cannot be told."""
    if UNWRITTEN in tree.meta:
        return None
    start, end = tree.meta.get("start"), tree.meta.get("end")
    if start is None or end is None:
        found = _named_before(session.sql, tree)
    else:
        found = re.compile(r"\s*\(").match(session.sql, end + 1) and (session.sql[start : end + 1], end + 1)
    if not found or not found[0].isidentifier():
        return None
    return _cut(found[0], session.sql[found[1] : found[1] + MAX_CHARACTERS], session)


def _named_before(sql: str, tree: exp.Expr) -> tuple[str, int] | None:
    """The name before the bracket that the first name within opens."""
    first = min((part.meta["start"] for part in tree.walk() if "start" in part.meta), default=None)
    found = None if first is None else re.search(r"(\w+)(\s*\(\s*)(?:distinct\s+)?$", sql[:first], re.IGNORECASE)
    return None if found is None else (found.group(1), found.end(1))


def _cut(name: str, text: str, session: Session) -> Call | None:
    try:
        tokens = Dialect.get_or_raise(session.rules.name).tokenize(text)
    except SqlglotError:
        return None
    inner = _within(tokens)
    if inner is None or any(depth == 1 and _is_word(token) for token, depth in inner):
        return None
    distinct = bool(inner) and inner[0][0].token_type is TokenType.DISTINCT
    order = next((n for n, (token, d) in enumerate(inner) if d == 1 and token.token_type is TokenType.ORDER_BY), None)
    ordering = (
        text[inner[order + 1][0].start : inner[-1][0].end + 1] if order is not None and inner[order + 1 :] else ""
    )
    return Call(name, tuple(_parts(inner[distinct:order], text)), distinct=distinct, order=ordering)


def _is_word(token: Token) -> bool:
    """Tell whether a call is more than arguments; a lambda has commas of its own."""
    return token.token_type in _WORDS or token.text.lower() == "lambda"


def _within(tokens: list[Token]) -> list[tuple[Token, int]] | None:
    """The tokens between the first bracket and its end, each with how deep it stands; None where it has no end."""
    depth = 0
    found: list[tuple[Token, int]] = []
    for token in tokens:
        depth -= token.token_type in _CLOSE
        if depth == 0 and found and token.token_type in _CLOSE:
            return found[1:]
        found.append((token, depth))
        depth += token.token_type in _OPEN
        if depth == 0:
            return [] if token.token_type in _CLOSE else None
    return None


def _parts(inner: list[tuple[Token, int]], text: str) -> list[str]:
    """The text between commas."""
    if not inner:
        return []
    commas = [n for n, (token, depth) in enumerate(inner) if depth == 1 and token.token_type is TokenType.COMMA]
    edges = [-1, *commas, len(inner)]
    pieces = [inner[a + 1 : b] for a, b in pairwise(edges)]
    return [text[piece[0][0].start : piece[-1][0].end + 1] for piece in pieces if piece]
