"""What a cell of an export says: text, an instant, or a list of tables; exports spell each in several ways."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Objects = tuple[tuple[str, tuple[str, ...] | None], ...]
"""Tables with the columns read of each, None where those are not said."""


def text_in(value: Any) -> str:
    """Return ``value`` as text, a list with commas between, nothing for none."""
    if value is None:
        return ""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def time_in(value: Any) -> datetime | None:
    """Return a time with a zone, a naive one read as UTC: datetime, ISO text, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        value = _written(value.strip())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = _since_epoch(value)
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


MILLISECONDS = 100_000_000_000
"""A number of seconds since 1970 beyond this lies 3,000 years off: it counts milliseconds."""


def _since_epoch(number: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(number / 1000 if number > MILLISECONDS else number, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _written(text: str) -> datetime | float | None:
    # Snowflake writes "… +0000" and Postgres "… UTC" after a blank
    iso = re.sub(r" (?:UTC|GMT)$", "+00:00", text)
    iso = re.sub(r" ?([+-]\d\d):?(\d\d)$", r"\1:\2", iso)
    try:
        return datetime.fromisoformat(iso)
    except ValueError:
        return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None


def objects_in(value: Any) -> Objects | None:
    """Return the tables of a list, of its JSON, or of names with commas between; None where there is no list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _json(value)
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",")]
    if not isinstance(value, (list, tuple)):
        return None
    found = (_object(item) for item in value)
    return tuple(item for item in found if item)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _object(item: Any) -> tuple[str, tuple[str, ...] | None] | None:
    if isinstance(item, str):
        return (item, None) if item else None
    if not isinstance(item, Mapping) or item.get("objectDomain", "Table") not in DOMAINS:
        return None
    parts = (item.get("catalogName"), item.get("schema"), item.get("table"))
    name = item.get("objectName") or ".".join(str(part) for part in parts if part)
    columns = item.get("columns")
    return (str(name), tuple(_column(it) for it in columns) if isinstance(columns, (list, tuple)) else None)


DOMAINS = frozenset({"Table", "View", "Materialized view", "External table", "Dynamic table", "Iceberg table"})
"""The kinds of object in Snowflake's access history that hold rows."""


def _column(item: Any) -> str:
    return str(next(iter(_named(item)), "")) if isinstance(item, Mapping) else str(item)


def _named(item: Mapping[str, Any]) -> list[Any]:
    return [item[key] for key in ("columnName", "column", "name") if key in item]
