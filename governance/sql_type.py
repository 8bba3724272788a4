"""The SQL types that an Iceberg table can hold, by the names that Headwater writes."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

ALIASES = {
    "bool": "boolean",
    "int": "integer",
    "int4": "integer",
    "int8": "bigint",
    "long": "bigint",
    "float": "real",
    "float4": "real",
    "float8": "double",
    "text": "varchar",
    "string": "varchar",
    "datetime": "timestamp",
    "timestamp with time zone": "timestamptz",
    "bytea": "blob",
    "binary": "blob",
}
NAMES = (
    "boolean",
    "integer",
    "bigint",
    "real",
    "double",
    "varchar",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "blob",
)
DECIMAL = re.compile(r"(?:decimal|numeric) ?\( ?(?P<precision>[1-9]\d?) ?, ?(?P<scale>\d\d?) ?\)")
EXPECTED = (
    f"write one of {', '.join(NAMES)}, or decimal(precision, scale); nested: type[], struct(name type), map(key, value)"
)

STRUCT, LIST, MAP = "struct", "list", "map"
ELEMENT, KEY, VALUE = "_element", "_key", "_value"
"""What the members of lists and maps are called."""

LENGTH = 20_000
"""Characters of the longest type that is read."""

DEPTH = 16
"""Types within types, at most."""

TOKEN = re.compile(r'\s*("(?:[^"]|"")+"|[^\W\d]\w*|\d+|[()\[\],])')


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type, parsed.

    name:    ``struct``, ``list`` or ``map``; of another its words in lower case, with one blank between them
    members: (name, type) of what is nested: of a list ``ELEMENT``, of a map ``KEY`` and ``VALUE``
    """

    name: str
    members: tuple[tuple[str, "SqlType"], ...] = ()

    @property
    def sql(self) -> str:
        """The type as SQL writes it, every name in quotes."""
        return self.written(_quoted)

    @property
    def plain(self) -> str:
        """The type as people write it: names are in quotes where they must be."""
        return self.written(lambda name: name if _is_word(name) else _quoted(name))

    def written(self, name_of: Callable[[str], str]) -> str:
        """Return the type with each member's name as ``name_of`` writes it."""
        kinds = [kind.written(name_of) for _, kind in self.members]
        if self.name == LIST:
            return f"{kinds[0]}[]"
        if self.name == MAP:
            return f"map({kinds[0]}, {kinds[1]})"
        if self.name != STRUCT:
            return self.name
        named = (f"{name_of(name)} {kind}" for (name, _), kind in zip(self.members, kinds, strict=True))
        return f"struct({', '.join(named)})"


@lru_cache(maxsize=4096)
def sql_type(text: str) -> str | None:
    """Return the type's one name, None where Iceberg stores no such type (``EXPECTED`` is the fix).

    It is in lower case but for the names of a struct's members, which are quoted.
    """
    known = parsed(text)
    return None if known is None else known.sql


def parsed(text: str) -> SqlType | None:
    """Return a type that Iceberg stores by its one name, None where it stores no such type."""
    written = read(text)
    return None if written is None else _stored(written)


def is_nested(text: str) -> bool:
    """Whether ``text``, a type by its one name, is a list, a struct or a map."""
    return text.endswith(("[]", ")")) and not text.startswith("decimal(")


def read(text: str) -> SqlType | None:
    """Return the type that SQL writes so, whether Iceberg stores it or not; None where it is no type, or too large."""
    if len(text) > LENGTH:
        return None
    tokens = _Tokens(list(_tokens(text)))
    try:
        found = _type(tokens, 1)
    except _NoTypeError:
        return None
    return None if tokens.left else found


class _NoTypeError(Exception):
    """The text is no type."""


@dataclass(slots=True)
class _Tokens:
    left: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left.reverse()

    @property
    def next(self) -> str:
        return self.left[-1] if self.left else ""

    def take(self) -> str:
        if not self.left:
            raise _NoTypeError
        return self.left.pop()

    def require(self, token: str) -> None:
        if self.take() != token:
            raise _NoTypeError


def _tokens(text: str) -> Iterator[str]:
    """Yield the tokens of ``text``; what is none is yielded as it is, and no type has it."""
    at, text = 0, text.rstrip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            yield text[at:]
            return
        yield found[1]
        at = found.end()


def _type(tokens: _Tokens, depth: int) -> SqlType:
    if depth > DEPTH:
        raise _NoTypeError
    word = tokens.take()
    if not _is_word(word):
        raise _NoTypeError
    name = word.lower()
    if name == STRUCT and tokens.next == "(":
        found = SqlType(STRUCT, _members(tokens, depth))
    elif name == MAP and tokens.next == "(":
        tokens.require("(")
        key = _type(tokens, depth + 1)
        tokens.require(",")
        found = SqlType(MAP, ((KEY, key), (VALUE, _type(tokens, depth + 1))))
        tokens.require(")")
    else:
        found = SqlType(_words(name, tokens))
    while tokens.next == "[":
        tokens.require("[")
        tokens.require("]")
        depth += 1
        if depth > DEPTH:
            raise _NoTypeError
        found = SqlType(LIST, ((ELEMENT, found),))
    return found


def _members(tokens: _Tokens, depth: int) -> tuple[tuple[str, SqlType], ...]:
    members: list[tuple[str, SqlType]] = []
    end = "("
    while end != ")":
        tokens.require(end)
        word = tokens.take()
        name = word[1:-1].replace('""', '"') if word.startswith('"') else word
        if not (word.startswith('"') or _is_word(word)) or name.lower() in {it.lower() for it, _ in members}:
            raise _NoTypeError
        members.append((name, _type(tokens, depth + 1)))
        end = "," if tokens.next == "," else ")"
    tokens.require(")")
    return tuple(members)


def _words(first: str, tokens: _Tokens) -> str:
    """Return the words of a type that nests none, with its arguments."""
    words = [first]
    while _is_word(tokens.next):
        words.append(tokens.take().lower())
    if tokens.next == "(":
        tokens.require("(")
        given = [_number(tokens)]
        while tokens.next == ",":
            tokens.require(",")
            given.append(_number(tokens))
        tokens.require(")")
        return f"{' '.join(words)}({', '.join(given)})"
    return " ".join(words)


def _number(tokens: _Tokens) -> str:
    number = tokens.take()
    if not number.isdigit():
        raise _NoTypeError
    return number


def _is_word(token: str) -> bool:
    return token[:1].isidentifier() and token.isidentifier()


def _stored(written: SqlType) -> SqlType | None:
    if written.members:
        members = [(name, _stored(kind)) for name, kind in written.members]
        known = tuple((name, kind) for name, kind in members if kind is not None)
        return SqlType(written.name, known) if len(known) == len(members) else None
    if decimal := DECIMAL.fullmatch(written.name):
        precision, scale = int(decimal["precision"]), int(decimal["scale"])
        return SqlType(f"decimal({precision}, {scale})") if scale <= precision <= 38 else None  # noqa: PLR2004 -- Iceberg's bound
    name = ALIASES.get(written.name, written.name)
    return SqlType(name) if name in NAMES else None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
