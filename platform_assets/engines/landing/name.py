"""What the relations of a landing are called, and what is kept beside them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from platform_assets.engines.engine import Landing
from platform_assets.engines.landing.option import listed
from platform_assets.engines.sql import literal, quoted

FILE, LINE, TEXT = "__file", "__line", "__text"
"""Columns of rows that are taken apart in SQL: the path, the line in it from 1, and the row as it stands there."""

QUOTED = re.compile(r'"((?:[^"]|"")*)"')

NOT_KEPT = ""
"""The name of a relation of whose rows none is kept that does not fit."""

ROW_LENGTH = 1_048_576
"""Characters that are kept of a row that does not fit."""


def plain(name: str) -> str:
    """Return the last part of a name, which is quoted with its schema (``"main"."landing/orders.csv"``) or bare."""
    parts = QUOTED.findall(name)
    return parts[-1].replace('""', '"') if parts else name


def of_kind(name: str, kind: str) -> str:
    """Return the quoted ``name`` of a file's relation as that of one of its kinds of record."""
    return f'{name[:-1]}#{kind.replace(chr(34), chr(34) * 2)}"'


def rejects(name: str) -> str:
    """Return the name of DuckDB's table of what it rejects while it reads ``name``, ``…_scan`` of the files it read."""
    return f"rejects_{sha256(plain(name).encode()).hexdigest()[:16]}"


def reading(function: str, paths: Sequence[str], arguments: str, columns: Mapping[str, str]) -> str:
    """Return the call of a reading function; of no file, which it would refuse, no row of its ``columns``."""
    if paths:
        # a folder called year=2024 would be a column, in place of one of that name in the file
        return f"{function}({listed(paths)}{arguments}, hive_partitioning = false)"
    none = ", ".join(f"null::{kind} as {quoted(name)}" for name, kind in columns.items())
    return f"(select {none}, null::varchar as {FILE} where false)"


def kept_rejects(name: str) -> dict[str, str]:
    """Return the arguments by which DuckDB keeps what it rejects, in tables that no other relation has."""
    if name == NOT_KEPT:
        return {"ignore_errors": "true"}
    table = rejects(name)
    return {
        "store_rejects": "true",
        "rejects_table": literal(table),
        "rejects_scan": literal(f"{table}_scan"),
    }


def without_paths(text: str, landings: Iterable[Landing]) -> str:
    """Return what DuckDB says with files called as they may be shown."""
    names = {path: name for it in landings for path, name in zip(it.paths, it.shown, strict=True)}
    names |= {part.path: it.source.name for it in landings for part in it.parts}
    # one path may begin another
    for path in sorted(names, key=len, reverse=True):
        text = text.replace(path, names[path])
    return text


def shown(landing: Landing, path: str) -> str:
    """Return the SQL of a file's name as it may be shown, of ``path``, the SQL of its path."""
    if not landing.paths:
        return "null::varchar"
    first, name = landing.paths[0], landing.shown[0]
    if len(landing.paths) == 1:
        return literal(name)
    same = 0
    while same < min(len(first), len(name)) and first[len(first) - 1 - same] == name[len(name) - 1 - same]:
        same += 1
    before, instead = first[: len(first) - same], name[: len(name) - same]
    if all(instead + it[len(before) :] == seen for it, seen in zip(landing.paths, landing.shown, strict=True)) and all(
        it.startswith(before) for it in landing.paths
    ):
        return f"{literal(instead)} || substring({path}, {len(before) + 1})"
    pairs = ", ".join(f"{literal(it)}: {literal(seen)}" for it, seen in zip(landing.paths, landing.shown, strict=True))
    return f"map_extract_value(map {{{pairs}}}, {path})"
