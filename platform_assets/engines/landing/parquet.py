"""Parquet by the names of its columns: a file's own types are the declared ones, or widen to them."""

import re
from collections.abc import Mapping

from governance.landing.model import FileColumn, Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.name import FILE, reading, shown
from platform_assets.engines.sql import literal, quoted, seen

FLOATS = re.compile(r"\b(real|double)\b")
"""In a declared type, that of a member too."""


def view(name: str, landing: Landing, options: Mapping[str, Option]) -> str:
    """Return the statement that makes ``name``, quoted with its schema."""
    given = {it: option.sql_of(value) for it, value in options.items()}
    read = option.arguments({"union_by_name": "true", "filename": literal(FILE), **given})
    types = {it.name: it.type for it in landing.source.columns}
    source = reading("read_parquet", landing.paths, read, types)
    columns = [f"cast({_value(it)} as {it.type}) as {quoted(it.name)}" for it in landing.source.columns]
    if landing.source.filename:
        columns.append(f"{shown(landing, FILE)} as {quoted(landing.source.filename)}")
    return f"create view {name} as select {', '.join(columns)} from {source}"


def _value(column: FileColumn) -> str:
    # whoever wrote the file may have given it a min and a max that pass over NaN
    return seen(column.name) if FLOATS.search(column.type) else quoted(column.name)
