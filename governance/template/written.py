"""Values as a template writes them into SQL."""

from collections.abc import Mapping

from jinja2.runtime import Undefined

from governance.template.refused import Refused


def written(value: object) -> str:
    """Return ``value`` as it stands in SQL: a text as it is, a list as DuckDB writes one, its texts as literals.

    Raises:
        Refused: it is a macro, a function, or what a filter has not made yet.
        UndefinedError: it stands for a name that is not there.
    """
    return value if isinstance(value, str) else literal(value)


def literal(value: object) -> str:
    """Return ``value`` as a SQL literal; see ``written``."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float | Undefined):  # the last one says that its name is not there
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(str(key))}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple | range):
        begin, end = "()" if isinstance(value, tuple) else "[]"
        return f"{begin}{', '.join(map(literal, value))}{end}"
    raise _no_text(value)


def _no_text(value: object) -> Refused:
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return Refused(f"{name} is not called here", f"write {name}(…)")
    if hasattr(value, "__next__"):
        return Refused("a filter has not made its list yet", "add | list, or | join(', ')")
    return Refused(f"a {type(value).__name__} is no text", "write what it holds")
