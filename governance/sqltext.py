"""SQL text as it may be shown and sent: literals that hold secrets or data are replaced, names never are.

Works on the token stream, so quotes, dollar quotes and E-strings are told apart as the engine tells them apart.
Text that cannot be tokenised is withheld whole.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlglot import Dialect, Token, TokenType
from sqlglot.errors import SqlglotError

from governance.scrubbed import Stretch, scrubbed
from governance.secret_name import SECRET_NAME

WITHHELD = "-- withheld: the text cannot be read as SQL, so its literals cannot be told apart"

_LITERALS = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
        TokenType.BYTE_STRING,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.NUMBER,
    }
)
# sqlglot swallows the rest of these statements into one token whose text has no place in the source.
_SWALLOWING = frozenset({TokenType.COMMAND, TokenType.EXECUTE})
_ASSIGNMENTS = frozenset({"=", ":=", "=>", ":", "(", "BY"})
_MARK = re.compile(r"(?:--|/\*)\s*secret\b", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")


def redact(sql: str, scrub: Callable[[str], str], *, dialect: str = "duckdb") -> str:
    """Return ``sql`` with its secret literals masked and ``scrub`` applied to the other literals and to comments.

    Secret are the literals of CREATE SECRET and ATTACH, those of COPY other than its file, those of VALUES lists, those
    given to a name like ``password``, those that hold a mail address, and those on a line that ends in ``-- secret``.
    Text that cannot be tokenised comes back as :data:`WITHHELD`.
    """
    tokens = _tokens(sql, dialect)
    found = None if tokens is None else stretches(sql, tokens)
    return WITHHELD if found is None else scrubbed(sql, found, scrub)


def stretches(sql: str, tokens: Sequence[Token]) -> tuple[Stretch, ...] | None:
    """Return the literals and comments of ``sql``, whose tokens are ``tokens``; None if these do not tell all of them.

    See :func:`redact` for which are secret.
    """
    return None if any(token.token_type in _SWALLOWING for token in tokens) else tuple(_stretches(sql, [*tokens]))


def secret_literals(sql: str, *, dialect: str = "duckdb") -> frozenset[str] | None:
    """Return the values that :func:`redact` masks, so that an echo of them can be masked too; None if untokenisable."""
    tokens = _tokens(sql, dialect)
    return None if tokens is None else frozenset(tokens[index].text for index in _secret(sql, tokens))


def _tokens(sql: str, dialect: str) -> list[Token] | None:
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    except SqlglotError:
        return None
    return None if any(token.token_type in _SWALLOWING for token in tokens) else tokens


def _secret(sql: str, tokens: list[Token]) -> frozenset[int]:
    """Return the places of the literals that are masked."""
    return _in_context(tokens) | _marked(sql, tokens)


def _stretches(sql: str, tokens: list[Token]) -> Iterator[Stretch]:
    secret, end = _secret(sql, tokens), 0
    for index, token in enumerate(tokens):
        start, before, end = token.start, end, token.end + 1
        # most is a blank, which nobody hides anything in
        if before < start and not sql[before:start].isspace():
            yield before, start, False
        if token.token_type in _LITERALS:
            yield start, end, index in secret
    if end < len(sql):
        yield end, len(sql), False


def _marked(sql: str, tokens: list[Token]) -> frozenset[int]:
    """Literals that stand on the line of a ``-- secret`` comment, before it."""
    if not _MARK.search(sql):
        return frozenset()
    starts = [0, *(token.end + 1 for token in tokens)]
    ends = [*(token.start for token in tokens), len(sql)]
    marks = (
        start + match.start()
        for start, end in zip(starts, ends, strict=True)
        for match in _MARK.finditer(sql[start:end])
    )
    lines = [(sql.rfind("\n", 0, mark), mark) for mark in marks]
    return frozenset(
        index
        for index, token in enumerate(tokens)
        if token.token_type in _LITERALS and any(line < token.end and token.start < mark for line, mark in lines)
    )


def _in_context(tokens: list[Token]) -> frozenset[int]:
    kinds = [token.token_type for token in tokens]
    all_literals = [index for index, kind in enumerate(kinds) if kind in _LITERALS]
    secret: set[int] = set()
    for first, last in _statements(kinds):
        # a statement without one is not gone through: of a large project it is all texts in each load
        if literals := frozenset(all_literals[bisect_left(all_literals, first) : bisect_left(all_literals, last)]):
            secret |= literals - _exposed(tokens, range(first, last), literals)
    return frozenset(secret)


def _exposed(tokens: list[Token], statement: range, literals: frozenset[int]) -> frozenset[int]:
    """The literals of one statement that may be shown."""
    opening = [tokens[i].text.upper() for i in statement[:6]]
    if opening[:1] == ["ATTACH"] or (opening[:1] == ["CREATE"] and "SECRET" in opening):
        return frozenset()
    if opening[:1] == ["COPY"]:
        literals = frozenset(i for i in literals if tokens[i - 1].text.upper() in {"FROM", "TO"})
    values = frozenset(_values(tokens, statement))
    return frozenset(
        i for i in literals if i not in values and not _given_to_secret(tokens, i) and not _EMAIL.search(tokens[i].text)
    )


def _statements(kinds: list[TokenType]) -> Iterator[tuple[int, int]]:
    """Yield where each statement begins and ends, the end left out."""
    first = 0
    for _ in range(kinds.count(TokenType.SEMICOLON)):
        last = kinds.index(TokenType.SEMICOLON, first)
        yield first, last
        first = last + 1
    yield first, len(kinds)


def _values(tokens: list[Token], statement: Iterable[int]) -> Iterator[int]:
    """Indexes within the parenthesised rows that follow VALUES."""
    inside, depth = False, 0
    for index in statement:
        kind = tokens[index].token_type
        if kind is TokenType.VALUES and depth == 0:
            inside = True
        elif not inside:
            continue
        elif kind is TokenType.L_PAREN:
            depth += 1
        elif kind is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and kind is not TokenType.COMMA:
            inside = False
        if depth > 0:
            yield index


def _given_to_secret(tokens: list[Token], index: int) -> bool:
    """Whether the literal is the value of something called like a secret: ``PASSWORD 'x'``, ``token => 'x'``."""
    before = index - 1
    if before > 0 and tokens[before].text.upper() in _ASSIGNMENTS:
        if tokens[before].text.upper() == "BY":
            return tokens[before - 1].text.upper() == "IDENTIFIED"
        before -= 1
    return before >= 0 and bool(SECRET_NAME.search(tokens[before].text))
