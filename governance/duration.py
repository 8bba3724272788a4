"""Spans of time as people write them in headers and policy files: ``30 minutes``, ``26 hours``, ``7 days``."""

import re
from datetime import timedelta

UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
SPAN = re.compile(r"(?P<count>[1-9]\d{0,4}) +(?P<unit>minute|hour|day|week)s?")
EXPECTED = "write a count and a unit: minutes, hours, days or weeks, as in 26 hours"


def parse_duration(text: str) -> timedelta | None:
    """Return the span that ``text`` says, None where it says none (``EXPECTED`` is the fix to show then)."""
    match = SPAN.fullmatch(text.strip())
    return int(match["count"]) * UNITS[match["unit"]] if match else None
