"""Whether a text is a cron expression of five fields (minute, hour, day of month, month, day of week)."""

import re
from typing import NamedTuple


class _Range(NamedTuple):
    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
FIELDS = (
    _Range("minute", 0, 59),
    _Range("hour", 0, 23),
    _Range("day of month", 1, 31),
    _Range("month", 1, 12, MONTHS),
    _Range("day of week", 0, 7, DAYS),
)
ITEM = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[0-9]{1,4}))?")
NUMBER = re.compile("[0-9]{1,4}")
LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def cron_problem(text: str) -> str:
    """Return what is wrong with ``text`` as a cron expression, empty where nothing is."""
    parts = text.split()
    if len(parts) != len(FIELDS):
        return f"a cron has {len(FIELDS)} fields, this has {len(parts)}"
    wrong = [
        f"{item} is no {field.name}"
        for part, field in zip(parts, FIELDS, strict=True)
        for item in part.split(",")
        if not _fits(item, field)
    ]
    return wrong[0] if wrong else _never(*parts[2:4])


def _never(days: str, months: str) -> str:
    """Return what is wrong where none of the months has any of the days, as 30 February."""
    first = min(min(_values(it, FIELDS[2])) for it in days.split(","))
    longest = max(LENGTHS[month - 1] for it in months.split(",") for month in _values(it, FIELDS[3]))
    return f"no month {months} has a day {days}" if first > longest else ""


def _values(item: str, field: _Range) -> range:
    """Return what an item that fits means: ``2-8/3`` is 2, 5 and 8."""
    said, _, step = item.partition("/")
    if said == "*":
        return range(field.low, field.high + 1, int(step or 1))
    first, _, last = said.partition("-")
    end = _number(last, field) if last else field.high if step else _number(first, field)
    return range(_number(first, field), end + 1, int(step or 1))


def _fits(item: str, field: _Range) -> bool:
    match = ITEM.fullmatch(item)
    if match is None or (match["step"] and int(match["step"]) == 0):
        return False
    ends = [_number(word, field) for word in (match["first"], match["last"]) if word is not None]
    return all(field.low <= end <= field.high for end in ends) and ends == sorted(ends)


def _number(word: str, field: _Range) -> int:
    if word.lower() in field.words:
        return field.low + field.words.index(word.lower())
    return int(word) if NUMBER.fullmatch(word) else -1
