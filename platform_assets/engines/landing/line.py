"""Lines of text: of columns at fixed places, of several kinds of record, of JSON objects."""

from collections.abc import Mapping, Sequence

from governance.errors import EngineError
from governance.landing.model import FileColumn, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.lines import lines_of
from platform_assets.engines.landing.name import TEXT
from platform_assets.engines.landing.text import Kind, Rows
from platform_assets.engines.landing.value import Fault, Formats, Value, value_of
from platform_assets.engines.sql import literal

FIELDS = "__fields"

WITHOUT_MEANING = (
    "allow_quoted_nulls",
    "decimal_separator",
    "force_not_null",
    "null_padding",
    "strict_mode",
    "thousands",
)
"""Options of DuckDB's reader that are not those of a reader of lines."""


def fixed(name: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of a file of columns at fixed places, which are characters, counted from 1."""
    lines = lines_of(name, options, "", {})
    source = landing.source
    if not source.records:
        return Rows(
            lines.of(landing.paths), lines.numbered, (_fixed_kind("", "true", source.columns, options),), lines=lines
        )
    record = f"trim({_cut(*source.record_type)})" if source.record_type else "''"
    kinds = tuple(_fixed_kind(it.id, f"{record} = {literal(it.value)}", it.columns, options) for it in source.records)
    return Rows(lines.of(landing.paths), lines.numbered, kinds, record, lines=lines)


def delimited(name: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of a delimited file of several kinds of record, told apart by the first field.

    A value may be quoted, and does not go over the end of a line.

    Raises:
        EngineError: an option has no meaning where records are of several kinds.
    """
    if without := [it for it in WITHOUT_MEANING if it in options]:
        problem = f"{landing.source.name}: {', '.join(without)} has no meaning to records of several kinds"
        raise EngineError(problem, fix="take it out, and convert the values in SQL")
    fields = f", {_fields(options)} as {FIELDS}"
    lines = lines_of(name, options, fields, {})
    record = f"trim({FIELDS}[1])"
    open_quote = Fault(None, f"{FIELDS} is null", "'Value with unterminated quote found.'")
    kinds = tuple(
        _delimited_kind(it.id, f"{record} = {literal(it.value)}", it.columns, options) for it in landing.source.records
    )
    return Rows(lines.of(landing.paths), lines.numbered, kinds, record, (open_quote,), lines)


def _fixed_kind(id_: str, found: str, columns: Sequence[FileColumn], options: Mapping[str, Option]) -> Kind:
    end = max(it.place[1] for it in columns if it.place)
    short = f"'the line ends after ' || length({TEXT}) || ' characters, its columns after {end}'"
    values = tuple(_value(it, f"nullif(trim({_cut(*it.place)}), '')", options) for it in columns if it.place)
    more = f"trim(substring({TEXT}, {end + 1})) <> ''"
    long = f"'the line goes on after character {end}, where its columns end'"
    return Kind(id_, found, values, (Fault(None, f"length({TEXT}) < {end}", short), Fault(None, more, long)))


def _delimited_kind(id_: str, found: str, columns: Sequence[FileColumn], options: Mapping[str, Option]) -> Kind:
    wanted = len(columns) + 1
    counted = f"'Expected Number of Columns: {wanted} Found: ' || len({FIELDS})"
    values = tuple(
        _value(it, f"{FIELDS}[{number}]" if _keeps_blank(options) else f"nullif({FIELDS}[{number}], '')", options)
        for number, it in enumerate(columns, 2)
    )
    return Kind(id_, found, values, (Fault(None, f"len({FIELDS}) <> {wanted}", counted),))


def _keeps_blank(options: Mapping[str, Option]) -> bool:
    return "nullstr" in options


def _value(column: FileColumn, text: str, options: Mapping[str, Option]) -> Value:
    for word in option.texts(options, "nullstr"):
        text = f"nullif({text}, {literal(word)})"
    formats = Formats(option.text(options, "dateformat", ""), option.text(options, "timestampformat", ""))
    return value_of(column, text, formats)


def _cut(first: int, last: int) -> str:
    return f"substring({TEXT}, {first}, {last - first + 1})"


def _fields(options: Mapping[str, Option]) -> str:
    """Return the SQL of a line's fields; NULL where a quoted value does not end."""
    delim, quote = option.text(options, "delim", ","), option.text(options, "quote", '"')
    split = f"string_split({TEXT}, {literal(delim)})"
    if not quote:
        return split
    escape = option.text(options, "escape", quote)
    d, q, e = (_escaped(it) for it in (delim, quote, escape))
    inside = f"(?:[^{q}]|{q}{q})*" if escape == quote else f"(?:[^{q}{e}]|{e}.)*"
    pieces = f"regexp_extract_all({literal(delim)} || {TEXT}, {literal(f'{d}({q}{inside}{q}|[^{d}{q}]*)')}, 1)"
    bare = f"replace(it[2:-2], {literal(escape + quote)}, {literal(quote)})"
    unquoted = f"list_transform({pieces}, lambda it: case when it[1] = {literal(quote)} then {bare} else it end)"
    # what is matched must be all there is, else a value is quoted in its middle or its end is missing
    whole = f"list_sum(list_transform({pieces}, lambda it: length(it) + 1)) = length({TEXT}) + 1"
    return f"case when not contains({TEXT}, {literal(quote)}) then {split} when {whole} then {unquoted} end"


def _escaped(character: str) -> str:
    return "".join(f"\\{it}" if not it.isalnum() and it != "_" else it for it in character)
