"""Where a query reads files: each path, each reading function with its options, and what is refused of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from governance.errors import DynamicSql, LineageError, UnknownTable, UnreadConstruct
from governance.landing.model import Format, Option
from governance.landing.options import kept_name, name_problem, value_problem
from governance.statement.model import FileRead
from governance.statement.parts import Parts
from governance.statement.paths import path_problem
from governance.statement.placed import is_cte
from governance.statement.text import Text

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        **dict.fromkeys(("read_csv", "read_csv_auto"), Format.CSV),
        **dict.fromkeys(("read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto"), Format.JSON),
        **dict.fromkeys(("read_parquet", "parquet_scan"), Format.PARQUET),
    }
)
"""The reading functions of DuckDB that read rows by a declaration, each with the format of its files."""

READERS = re.compile(r"read_\w+|\w+_scan|glob|sniff_csv|parquet_\w+|st_read(_meta)?", re.IGNORECASE)
"""What reads past the catalog and the declared files where it is none of ``FORMATS``."""

IMPLIED: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    dict.fromkeys(("read_ndjson", "read_ndjson_auto"), (("format", "'newline_delimited'"),))
)
"""Options that a function's name says."""

HARMLESS = frozenset({("auto_detect", "true"), ("store_rejects", "true")})
"""Options that say what is done anyway."""

ASSIGN = frozenset({TokenType.EQ, TokenType.COLON_EQ, TokenType.FARROW})
CONSTANTS = frozenset({
    TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE, TokenType.L_BRACKET, TokenType.R_BRACKET,
    TokenType.COMMA, TokenType.DASH,
})  # fmt: skip
OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})

DECLARED = "write FROM 'location/path' of a file that sources.toml declares; `headwater sniff --write` declares it"


def file_reads(text: Text, parts: Parts, tokens: Sequence[Token]) -> tuple[FileRead, ...]:
    """Return the places of a query that read files, in order, their spans in the whole text.

    ``parts`` and ``tokens`` are those of the query.

    Raises:
        UnreadConstruct, DynamicSql, UnknownTable: a function, an option or a path that is not read.
    """
    return tuple(sorted(_reads(text, parts, tokens), key=lambda read: read.span))


def is_path(text: Text, table: exp.Table) -> bool:
    """Whether a table's name is a path: in single quotes, or with a slash in double ones; a CTE's name is none."""
    name = table.this
    if not isinstance(name, exp.Identifier) or table.db or not name.args.get("quoted") or is_cte(table):
        return False
    start = name.meta.get("start")
    return "/" in name.name or (start is not None and text.pipeline.sql[start] == "'")


def function_name(call: exp.Func) -> str:
    """Return the name of a function in lower case, as DuckDB has it."""
    return (call.name if isinstance(call, exp.Anonymous) else call.sql_name()).lower()


def _reads(text: Text, parts: Parts, tokens: Sequence[Token]) -> Iterator[FileRead]:
    for part in parts:
        if isinstance(part, exp.Table) and is_path(text, part):
            meta = part.this.meta
            _require_path(text, part.name, meta["start"])
            yield FileRead(part.name, (), (meta["start"], meta["end"] + 1))
        elif isinstance(part, exp.Func) and READERS.fullmatch(name := function_name(part)):
            start = part.meta.get("start", -1)
            number = next((number for number, token in enumerate(tokens) if token.start == start), None)
            if number is None:
                raise text.wrong(UnreadConstruct, tokens[0].start, f"{name} is not read", fix=DECLARED, clause=name)
            yield _call(text, part, name, tokens[number:])


def _call(text: Text, part: exp.Func, name: str, tokens: Sequence[Token]) -> FileRead:
    """Return what a reading function reads; ``tokens`` begin with its name."""
    start, form = tokens[0].start, FORMATS.get(name)
    said = tokens[0].text.lower()
    around = part.parent
    in_from = isinstance(around, exp.Table | exp.Lateral) and not around.args.get("db")
    if form is None or not in_from:
        problem = f"{said} reads past the catalog" if form is None else f"{said} stands in FROM, by its name alone"
        raise text.wrong(UnreadConstruct, start, problem, fix=DECLARED, clause=said)
    arguments, end = _arguments(tokens[1:])
    path = _path(text, said, start, arguments)
    given = [_option(text, form, it) for it in arguments[1:]]
    told = dict((*IMPLIED.get(name, ()), *(it for it in given if it not in HARMLESS)))
    return FileRead(path, tuple(told.items()), (start, end), said)


def _arguments(tokens: Sequence[Token]) -> tuple[list[Sequence[Token]], int]:
    """Return the tokens of each argument, and the character after the closing parenthesis; the first token opens."""
    found: list[Sequence[Token]] = []
    depth = first = 0
    for number, token in enumerate(tokens):
        depth += (token.token_type in OPEN) - (token.token_type in CLOSE)
        ends = depth == 0
        if ends or (depth == 1 and token.token_type is TokenType.COMMA):
            found += [tokens[first + 1 : number]] if number > first + 1 else []
            first = number
        if ends:
            return found, token.end + 1
    return found, tokens[-1].end + 1


def _path(text: Text, name: str, start: int, arguments: Sequence[Sequence[Token]]) -> str:
    tokens = arguments[0] if arguments else ()
    kinds = [token.token_type for token in tokens]
    if kinds == [TokenType.L_BRACKET, TokenType.STRING, TokenType.R_BRACKET]:
        tokens, kinds = tokens[1:2], kinds[1:2]
    if kinds != [TokenType.STRING]:
        is_list = kinds[:1] == [TokenType.L_BRACKET]
        problem = f"{name} reads a list of paths" if is_list else f"the path of {name} is not written as a text"
        fix = "declare a glob, which is one dataset, and read that" if is_list else "write it in single quotes"
        place = tokens[0].start if tokens else start
        raise text.wrong(UnreadConstruct if is_list else DynamicSql, place, problem, fix=fix, clause=name)
    _require_path(text, tokens[0].text, tokens[0].start)
    return tokens[0].text


def _require_path(text: Text, path: str, start: int) -> None:
    wrong = path_problem(path)
    if wrong is not None:
        raise text.wrong(UnknownTable, start, wrong[0], fix=wrong[1])


def _option(text: Text, form: Format, tokens: Sequence[Token]) -> tuple[str, str]:
    """Return an option's kept name and the text of its value."""
    named = len(tokens) > 2 and tokens[1].token_type in ASSIGN  # noqa: PLR2004  name, sign, value
    value = tokens[2:]
    if not named or any(token.token_type not in CONSTANTS for token in value):
        fix = "write name = value, the value a text, a number, true, false or a list of texts"
        raise text.wrong(UnreadConstruct, tokens[0].start, "this is no option with a constant value", fix=fix)
    name, said = kept_name(tokens[0].text), text.pipeline.sql[value[0].start : value[-1].end + 1]
    if (name, said.lower()) in HARMLESS:
        return name, said.lower()
    wrong = name_problem(form, tokens[0].text) or value_problem(form, name, _constant(value))
    if wrong is not None:
        raise _wrong_option(text, tokens[0], wrong.problem, wrong.fix)
    return name, said


def _wrong_option(text: Text, at: Token, problem: str, fix: str) -> LineageError:
    return text.wrong(UnreadConstruct, at.start, problem, fix=fix, clause=at.text.lower())


def _constant(tokens: Sequence[Token]) -> Option:
    """Return the value that the tokens are."""
    if tokens[0].token_type is TokenType.L_BRACKET:
        return tuple(token.text for token in tokens if token.token_type is TokenType.STRING)
    kind = tokens[0].token_type
    if kind in {TokenType.TRUE, TokenType.FALSE}:
        return kind is TokenType.TRUE
    number = "".join(token.text for token in tokens)
    return int(number) if kind is not TokenType.STRING and number.lstrip("-").isdecimal() else tokens[0].text
