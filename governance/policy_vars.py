"""``[vars]`` of ``lineage.toml``: what templates may name by ``var``."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from governance.policy_file import Section
from governance.template.model import Value

KEYS = ("vars",)
"""The key of ``lineage.toml`` that is read here."""


def variables(files: Iterable[Section]) -> Mapping[str, Value]:
    """Return the variables of ``files`` together; a later one replaces a variable of an earlier one.

    Raises:
        PolicyError: a variable is no text, number, boolean or list of them.
    """
    sections = [file.section("vars") for file in files]
    return MappingProxyType({name: _value(it, name, it.values[name]) for it in sections for name in it.values})


def _value(section: Section, name: str, value: Any) -> Value:
    if isinstance(value, list):
        return tuple(_value(section, name, it) for it in value)
    if not isinstance(value, str | int | float):
        said = f"a text, a number, true, false or a list of them is expected, not {value!r}"
        raise section.wrong(name, said, fix=f'write {name} = "…"')
    return value
