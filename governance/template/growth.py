"""What filters, methods and operators would make of their values, told before they do."""

import re
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from governance.template.budget import require_number, require_text
from governance.template.refused import Refused, TooMuch
from governance.template.written import written

WIDTH = 1000
"""The greatest width, number of columns or of digits that may be asked for."""

_PERCENT = re.compile(r"%[^A-Za-z%]*")
_WIDE = re.compile(r"\d{4,}|\*")


def require_growth(name: str, value: Any, rest: Sequence[Any]) -> None:
    """Check what the filter ``name`` would make of ``value`` and its other arguments.

    Raises:
        TooMuch: it would make too much.
    """
    if name in _FILTERS:
        _FILTERS[name](name, value, rest)


def require_method(name: str, value: Any, rest: Sequence[Any]) -> None:
    """Check what the method ``name`` of ``value`` would make; see ``require_growth``."""
    if isinstance(value, str) and name in _METHODS:
        _METHODS[name](name, value, rest)


def require_binary(operator: str, left: Any, right: Any) -> None:
    """Check what ``left operator right`` would make.

    Raises:
        TooMuch: it would make too much.
    """
    numbers = isinstance(left, int) and isinstance(right, int)
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        require_text(len(left) + len(right))
    elif operator == "**" and numbers:
        require_number(left.bit_length() * max(right, 0))
    elif operator == "*" and numbers:
        require_number(left.bit_length() + right.bit_length())
    elif operator == "*":
        size, times = (left, right) if isinstance(right, int) else (right, left)
        if isinstance(size, str | list | tuple) and isinstance(times, int):
            require_text(len(size) * times)


def _width(name: str, _value: Any, rest: Sequence[Any]) -> None:
    wide = next((it for it in rest if isinstance(it, int) and abs(it) > WIDTH), None)
    if wide is not None:
        raise TooMuch(f"{name} is asked for {wide:,}, and {WIDTH:,} is the most", "ask for less")


def _indent(name: str, value: Any, rest: Sequence[Any]) -> None:
    _width(name, value, rest)
    by = next((it if isinstance(it, int) else len(it) for it in rest if isinstance(it, int | str)), 0)
    text = written(value)
    require_text(len(text) + text.count("\n") * by)


def _replace(_name: str, value: Any, rest: Sequence[Any]) -> None:
    text, (old, new) = written(value), [written(it) for it in (*rest, "", "")[:2]]
    require_text(len(text) + text.count(old) * max(len(new) - len(old), 0))


def _format(name: str, value: Any, rest: Sequence[Any]) -> None:
    """Refuse widths of thousands, and what repeats a long text."""
    sign = "{" if name == "format" else "%"
    longest = max((len(written(it)) for it in rest), default=0)
    require_text(len(value) + value.count(sign) * longest)
    specs = _PERCENT.findall(value) if sign == "%" else [spec or "" for _, _, spec, _ in Formatter().parse(value)]
    if any(_WIDE.search(spec) or "{" in spec for spec in specs):
        raise TooMuch(f"a format asks for a width beyond {WIDTH:,}, or for one that a value tells", "ask for less")


def _plain_format(name: str, value: Any, rest: Sequence[Any]) -> None:
    if any(not isinstance(it, str | int | float) for it in rest):
        raise Refused("format fills in texts and numbers", "fill in what the value holds")
    _format(name, value, rest)


_FILTERS: Mapping[str, Callable[[str, Any, Sequence[Any]], None]] = {
    **dict.fromkeys(("batch", "center", "ljust", "rjust", "round", "slice", "zfill"), _width),
    "indent": _indent,
    "replace": _replace,
    "%": _format,
}
_METHODS = {**_FILTERS, "format": _plain_format}
