"""JSON: an object a line, an array of objects, or objects one after the other."""

import json
from collections.abc import Iterable, Mapping, Sequence

from governance.landing.model import FileColumn, Option
from governance.sql_type import is_nested
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import nested, option
from platform_assets.engines.landing.csv import formats_of
from platform_assets.engines.landing.lines import LINE_SIZE, lines_of
from platform_assets.engines.landing.name import FILE, LINE, TEXT, reading
from platform_assets.engines.landing.opened import opened
from platform_assets.engines.landing.text import Kind, Rows
from platform_assets.engines.landing.value import Fault, Formats, Value, value_of
from platform_assets.engines.sql import literal

LINES, ARRAY, LOOSE = "newline_delimited", "array", "unstructured"
FIELDS, KEYS, PARENTS = "__fields", "__keys", "__parents"
HEAD = 65_536
"""Bytes by which it is told how a file is written."""


def rows_of(name: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of JSON files, by the paths of their columns."""
    source = landing.source
    more = taken_apart(source.columns)
    forms = {path: form_of(path, options) for path in landing.paths}
    alike = set(forms.values()) <= {LINES}
    size = option.number(options, "maximum_object_size") or LINE_SIZE
    # what is read in one piece need not be counted again
    given = options if alike else {**options, "parallel": False}
    lines = lines_of(name, given, more, {"max_line_size": str(size)})
    # of no file there are no lines
    items = (
        [lines.of([])]
        if not forms
        else [
            lines.of(paths) if form == LINES else _objects(paths, form, options, more)
            for form in (LINES, ARRAY, LOOSE)
            if (paths := [path for path, its in forms.items() if its == form])
        ]
    )

    def numbered(path: str) -> str:
        form = forms[path]
        return lines.numbered(path) if form == LINES else without_line(_objects([path], form, options, more))

    whole = f"({' union all '.join(f'from {it}' for it in items)})"
    return Rows(whole, numbered, (kind_of(source.columns, options),), lines=lines if alike else None)


def kind_of(
    columns: Sequence[FileColumn],
    options: Mapping[str, Option],
    faults: Sequence[Fault] = (),
    beside: tuple[Value, ...] = (),
) -> Kind:
    """Return what objects are, of which ``taken_apart`` made columns; ``faults`` and ``beside`` are of a document."""
    formats = formats_of(options)
    numbers = places(columns)
    values = tuple(value_at(it, f"{FIELDS}[{number}]", formats) for it, number in zip(columns, numbers, strict=True))
    return Kind("", "true", values, (*_faults(columns), *faults), beside)


def value_at(column: FileColumn, text: str, formats: Formats) -> Value:
    """Return the value of ``column``, of whose text, one of ``texts_in``, SQL is given."""
    return nested.value_of(column, text, formats) if is_nested(column.type) else value_of(column, text, formats)


def texts_in(sql: str, columns: Sequence[FileColumn]) -> str:
    """Return SQL of the list of the columns' texts in JSON, at their ``places``; what is nested stays JSON."""
    flat = [path_of(keys_of(it)) for it in columns if not is_nested(it.type)]
    rest = [path_of(keys_of(it)) for it in columns if is_nested(it.type)]
    texts = f"json_extract_string({sql}, {option.listed(flat)})"
    whole = f"json_extract({sql}, {option.listed(rest)})::varchar[]"
    return f"list_concat({texts}, {whole})" if flat and rest else texts if flat else whole


def places(columns: Sequence[FileColumn]) -> tuple[int, ...]:
    """Return where ``texts_in`` has each column, from 1."""
    order = sorted(range(len(columns)), key=lambda it: is_nested(columns[it].type))
    return tuple(order.index(it) + 1 for it in range(len(columns)))


def form_of(path: str, options: Mapping[str, Option]) -> str:
    """Return how a file is written, in DuckDB's words: as the options say, or as it begins."""
    said = option.text(options, "format", "auto")
    if said != "auto":
        return LINES if said == "nd" else said
    with opened(path, options) as file:
        head = file.read(HEAD).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if head.startswith("["):
        return ARRAY
    return LINES if any(map(_is_object, head.split("\n"))) else LOOSE


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def keys_of(column: FileColumn) -> tuple[str, ...]:
    """Return the keys that lead to the column, from its row or, of a section's, from the document's root."""
    return tuple(column.path.split(".")) if column.path else (column.name,)


def path_of(keys: Iterable[str]) -> str:
    """Return keys as DuckDB's path."""
    return "$" + "".join(f'."{key}"' for key in keys)


def taken_apart(columns: Sequence[FileColumn]) -> str:
    """Return SQL of what an object of text is taken apart into, NULL where it is none; each is parsed once."""
    more = f", {_if_object(texts_in(TEXT, columns))} as {FIELDS}"
    more += f", {_if_object(f'json_keys({TEXT})')} as {KEYS}"
    if parents := _parents(columns):
        types = f"json_type({TEXT}, {option.listed(map(path_of, parents))})"
        more += f", {_if_object(types)} as {PARENTS}"
    return more


def _if_object(sql: str) -> str:
    return f"case when json_valid({TEXT}) then case when json_type({TEXT}) = 'OBJECT' then {sql} end end"


def _parents(columns: Sequence[FileColumn]) -> tuple[tuple[str, ...], ...]:
    keys = (keys_of(it) for it in columns)
    return tuple(dict.fromkeys(its[:end] for its in keys for end in range(1, len(its))))


def _faults(columns: Sequence[FileColumn]) -> tuple[Fault, ...]:
    kind = f"'Expected an object, but it is ' || case when json_valid({TEXT}) then json_type({TEXT}) end"
    known = option.listed(dict.fromkeys(keys_of(it)[0] for it in columns))
    unknown = f"array_to_string(list_filter({KEYS}, lambda it: not list_contains({known}, it)), ', ')"
    faults = [
        Fault(None, f"{FIELDS} is null", f"coalesce({kind}, 'Malformed JSON')"),
        Fault(None, f"not list_has_all({known}, {KEYS})", f"'no column is declared for ' || {unknown}"),
        Fault(None, f"len({KEYS}) <> len(list_distinct({KEYS}))", "'a key is there more than once'"),
    ]
    for number, keys in enumerate(_parents(columns), 1):
        found = f"{PARENTS}[{number}] not in ('OBJECT', 'NULL')"
        reason = f"{literal('.'.join(keys) + ' is no object but ')} || {PARENTS}[{number}]"
        faults.append(Fault(None, found, reason))
    return tuple(faults)


def _objects(paths: Sequence[str], form: str, options: Mapping[str, Option], more: str) -> str:
    read = objects_of(paths, form, options, option.number(options, "maximum_object_size") or LINE_SIZE)
    return f"(select {FILE}, {TEXT}{more} from (select j::varchar as {TEXT}, f as {FILE} from {read}))"


def objects_of(paths: Sequence[str], form: str, options: Mapping[str, Option], size: int) -> str:
    """Return the FROM item of the objects ``j``, of ``size`` bytes at most, of the files ``f``."""
    given = {it: option.sql_of(options[it]) for it in ("compression",) if it in options}
    own = {"format": literal(form), "maximum_object_size": str(size), "filename": "true"}
    return f"{reading('read_json_objects', paths, option.arguments({**own, **given}), {'j': 'JSON'})} as objects(j, f)"


def without_line(source: str) -> str:
    """Return the FROM item of rows that have no line."""
    return f"(select *, null::bigint as {LINE} from {source})"
