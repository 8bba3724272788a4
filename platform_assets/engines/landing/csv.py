"""CSV by DuckDB's own reader: it converts every declared column, and keeps the lines that do not fit."""

from collections.abc import Mapping, Sequence

from governance.landing.model import FileColumn, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.name import FILE, kept_rejects, reading, rejects, shown
from platform_assets.engines.landing.value import Fault, Formats, any_of, kind, value_of
from platform_assets.engines.landing.whole import in_one_piece
from platform_assets.engines.sql import literal, quoted

DATED = {"date": "dateformat", "timestamp": "timestampformat"}
"""The types whose form the reader can be told, one for a file, each by its option."""


def native(columns: Sequence[FileColumn], options: Mapping[str, Option]) -> Mapping[str, str]:
    """Return the form that DuckDB's reader takes for each of ``DATED``: that of the first column that has the type."""
    formats = formats_of(options)
    first: dict[str, str] = {}
    for column in columns:
        if column.type in DATED:
            first.setdefault(column.type, formats.of(column))
    return first


def late(columns: Sequence[FileColumn], options: Mapping[str, Option]) -> tuple[FileColumn, ...]:
    """Return the columns that are read as text and converted after: those in a form that the reader was not told."""
    told, formats = native(columns, options), formats_of(options)
    return tuple(it for it in columns if formats.of(it) != told.get(it.type, "") and it.type != "varchar")


def formats_of(options: Mapping[str, Option]) -> Formats:
    """Return how dates and times are written where a column does not say so."""
    return Formats(option.text(options, "dateformat", ""), option.text(options, "timestampformat", ""))


def read(name: str, paths: Sequence[str], types: Mapping[str, str], options: Mapping[str, Option]) -> str:
    """Return the call of DuckDB's reader, with each column's SQL type; what does not fit is kept under ``name``."""
    given = {it: option.sql_of(value) for it, value in options.items() if it not in DATED.values()}
    columns = ", ".join(f"{literal(column)}: {literal(of)}" for column, of in types.items())
    own = {"columns": f"{{{columns}}}", "auto_detect": "false", "filename": literal(FILE), **kept_rejects(name)}
    dated = {it: option.sql_of(options[it]) for it in DATED.values() if options.get(it)}
    return reading(
        "read_csv",
        paths,
        option.arguments({"header": "true", **given, **in_one_piece(paths, options), **dated, **own}),
        types,
    )


def view(name: str, landing: Landing, options: Mapping[str, Option]) -> str:
    """Return the statement that makes ``name``, quoted with its schema."""
    columns, after = landing.source.columns, late(landing.source.columns, options)
    values = {it.name: value_of(it, quoted(it.name), formats_of(options)).sql for it in after}
    selected = [f"{values[it.name]} as {quoted(it.name)}" if it in after else quoted(it.name) for it in columns]
    if landing.source.filename:
        selected.append(f"{shown(landing, FILE)} as {quoted(landing.source.filename)}")
    fits = f"{every_column(name, columns)} and not {any_of(_faults(after, options))}"
    return f"create view {name} as select {', '.join(selected)} from {_source(name, landing, options)} where {fits}"


def count(name: str, landing: Landing, options: Mapping[str, Option]) -> str:
    """Return the SELECT of how many rows fit, and how many do not of those that DuckDB's reader let through."""
    columns = landing.source.columns
    bad = any_of(_faults(late(columns, options), options))
    source = f"{_source(name, landing, options)} where {every_column(name, columns)}"
    return f"select count(*) filter (not {bad}), count(*) filter ({bad}) from {source}"


def first(name: str, landing: Landing, options: Mapping[str, Option]) -> str:
    """Return the SELECT of a row that fits, if there is one."""
    columns = landing.source.columns
    bad = any_of(_faults(late(columns, options), options))
    source = f"{_source(name, landing, options)} where {every_column(name, columns)}"
    return f"select 1 from {source} and not {bad} limit 1"


def searches(name: str, landing: Landing, options: Mapping[str, Option]) -> tuple[str, ...]:
    """Return the SELECTs by which DuckDB's reader rejects what is converted after it, one for each form of dates."""
    columns, formats = landing.source.columns, formats_of(options)
    forms: dict[str, list[FileColumn]] = {}
    for column in late(columns, options):
        forms.setdefault(formats.of(column), []).append(column)
    return tuple(_search(name, landing, options, form, its) for form, its in forms.items())


def _search(
    name: str, landing: Landing, options: Mapping[str, Option], form: str, columns: Sequence[FileColumn]
) -> str:
    # a form of times is one of dates too
    as_type = {it.name: kind(it.type if not form or it.type == "date" else "timestamp") for it in columns}
    types = {it.name: as_type.get(it.name, "VARCHAR") for it in landing.source.columns}
    told = dict.fromkeys(DATED.values(), form)
    source = read(name, landing.paths, types, {**options, **told})
    return f"select count(*) from {source} where {every_column(name, columns)}"


def _source(name: str, landing: Landing, options: Mapping[str, Option]) -> str:
    columns = landing.source.columns
    after = late(columns, options)
    types = {it.name: "VARCHAR" if it in after else kind(it.type) for it in columns}
    told = {DATED[of]: form for of, form in native(columns, options).items()}
    return read(name, landing.paths, types, {**options, **told})


def _faults(columns: Sequence[FileColumn], options: Mapping[str, Option]) -> tuple[Fault, ...]:
    values = (value_of(it, quoted(it.name), formats_of(options)) for it in columns)
    return tuple(it.fault for it in values if it.fault is not None)


def mark(name: str) -> str:
    """Return the text by which a plan tells that it reads all of the relation ``name``."""
    return f"every column for {rejects(name)}"


def every_column(name: str, columns: Sequence[FileColumn]) -> str:
    """Return a condition that is true of each row and names every column, so that a query has all of them converted.

    DuckDB does not convert a column that a query does not ask for, and then does not see what is wrong in it. The first
    column decides each row: what names the others is computed for none.
    """
    first, names = quoted(columns[0].name), ", ".join(quoted(it.name) for it in columns)
    never = f"hash({names}, {literal(mark(name))}) is null"
    return f"case when {first} is null then true when {first} is not null then true else {never} end"
