"""The beginning of a file, compared with what is declared of it."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

import duckdb

from governance.landing.model import FileColumn, FileSource, Option
from governance.sql_type import STRUCT, SqlType, is_nested, parsed, read
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import document, json, line, nested, option
from platform_assets.engines.landing.name import TEXT
from platform_assets.engines.landing.opened import opened_text
from platform_assets.engines.landing.value import kind, without_values
from platform_assets.engines.sql import literal

SAMPLE = 1_000
"""Rows of a file that are looked at."""

WIDENS = (
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE"),
    ("UTINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE"),
    ("USMALLINT", "INTEGER", "BIGINT", "DOUBLE"),
    ("UINTEGER", "BIGINT", "DOUBLE"),
    ("TINYINT", "SMALLINT", "FLOAT", "DOUBLE"),
    ("DATE", "TIMESTAMP"),
    ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP"),
)
"""Types, each of which holds every value of those before it."""

DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "UTINYINT": 3, "USMALLINT": 5, "UINTEGER": 10}
"""Digits of whole numbers."""

DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def delimited(
    _: duckdb.DuckDBPyConnection, source: FileSource, path: str, options: Mapping[str, Option]
) -> Iterator[str]:
    """Yield what is wrong with the names, or the number, of a delimited file's columns."""
    if source.records or (first := first_record(path, options)) is None:
        return
    declared = [it.name for it in source.columns]
    if options.get("header", True):
        yield from differences(first, declared, ordered=True)
    elif len(first) != len(declared) and not options.get("null_padding"):
        yield f"its lines have {len(first)} fields, and {len(declared)} columns are declared"


def first_record(path: str, options: Mapping[str, Option]) -> Sequence[str] | None:
    """Return the fields of a delimited file's first record, None where it has none."""
    delim, quote = option.text(options, "delim", ","), option.text(options, "quote", '"')
    with opened_text(path, options) as file:
        lines = _noted(file, option.number(options, "skip"), option.text(options, "comment", ""))
        if len(delim) != 1:
            first = next(lines, None)
            return None if first is None else first.rstrip("\r\n").split(delim)
        escape = option.text(options, "escape", quote)
        reader = csv.reader(
            lines,
            delimiter=delim,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
            doublequote=escape == quote,
            escapechar=escape if escape not in {"", quote} else None,
        )
        return next(reader, None)


def differences(found: Sequence[str], declared: Sequence[str], *, ordered: bool) -> Iterator[str]:
    """Yield how the names of columns differ, by name; SQL does not look at case."""
    names = {it.strip().lower(): it.strip() for it in found}
    wanted = {it.lower(): it for it in declared}
    missing = [it for key, it in wanted.items() if key not in names]
    added = [it for key, it in names.items() if key not in wanted]
    if missing:
        yield f"{told(missing)} missing"
    if added:
        yield f"{told(added)} not declared"
    if ordered and not missing and not added and list(names) != list(wanted):
        yield f"the columns stand in another order: {', '.join(names.values())}, and declared are {', '.join(declared)}"
    counts = Counter(it.strip().lower() for it in found)
    if twice := [names[key] for key, count in counts.items() if count > 1]:
        yield f"{told(twice)} there more than once"


def told(names: Sequence[str]) -> str:
    """Return names of columns with the verb that they take."""
    return f"column {names[0]} is" if len(names) == 1 else f"columns {', '.join(names)} are"


def _noted(file: Iterator[str], skip: int, comment: str) -> Iterator[str]:
    """Yield the lines after those that are skipped, comments left out."""
    for line_ in islice(file, skip, None):
        if not comment or not line_.startswith(comment):
            yield line_


def parquet(
    connection: duckdb.DuckDBPyConnection, source: FileSource, path: str, _: Mapping[str, Option]
) -> Iterator[str]:
    """Yield what is wrong with the names and types of a Parquet file's columns."""
    described = connection.execute(f"describe from read_parquet({literal(path)})").fetchall()
    found = {name: type_ for name, type_, *_ in described}
    yield from differences(list(found), [it.name for it in source.columns], ordered=False)
    types = {name.lower(): type_ for name, type_ in found.items()}
    for column in source.columns:
        has = types.get(column.name.lower())
        if has is None:
            continue
        if is_nested(column.type):
            yield from _nested_differences(column.name, read(has), parsed(column.type))
        elif not widens(has, kind(column.type)):
            yield f"column {column.name} is {has.lower()}, and {column.type} is declared"


def _nested_differences(name: str, has: SqlType | None, wanted: SqlType | None) -> Iterator[str]:
    """Yield how the type of a column, or of a member of one, differs from the declared one; members go by name."""
    if has is None or wanted is None:
        yield f"column {name} is of a type that is not read"
    elif has.name != wanted.name if has.members or wanted.members else not widens(kind(has.name), kind(wanted.name)):
        yield f"column {name} is {has.plain}, and {wanted.plain} is declared"
    elif wanted.members:
        dotted = f"{name}." if wanted.name == STRUCT else ""
        own, other = ({dotted + it: of for it, of in side.members} for side in (wanted, has))
        yield from differences(list(other), list(own), ordered=False)
        found = {it.lower(): of for it, of in other.items()}
        for member, of in own.items():
            its = found.get(member.lower(), of)
            if dotted or of.members:
                yield from _nested_differences(member if dotted else name, its, of)
            elif not widens(kind(its.name), kind(of.name)):
                yield f"column {name} is {has.plain}, and {wanted.plain} is declared"


def widens(has: str, wanted: str) -> bool:
    """Return whether a column of type ``has``, as DuckDB writes it, is one of ``wanted`` with nothing lost."""
    if has == wanted or any(has in its and wanted in its[its.index(has) :] for its in WIDENS):
        return True
    goal = DECIMAL.fullmatch(wanted)
    if goal is None:
        return False
    whole, after = int(goal[1]) - int(goal[2]), int(goal[2])
    if mine := DECIMAL.fullmatch(has):
        return int(mine[1]) - int(mine[2]) <= whole and int(mine[2]) <= after
    return DIGITS.get(has, whole + 1) <= whole


def lines(
    connection: duckdb.DuckDBPyConnection, source: FileSource, path: str, options: Mapping[str, Option]
) -> Iterator[str]:
    """Yield which columns lie beyond the end of all lines of a file of fixed places."""
    rows = line.fixed(source.name, Landing(source, (path,), (source.name,)), options)
    longest = f"select max(length({TEXT})) from (from {rows.source} limit {SAMPLE})"
    ((length,),) = connection.execute(longest).fetchall()
    if length is None:
        return
    columns = source.columns or tuple(it for record in source.records[:1] for it in record.columns)
    beyond = [it.name for it in columns if it.place and it.place[1] > length]
    if beyond:
        yield f"its lines have {length} characters, beyond which {told(beyond)} declared"


def objects(
    connection: duckdb.DuckDBPyConnection, source: FileSource, path: str, options: Mapping[str, Option]
) -> Iterator[str]:
    """Yield which keys no row has, and which are not declared, of the first rows of a file of JSON."""
    if source.rows and (problems := list(_document(connection, source, path, options))):
        yield from problems
        return
    make = document.rows_of if source.rows else json.rows_of
    rows = make(source.name, Landing(source, (path,), (source.name,)), options)
    keys = f"select distinct unnest({json.KEYS}) from (from {rows.source} limit {SAMPLE})"
    found = [str(key) for (key,) in connection.execute(keys).fetchall()]
    if found:
        declared = list(dict.fromkeys(json.keys_of(it)[0] for it in source.columns))
        yield from differences(found, declared, ordered=False)
    for column, number in zip(source.columns, json.places(source.columns), strict=True):
        if is_nested(column.type):
            paths = nested.members_in(column, f"{json.FIELDS}[{number}]")
            within = f"select distinct unnest({paths}) from (from {rows.source} limit {SAMPLE})"
            yield from _member_differences(column, {str(it) for (it,) in connection.execute(within).fetchall()})


def _member_differences(column: FileColumn, seen: AbstractSet[str]) -> Iterator[str]:
    # where no row has the struct, none of its members is missing
    known = [it for it in nested.members_of(column) if f"{it.rpartition('.')[0]}." in seen]
    yield from differences(sorted(it for it in seen if not it.endswith(".")), known, ordered=False)


def _document(
    connection: duckdb.DuckDBPyConnection, source: FileSource, path: str, options: Mapping[str, Option]
) -> Iterator[str]:
    """Yield what is wrong around the rows of documents."""
    for rows, missing, wrong in connection.execute(document.probe_of(source, path, options)).fetchall():
        if rows != "ARRAY":
            yield f"it has no array at {source.rows}"
        if names := [it for it in missing if it]:
            yield f"{told(names)} missing"
        yield from (without_values(it) for it in wrong if it)
