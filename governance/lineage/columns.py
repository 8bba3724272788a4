"""What a relation's columns are: stored in a table, computed by a query, or only known to a file."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple, Protocol

from governance.lineage.dialects import Rules, lower
from governance.lineage.edges import AS_IS, NOTHING, Deps, source_of, united


class Column(NamedTuple):
    """A column in sight.

    name:    as it is shown
    key:     its name folded by the dialect, by which it is found
    deps:    the source fields it comes from
    members: the parts of a struct (or of a list of structs) where each is known by itself, by key
    type:    the SQL type, where a schema gives it
    """

    name: str
    key: str
    deps: Deps
    members: Mapping[str, "Column"] | None = None
    type: str = ""


class Columns(Protocol):
    """The columns of one relation."""

    def find(self, key: str, name: str) -> Column | None:
        """Return the column with the folded name ``key`` (``name`` as written), None where there is none."""

    def all(self) -> Sequence[Column] | None:
        """Return every column in order, None where they cannot be known."""

    def names(self) -> AbstractSet[str]:
        """Return the folded names by which ``find`` finds a column."""


class ListedColumns:
    """The columns of a query, a VALUES list, a function: all known."""

    __slots__ = ("_all", "_index", "twice")

    def __init__(self, columns: Sequence[Column]) -> None:
        self._all = columns
        self._index = {column.key: column for column in reversed(columns)}
        self.twice = len(self._index) != len(columns)

    def find(self, key: str, name: str) -> Column | None:  # noqa: ARG002  the protocol's
        """See ``Columns``."""
        return self._index.get(key)

    def all(self) -> Sequence[Column]:
        """See ``Columns``."""
        return self._all

    def names(self) -> AbstractSet[str]:
        """See ``Columns``."""
        return self._index.keys()


class TableColumns:
    """The columns of a stored table; each is made when it is first used."""

    __slots__ = ("_all", "_columns", "_dataset", "_made", "_names", "_rules", "_types")

    def __init__(self, dataset: str, types: Mapping[str, str], rules: Rules) -> None:
        self._dataset = dataset
        self._types = types
        self._rules = rules
        self._columns: dict[str, Column] = {}
        self._made: dict[str, Column] = {}
        self._all: tuple[Column, ...] | None = None
        self._names = _spellings(types, rules)

    def find(self, key: str, name: str) -> Column | None:  # noqa: ARG002  the protocol's
        """See ``Columns``."""
        column = self._columns.get(key)
        if column is None:
            spelt = key if self._names is None and key in self._types else self._names and self._names.get(key)
            if not spelt:
                return None
            column = self._columns[key] = self._column(spelt)
        return column

    def all(self) -> Sequence[Column]:
        """See ``Columns``."""
        if self._all is None:
            self._all = tuple(self._column(spelt) for spelt in self._types)
        return self._all

    def names(self) -> AbstractSet[str]:
        """See ``Columns``."""
        return (self._types if self._names is None else self._names).keys()

    def _column(self, spelt: str) -> Column:
        """Return the column that the schema spells so; its key is its unquoted name, unless that is another column."""
        column = self._made.get(spelt)
        if column is None:
            key = spelt
            if self._names is not None:
                folded = self._rules.fold(spelt, None)
                key = folded if self._names.get(folded) == spelt else spelt
            deps = {source_of(self._dataset, spelt): AS_IS}
            column = self._made[spelt] = Column(spelt, key, deps, None, self._types[spelt])
        return column


@lru_cache(maxsize=256)
def table_columns(dataset: str, names: tuple[str, ...], types: tuple[str, ...], rules: Rules) -> TableColumns:
    """Return the columns of a stored table, remembered by all that they are: many statements read the same tables."""
    return TableColumns(dataset, dict(zip(names, types, strict=True)), rules)


def _spellings(types: Mapping[str, str], rules: Rules) -> dict[str, str] | None:
    """Return key → the schema's spelling, None where each name is its own key.

    A spelling that is exact comes before one that only folds to the key.
    """
    fold = rules.fold
    together = "".join(types)
    if fold is lower and together == together.lower():
        return None
    names = {fold(name, True): name for name in types}  # noqa: FBT003  as if quoted
    for name in types:
        names.setdefault(fold(name, None), name)
    return names


class OpenColumns:
    """The columns of a file whose schema the caller did not give: whatever is asked for is there."""

    __slots__ = ("_columns", "_datasets")

    def __init__(self, datasets: Sequence[str]) -> None:
        self._datasets = datasets
        self._columns: dict[str, Column] = {}

    def find(self, key: str, name: str) -> Column | None:
        """See ``Columns``."""
        column = self._columns.get(key)
        if column is None:
            deps = {source_of(dataset, name): AS_IS for dataset in self._datasets}
            column = self._columns[key] = Column(name, key, deps)
        return column

    def all(self) -> None:
        """See ``Columns``."""
        return

    def names(self) -> AbstractSet[str]:
        """See ``Columns``: none are known beforehand."""
        return frozenset()


class UnknownColumns:
    """The columns of a function that nobody can tell: none is found, and a star over them is refused."""

    __slots__ = ()

    def find(self, key: str, name: str) -> None:
        """See ``Columns``."""

    def all(self) -> None:
        """See ``Columns``."""

    def names(self) -> AbstractSet[str]:
        """See ``Columns``."""
        return frozenset()


class Relation(NamedTuple):
    """Something in FROM: its name in scope (folded, "" for none), the qualifiers it answers to, its columns.

    ``title`` is what messages call it: a table's full name.
    """

    alias: str
    path: tuple[str, ...]
    columns: Columns
    title: str = ""


class Query(NamedTuple):
    """What a query yields: its columns, the fields that shape its rows, the datasets it reads."""

    columns: Sequence[Column]
    rows: Deps = NOTHING
    inputs: frozenset[str] = frozenset()


def whole_row(alias: str, columns: Sequence[Column]) -> Column:
    """Return a row as one value: every column flows into it, and each can be read back."""
    deps = united([column.deps for column in columns])
    return Column(alias, alias, deps, {column.key: column for column in columns})


def members_of(columns: Sequence[Column]) -> Mapping[str, Column] | None:
    """Return the members of a value that is one of ``columns``, None where these are not the same, in order."""
    first = columns[0].members
    if first is None or any(column.members is None or [*column.members] != [*first] for column in columns):
        return None
    each = {key: [column.members[key] for column in columns if column.members is not None] for key in first}
    return {
        key: first[key]._replace(deps=united([part.deps for part in parts]), members=members_of(parts))
        for key, parts in each.items()
    }
