"""The columns of a file, a kind of record or a section, out of ``sources.toml``."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from governance.landing.model import DOCUMENT, RECORD_TYPE, FileColumn, Format
from governance.landing.strptime import FIX, format_problem
from governance.policy_file import Section
from governance.sql_type import EXPECTED, KEY, MAP, SqlType, is_nested, parsed, sql_type

UNNESTED = {
    Format.FIXED: "declare it as varchar, and take it apart in SQL",
    Format.XML: "declare what is below it as columns of their own, each with its path",
}
"""What to do about a nested type where a format has none."""

DATED = ("date", "time", "timestamp", "timestamptz")


def column_type(columns: Section, key: str) -> str:
    """Return the SQL type under ``key``.

    Raises:
        PolicyError: it is no type that Iceberg stores.
    """
    text = columns.text(key)
    name = sql_type(text)
    if name is None:
        raise columns.wrong(key, f"{text!r} is no type that Iceberg stores", fix=EXPECTED)
    return name


def read_columns(parent: Section, form: Format, *, taken: tuple[int, int] | None = None) -> tuple[FileColumn, ...]:
    """Return the columns of ``parent``, a file or a kind of record; ``taken`` is the discriminator's place.

    Raises:
        PolicyError: there are none, or one is wrong.
    """
    columns = parent.section("columns")
    if not columns.values:
        fix = 'add columns.name = "type" lines; `headwater sniff` proposes them from the file'
        raise parent.wrong("columns", "it names no column", fix=fix)
    read = tuple(_column(columns, name, form) for name in columns.values)
    require_distinct(columns, columns.values)
    _require_apart(columns, read, taken)
    return read


def read_part(sections: Section, name: str, form: Format) -> tuple[FileColumn, ...]:
    """Return the values of the part ``name`` of a document, each with its path from the document's root.

    Raises:
        PolicyError: there are none, or one is wrong.
    """
    part = sections.section(name)
    if not part.values:
        raise sections.wrong(name, "it names no value", fix='add name = "type" lines')
    require_distinct(part, part.values)
    for value in part.values:
        require_no_dot(part, value)
    read = (_column(part, value, form) for value in part.values)
    return tuple(FileColumn(it.name, it.type, format=it.format, path=it.path or f"{name}.{it.name}") for it in read)


def require_no_dot(section: Section, name: str) -> None:
    """Raise PolicyError where a part of ``$doc.header.batch_date`` itself has a dot."""
    if "." in name:
        fix = 'name it without dot, and say where it is: { type = "…", path = "a.b" }'
        raise section.wrong(name, f"a dot parts {DOCUMENT}, section and value", fix=fix)


def require_distinct(section: Section, names: Iterable[str]) -> None:
    """Raise PolicyError where two names are one to SQL, which does not look at case."""
    seen: dict[str, str] = {}
    for name in names:
        if earlier := seen.get(name.lower()):
            raise section.wrong(name, f"{earlier} and {name} are one name in SQL", fix="name them apart")
        seen[name.lower()] = name


def dotted_path(section: Section, key: str) -> str:
    """Return the dotted path under ``key``, empty where the key is left out."""
    path = section.optional_text(key) or ""
    if path and not all(part.strip() == part != "" for part in path.split(".")):
        raise section.wrong(key, f"{path!r} is no path", fix='write names with dots between them: "body.payments"')
    return path


def place(section: Section, key: str) -> tuple[int, int]:
    """Return the place under ``key``: first and last character, 1-based."""
    value = section.values[key]
    numbers = isinstance(value, list) and all(isinstance(it, int) and not isinstance(it, bool) for it in value)
    if not numbers or len(value) != 2 or not 1 <= value[0] <= value[1]:  # noqa: PLR2004 -- first and last
        fix = f"write {key} = [first, last], counted from 1"
        raise section.wrong(key, f"{value!r} is no place in a line", fix=fix)
    return value[0], value[1]


def _column(columns: Section, name: str, form: Format) -> FileColumn:
    _require_name(columns, name)
    if not isinstance(columns.values[name], dict):
        column = FileColumn(name, column_type(columns, name))
        place_there = None
    else:
        section = columns.section(name)
        section.only("type", "at", "format", "path")
        place_there = _place(section, form)
        written, path = _written(section, form), _path(section, form)
        column = FileColumn(name, column_type(section, "type"), place_there, written, path)
    _require_readable(columns, column, form)
    if form is Format.FIXED and place_there is None:
        fix = f'write {{ type = "{column.type}", at = [first, last] }}, counted from 1'
        raise columns.wrong(name, "a file of fixed places must say where the column is", fix=fix)
    return column


def _require_readable(columns: Section, column: FileColumn, form: Format) -> None:
    """Raise PolicyError where a file of the format cannot have values of the column's type."""
    if not is_nested(column.type):
        return
    if fix := UNNESTED.get(form):
        raise columns.wrong(column.name, f"{column.type}: {form.value} has no nested values", fix=fix)
    kind = parsed(column.type)
    if form is Format.CSV and kind is not None and any(it.sql != "varchar" for _, it in kind.members):
        # DuckDB takes what does not fit within for NULL, and does not reject the row
        fix = "declare what is in it as varchar, or the whole as varchar, and cast it in SQL"
        raise columns.wrong(column.name, f"{column.type}: what is in a list, struct or map of a csv is text", fix=fix)
    if form is Format.JSON and kind is not None and not _keys_are_names(kind):
        fix = "give the map keys of another type, such as varchar"
        raise columns.wrong(
            column.name, f"{column.type}: what names a value in JSON is no list, struct or map", fix=fix
        )


def _keys_are_names(kind: SqlType) -> bool:
    flat = kind.name != MAP or not dict(kind.members)[KEY].members
    return flat and all(_keys_are_names(member) for _, member in kind.members)


def _require_name(columns: Section, name: str) -> None:
    if not name.strip() or not name.isprintable():
        raise columns.wrong(name, f"{name!r} is no name of a column", fix="name it as SQL shall call it")
    if name.lower().split(".")[0] == DOCUMENT:
        fix = "name it otherwise; a document's header is declared as sections.header.name"
        raise columns.wrong(name, f"{DOCUMENT} is what SQL calls the document itself", fix=fix)


def _place(section: Section, form: Format) -> tuple[int, int] | None:
    if "at" not in section.values:
        return None
    if form is not Format.FIXED:
        fix = 'take it out, or write format = "fixed" for the file'
        raise section.wrong("at", f"a {form.value} file has no fixed places", fix=fix)
    return place(section, "at")


def _written(section: Section, form: Format) -> str:
    text = section.optional_text("format") or ""
    if not text:
        return ""
    if form is Format.PARQUET:
        raise section.wrong("format", "a parquet file has dates and times as such", fix="take it out")
    if column_type(section, "type") not in DATED:
        fix = f"take it out, or write type = one of {', '.join(DATED)}"
        raise section.wrong("format", "only dates and times have a format", fix=fix)
    if wrong := format_problem(text):
        raise section.wrong("format", wrong, fix=FIX)
    return text


def _path(section: Section, form: Format) -> str:
    if "path" in section.values and form not in {Format.JSON, Format.XML}:
        fix = "take it out: the column is named as in the file"
        raise section.wrong("path", f"a {form.value} file has no paths", fix=fix)
    return dotted_path(section, "path")


def _require_apart(columns: Section, read: tuple[FileColumn, ...], taken: tuple[int, int] | None) -> None:
    """Raise PolicyError where two columns share a character of the line."""
    places = sorted(_places(read, taken))
    for (before, earlier), (after, later) in pairwise(places):
        if after[0] <= before[1]:
            name, other = (later, earlier) if later != RECORD_TYPE else (earlier, later)
            fix = "count the characters from 1, both ends included"
            raise columns.wrong(name, f"it overlaps {other} at character {after[0]}", fix=fix)


def _places(read: tuple[FileColumn, ...], taken: tuple[int, int] | None) -> Iterator[tuple[tuple[int, int], str]]:
    if taken is not None:
        yield taken, RECORD_TYPE
    for column in read:
        if column.place is not None:
            yield column.place, column.name
