"""A query of which only the rows of one span of time are wanted."""

from dataclasses import replace
from datetime import datetime

import pyarrow as pa

from governance.windows import Window
from platform_assets.engines.engine import Query, QueryError
from platform_assets.engines.sql import literal, quoted


def restricted(query: Query, schema: pa.Schema) -> Query:
    """Return ``query``, whose columns are ``schema``, with the rows of its window only; every line stays where it was.

    The condition stands around the query, so that it is right for any; engines take it as far inside as that is so.

    Raises:
        QueryError: the window's column is no date and no timestamp.
    """
    if query.within is None:
        return query
    window = query.within.placed(schema.names)
    start, end = (_time(query, window, schema, at) for at in (window.start, window.end))
    column = quoted(window.column)
    text = f"select * from ({query.text}\n) as whole where {column} >= {start} and {column} < {end}"  # noqa: S608  # names are quoted
    return replace(query, text=text, within=None)


def _time(query: Query, window: Window, schema: pa.Schema, at: datetime) -> str:
    kind = schema.field(window.column).type
    if pa.types.is_date(kind):
        return f"date {literal(f'{at:%Y-%m-%d}')}"
    if pa.types.is_timestamp(kind):
        zone = "+00:00" if kind.tz else ""
        return f"timestamp{'tz' if zone else ''} {literal(f'{at:%Y-%m-%d %H:%M:%S}{zone}')}"
    problem = f"{window.column} is a {kind}, which is no time that partitions are told by"
    raise QueryError(problem, file=query.file, fix=f"cast {window.column} to date or timestamp")
