"""How dates and times are written: DuckDB's strptime words (https://duckdb.org/docs/sql/functions/dateformat)."""

import re

WORD = re.compile(r"%(?:-[dHIjmMSy]|[aAbBcdfgGhHIjmMnpSTuUVwWxXyYzZ%])|(?P<wrong>%.?.?)", re.DOTALL)

FIX = "write it in strptime's words, such as %d.%m.%Y or %Y%m%d %H:%M:%S"


def format_problem(text: str) -> str | None:
    """Return what is wrong with ``text`` as a form of dates or times, None where nothing is; ``FIX`` mends it."""
    found = list(WORD.finditer(text))
    wrong = next((it["wrong"] for it in found if it["wrong"]), None)
    if wrong is not None:
        return f"{wrong!r} is no word of a format"
    return None if found else f"{text!r} names no part of a date"
