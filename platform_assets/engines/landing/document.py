"""Documents: rows somewhere inside, and sections around them whose values are one for all rows."""

from collections.abc import Mapping, Sequence

from governance.landing.datasets import document_field
from governance.landing.model import DOCUMENT, FileColumn, FileSource, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.csv import formats_of
from platform_assets.engines.landing.json import (
    LOOSE,
    keys_of,
    kind_of,
    objects_of,
    path_of,
    places,
    taken_apart,
    texts_in,
    value_at,
    without_line,
)
from platform_assets.engines.landing.lines import LINE_SIZE
from platform_assets.engines.landing.name import FILE, TEXT, shown
from platform_assets.engines.landing.opened import opened
from platform_assets.engines.landing.text import Rows
from platform_assets.engines.landing.value import Fault, Value
from platform_assets.engines.sql import literal, quoted

SECTIONS = "__sections"
"""The texts of the sections' values, in declared order."""


def rows_of(_: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of documents of JSON, each of which is read as one object."""
    source, size = landing.source, _size(landing.paths, options)
    rows = path_of(source.rows.split("."))
    none = f"error({shown(landing, 'f')} || {literal(f' has no array at {source.rows}')})"
    found = f"json_extract(j, {literal(rows + '[*]')})"
    each = f"case when json_type(j, {literal(rows)}) = 'ARRAY' then {found} else {none} end"

    def items(paths: Sequence[str]) -> str:
        read = objects_of(paths, LOOSE, options, size)
        rows = f"(select f as {FILE}, unnest({each})::varchar as {TEXT}{_texts(source)} from {read})"
        return f"(select *{taken_apart(source.columns)} from {rows})"

    beside, faults = sections_of(source, options)
    kind = kind_of(source.columns, options, faults, beside)
    return Rows(items(landing.paths), lambda path: without_line(items([path])), (kind,))


def probe_of(source: FileSource, path: str, options: Mapping[str, Option]) -> str:
    """Return the SELECT of what each document of a file is: the type at its rows' path, what is missing, what is wrong.

    What is missing are names of sections' values, what is wrong sentences; there may be NULLs among them.
    """
    rows = literal(path_of(source.rows.split(".")))
    fields = section_fields(source)
    missing = [f"case when not json_exists(j, {literal(_path(it))}) then {literal(name)} end" for name, it in fields]
    _, faults = sections_of(source, options)
    wrong = [f"case when {it.found} then {literal(f'{it.column}: ')} || {it.reason} end" for it in faults]
    read = f"(select j{_texts(source)} from {objects_of([path], LOOSE, options, _size([path], options))})"
    return f"select json_type(j, {rows}), [{', '.join(missing)}], [{', '.join(wrong)}] from {read}"


def section_fields(source: FileSource) -> list[tuple[str, FileColumn]]:
    """Return the values of the sections by their fields' names, in declared order."""
    return [(document_field(section.name, it.name), it) for section in source.sections for it in section.columns]


def sections_of(source: FileSource, options: Mapping[str, Option]) -> tuple[tuple[Value, ...], tuple[Fault, ...]]:
    """Return the column that has the sections, out of ``__sections``, and what may be wrong in them."""
    formats = formats_of(options)
    fields = section_fields(source)
    numbers = zip(fields, places([it for _, it in fields]), strict=True)
    values = {name: value_at(it, f"{SECTIONS}[{number}]", formats) for (name, it), number in numbers}
    faults = tuple(Fault(name, it.fault.found, it.fault.reason) for name, it in values.items() if it.fault)
    sections = []
    for section in source.sections:
        members = [
            f"{quoted(it.name)} := {values[document_field(section.name, it.name)].sql}" for it in section.columns
        ]
        sections.append(f"{quoted(section.name)} := struct_pack({', '.join(members)})")
    return ((Value(DOCUMENT, f"struct_pack({', '.join(sections)})"),), faults) if sections else ((), ())


def _texts(source: FileSource) -> str:
    columns = [it for _, it in section_fields(source)]
    return f", {texts_in('j', columns)} as {SECTIONS}" if columns else ""


def _path(column: FileColumn) -> str:
    return path_of(keys_of(column))


def _size(paths: Sequence[str], options: Mapping[str, Option]) -> int:
    """Return the bytes of the largest file, decompressed: no object is larger."""
    return max([LINE_SIZE, option.number(options, "maximum_object_size"), *(_bytes(it, options) for it in paths)])


def _bytes(path: str, options: Mapping[str, Option]) -> int:
    with opened(path, options) as file:
        return sum(map(len, iter(lambda: file.read(LINE_SIZE), b"")))
