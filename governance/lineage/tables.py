"""The caller's schema: which table a reference means, and its columns.

**The rule by which a reference meets a key of the schema.** Both are dotted names of one to three parts. In order:

1. ``default_schema`` put before a reference that lacks it, else the reference as it is, equals a key;
2. the same without regard to case, if one key only fits (two that differ in case alone are told apart by the dialect's
   own folding);
3. the reference is the end of one key only (``learners`` for ``crm.learners``), unless a ``default_schema`` says where
   unqualified names live; or one key only is the end of the reference (``prod.crm.learners`` for ``crm.learners``).

A reference that fits several keys is refused, never guessed. Names in results are the keys as the caller spelt them.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from governance.lineage.columns import TableColumns, table_columns
from governance.lineage.dialects import Rules

Schema = Mapping[str, Mapping[str, str]]


class Tables:
    """Look-up of one schema."""

    __slots__ = ("_columns", "_default", "_rules", "schema")

    def __init__(self, schema: Schema, default_schema: str | None, rules: Rules) -> None:
        self.schema = schema
        self._default = tuple(default_schema.split(".")) if default_schema else ()
        self._rules = rules
        self._columns: dict[str, TableColumns] = {}

    def spelt(self, parts: tuple[str, ...]) -> str:
        """Return ``parts`` as a full name: the default schema stands before a name that has none."""
        return ".".join((*self._default, *parts)) if len(parts) == 1 else ".".join(parts)

    def candidates(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return the full names that ``parts`` may mean, the likeliest first."""
        text = ".".join(parts)
        if not self._default or len(parts) > len(self._default):
            return (text,)
        return (".".join((*self._default[: len(self._default) + 1 - len(parts)], *parts)), text)

    def find(self, parts: tuple[str, ...]) -> str | list[str] | None:
        """Return the one key that ``parts`` mean, the list of them where they are several, None where there is none."""
        candidates = self.candidates(parts) if self._default else (".".join(parts),)
        for name in candidates:
            if name in self.schema:
                return name
        index = _index_of(tuple(self.schema))
        for name in candidates:
            keys = index.full.get(name.lower())
            if keys:
                return keys[0] if len(keys) == 1 else self._by_case(name, keys)
        return self._by_end(parts, index)

    def _by_case(self, name: str, keys: list[str]) -> str | list[str]:
        folded = self._rules.fold(name, None)
        same = [key for key in keys if key == folded]
        return same[0] if len(same) == 1 else keys

    def _by_end(self, parts: tuple[str, ...], index: "_Index") -> str | list[str] | None:
        wanted = ".".join(parts).lower()
        keys = index.ends.get(wanted.rpartition(".")[2], [])
        longer = [] if self._default and len(parts) == 1 else [k for k in keys if k.lower().endswith("." + wanted)]
        found = longer or [key for key in keys if wanted.endswith("." + key.lower())]
        return found[0] if len(found) == 1 else found or None

    def columns(self, key: str) -> TableColumns:
        """Return the columns of the table under ``key`` of the schema."""
        columns = self._columns.get(key)
        if columns is None:
            types = self.schema[key]
            columns = self._columns[key] = table_columns(key, tuple(types), tuple(types.values()), self._rules)
        return columns

    def use(self, parts: tuple[str, ...]) -> None:
        """Let unqualified names live in the schema ``parts`` from here on (USE)."""
        self._default = parts


class _Index(NamedTuple):
    """The keys of a schema in lower case, by their full name and by its end."""

    full: Mapping[str, list[str]]
    ends: Mapping[str, list[str]]


@lru_cache(maxsize=16)
def _index_of(keys: tuple[str, ...]) -> _Index:
    """Return the index of a schema's keys, remembered because a platform asks of one schema again and again."""
    index = _Index(defaultdict(list), defaultdict(list))
    for key in keys:
        low = key.lower().replace('"', "").replace("`", "")
        index.full[low].append(key)
        index.ends[low.rpartition(".")[2]].append(key)
    return index
