"""The options by which files are read: those of the query before those of the declaration, as values and as SQL."""

import re
from collections.abc import Iterable, Mapping

from governance.errors import EngineError
from governance.landing.model import Option
from governance.landing.options import kept_name, name_problem
from platform_assets.engines.engine import Landing
from platform_assets.engines.sql import literal

LITERAL = re.compile(r"\s*(?:'(?P<text>(?:[^']|'')*)'|(?P<number>\d+)|(?P<flag>true|false))\s*", re.IGNORECASE)
TEXT = r"\s*'(?:[^']|'')*'\s*"
LITERALS = re.compile(rf"\s*\[{TEXT}(?:,{TEXT})*\]\s*")


def options_of(landing: Landing) -> Mapping[str, Option]:
    """Return the options by their kept names.

    Raises:
        EngineError: an option that would change what is declared, or whose value is no literal.
    """
    given = dict(landing.source.options)
    for name, sql in landing.options:
        if wrong := name_problem(landing.source.format, name):
            raise EngineError(f"{landing.source.name}: {wrong.problem}", fix=wrong.fix)
        given[kept_name(name)] = _value(landing, name, sql)
    return given


def text(options: Mapping[str, Option], name: str, default: str) -> str:
    """Return the option ``name``, a text."""
    return str(options.get(name, default))


def number(options: Mapping[str, Option], name: str) -> int:
    """Return the option ``name``, 0 where it is not given."""
    return int(str(options.get(name, 0)))


def texts(options: Mapping[str, Option], name: str) -> tuple[str, ...]:
    """Return the option ``name``, one text or several; none where it is not given."""
    value = options.get(name, ())
    return value if isinstance(value, tuple) else (str(value),)


def sql_of(value: Option) -> str:
    """Return the value as SQL writes it."""
    if isinstance(value, tuple):
        return listed(value)
    return literal(value) if isinstance(value, str) else str(value).lower()


def listed(values: Iterable[str]) -> str:
    """Return texts as a SQL list."""
    return f"[{', '.join(map(literal, values))}]"


def arguments(values: Mapping[str, str]) -> str:
    """Return named arguments, each begun with a comma; the values are SQL."""
    return "".join(f", {name} = {value}" for name, value in values.items())


def _value(landing: Landing, name: str, sql: str) -> Option:
    """Return a literal's value. It is not computed: what a query writes there could read other files."""
    if match := LITERAL.fullmatch(sql):
        return _literal(match)
    if LITERALS.fullmatch(sql):
        return tuple(str(_literal(it)) for it in LITERAL.finditer(sql))
    fix = "write a text, a number, true or false"
    raise EngineError(f"{landing.source.name}: {name} = {sql} is no value that is read", fix=fix)


def _literal(match: re.Match[str]) -> str | int | bool:
    if match["text"] is not None:
        return match["text"].replace("''", "'")
    return int(match["number"]) if match["number"] else match["flag"].lower() == "true"
