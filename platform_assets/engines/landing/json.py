"""JSON: an object a line, an array of objects, or a document with its rows somewhere inside."""

import json
from collections.abc import Iterable, Mapping, Sequence

from governance.landing.datasets import document_field
from governance.landing.model import DOCUMENT, FileColumn, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.csv import formats_of
from platform_assets.engines.landing.line import LINE_SIZE, lines_of
from platform_assets.engines.landing.name import FILE, LINE, TEXT, reading, shown
from platform_assets.engines.landing.opened import opened
from platform_assets.engines.landing.text import Kind, Rows
from platform_assets.engines.landing.value import Fault, Value, value_of
from platform_assets.engines.sql import literal, quoted

LINES, ARRAY, LOOSE = "newline_delimited", "array", "unstructured"
FIELDS, KEYS, PARENTS, SECTIONS = "__fields", "__keys", "__parents", "__sections"
HEAD = 65_536
"""Bytes by which it is told how a file is written."""


def rows_of(name: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of JSON files, by the paths of their columns."""
    source = landing.source
    more = _taken_apart(source.columns)
    if source.rows:
        return _document(landing, options, more)
    lines = lines_of(name, options, more, {"max_line_size": str(LINE_SIZE)})
    forms = {path: form_of(path, options) for path in landing.paths}
    items = [
        lines.of(paths) if form == LINES else _objects(paths, form, options, more)
        for form in (LINES, ARRAY, LOOSE)
        if (paths := [path for path, its in forms.items() if its == form])
    ]

    def numbered(path: str) -> str:
        form = forms[path]
        return lines.numbered(path) if form == LINES else _without_line(_objects([path], form, options, more))

    whole = f"({' union all '.join(f'from {it}' for it in items)})"
    return Rows(whole, numbered, (Kind("", "true", _values(source.columns, options), _faults(source.columns)),))


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


def _taken_apart(columns: Sequence[FileColumn]) -> str:
    """Return SQL of what an object of text is taken apart into, NULL where it is none; each is parsed once."""
    texts = option.listed(path_of(keys_of(it)) for it in columns)
    more = f", {_if_object(f'json_extract_string({TEXT}, {texts})')} as {FIELDS}"
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


def _values(columns: Sequence[FileColumn], options: Mapping[str, Option]) -> tuple[Value, ...]:
    formats = formats_of(options)
    return tuple(value_of(it, f"{FIELDS}[{number}]", formats) for number, it in enumerate(columns, 1))


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
    read = _read(paths, form, options, option.number(options, "maximum_object_size") or LINE_SIZE)
    return f"(select {FILE}, {TEXT}{more} from (select j::varchar as {TEXT}, f as {FILE} from {read}))"


def _read(paths: Sequence[str], form: str, options: Mapping[str, Option], size: int) -> str:
    given = {it: option.sql_of(options[it]) for it in ("compression",) if it in options}
    own = {"format": literal(form), "maximum_object_size": str(size), "filename": "true"}
    return f"{reading('read_json_objects', paths, option.arguments({**own, **given}), {'j': 'JSON'})} as objects(j, f)"


def _without_line(source: str) -> str:
    return f"(select *, null::bigint as {LINE} from {source})"


def _document(landing: Landing, options: Mapping[str, Option], more: str) -> Rows:
    """Return the rows of documents, each of which is read as one object."""
    source = landing.source
    size = max(LINE_SIZE, option.number(options, "maximum_object_size"), *(_size(it, options) for it in landing.paths))
    rows = path_of(source.rows.split("."))
    none = f"error({shown(landing, 'f')} || {literal(f' has no array at {source.rows}')})"
    found = f"json_extract(j, {literal(rows + '[*]')})"
    each = f"case when json_type(j, {literal(rows)}) = 'ARRAY' then {found} else {none} end"
    columns = [it for section in source.sections for it in section.columns]
    said = f", json_extract_string(j, {option.listed(path_of(keys_of(it)) for it in columns)}) as {SECTIONS}"

    def items(paths: Sequence[str]) -> str:
        read = _read(paths, LOOSE, options, size)
        rows = f"(select f as {FILE}, unnest({each})::varchar as {TEXT}{said if columns else ''} from {read})"
        return f"(select *{more} from {rows})"

    document, faults = document_of(landing, options)
    kind = Kind("", "true", _values(source.columns, options), (*_faults(source.columns), *faults), document)
    return Rows(items(landing.paths), lambda path: _without_line(items([path])), (kind,))


def document_of(landing: Landing, options: Mapping[str, Option]) -> tuple[tuple[Value, ...], tuple[Fault, ...]]:
    """Return the column of a document's sections, whose texts ``__sections`` has, and what may be wrong in it."""
    faults: list[Fault] = []
    sections: list[str] = []
    number = 0
    for section in landing.source.sections:
        members: list[str] = []
        for column in section.columns:
            number += 1
            value = value_of(column, f"{SECTIONS}[{number}]", formats_of(options))
            members.append(f"{quoted(column.name)} := {value.sql}")
            if value.fault:
                name = document_field(section.name, column.name)
                faults.append(Fault(name, value.fault.found, value.fault.reason))
        sections.append(f"{quoted(section.name)} := struct_pack({', '.join(members)})")
    if not sections:
        return (), ()
    return (Value(DOCUMENT, f"struct_pack({', '.join(sections)})"),), tuple(faults)


def _size(path: str, options: Mapping[str, Option]) -> int:
    """Return the bytes of a file, decompressed."""
    with opened(path, options) as file:
        return sum(map(len, iter(lambda: file.read(LINE_SIZE), b"")))
