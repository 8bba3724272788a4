"""What stands in FROM: tables, CTEs and derived tables; and the columns that can be read from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tests.lineage.law.deps import NONE, Deps, column, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.terms import Term

TABLES: Mapping[str, Mapping[str, str]] = {
    "s.t": {"a": "int", "b": "int", "c": "varchar", "d": "date"},
    "s.u": {"a": "int", "k": "int", "e": "varchar"},
    "s.v": {"k": "int", "x": "int", "y": "varchar", "xs": "int[]"},
    "s.n": {"id": "int", "m": "struct(p int, q varchar)", "w": "varchar", "f": "boolean"},
}
KINDS = {"int": "i", "varchar": "v", "date": "d", "int[]": "l", "boolean": "b", "struct(p int, q varchar)": "m"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation: its name and the term of its value."""

    name: str
    kind: str
    deps: Deps
    members: Mapping[str, Term] | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A query's text with what its columns and rows depend on, and the tables it reads."""

    sql: str
    columns: tuple[Column, ...]
    rows: Deps = field(default_factory=dict)
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Relation:
    """A named member of FROM."""

    alias: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class From:
    """A whole FROM clause. ``merged`` holds the columns that USING made one, by name, ``sizes`` of how many."""

    sql: str
    members: tuple[Relation, ...]
    rows: Deps = field(default_factory=dict)
    reads: frozenset[str] = frozenset()
    merged: Mapping[str, Column] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def names(self) -> list[str]:
        """The names of all members' columns."""
        return [one.name for relation in self.members for one in relation.columns]

    def bare(self, name: str) -> bool:
        """Whether the name alone means one column."""
        return self.names().count(name) == self.sizes.get(name, 1)


@dataclass(slots=True)
class Making:
    """What one random query shares while it is made: the choices, fresh names, and how to make an inner query."""

    draw: Draw
    select: Callable[["Making", "Surroundings"], Query]
    count: int = 0

    def fresh(self, stem: str) -> str:
        """A name that the query has not used."""
        self.count += 1
        return f"{stem}{self.count}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a select may refer to besides its own FROM, and how deep it may still nest."""

    depth: int
    ctes: tuple[tuple[str, Query], ...] = ()
    outer: tuple[Term, ...] = ()


def base(table: str, alias: str) -> Relation:
    """A table of the database."""
    return Relation(
        alias, tuple(Column(name, KINDS[kind], column(table, name)) for name, kind in TABLES[table].items())
    )


def member(making: Making, around: Surroundings) -> From:
    """One member of FROM: a table, or a CTE, or a derived table."""
    draw = making.draw
    alias = making.fresh("r")
    if around.ctes and draw.chance(50):
        name, query = draw.pick(around.ctes)
        return From(f"{name} AS {alias}", (Relation(alias, query.columns),), query.rows, query.reads)
    if draw.chance(4):
        columns = (Column("k", "i", NONE), Column("w", "v", NONE))
        return From(f"(VALUES (1, 'kelp'), (2, 'reef')) AS {alias}(k, w)", (Relation(alias, columns),))
    if around.depth > 0 and draw.chance(25):
        query = making.select(making, replace(around, depth=around.depth - 1, outer=()))
        return _derived(making, query, alias)
    table = draw.pick(tuple(TABLES))
    return From(f"{table} AS {alias}", (base(table, alias),), NONE, frozenset({table}))


def _derived(making: Making, query: Query, alias: str) -> From:
    if making.draw.chance(20):
        names = [making.fresh("p") for _ in query.columns]
        columns = tuple(replace(one, name=name) for one, name in zip(query.columns, names, strict=True))
        return From(
            f"({query.sql}) AS {alias}({', '.join(names)})", (Relation(alias, columns),), query.rows, query.reads
        )
    return From(f"({query.sql}) AS {alias}", (Relation(alias, query.columns),), query.rows, query.reads)


def atoms(found: From) -> tuple[Term, ...]:
    """Every column that can be read, qualified and, where nothing else has its name, bare; struct members too."""
    terms = []
    for relation in found.members:
        for one in relation.columns:
            terms += _read(f"{relation.alias}.{one.name}", one, "")
            if one.name not in found.merged and found.bare(one.name):
                terms += _read(one.name, one, one.name)
    for name, one in found.merged.items():
        if found.bare(name):
            terms += _read(name, one, name)
    return tuple(terms)


def _read(sql: str, one: Column, bare: str) -> list[Term]:
    terms = [Term(sql, one.kind, one.deps, members=one.members, bare=bare)]
    if one.kind == "m":
        built = one.members
        terms += [
            Term(f"{sql}.{name}", kind, built[name].deps if built else through(one.deps, "TRANSFORMATION"), bare=bare)
            for name, kind in (("p", "i"), ("q", "v"))
        ]
    return terms


def whole_row(relation: Relation) -> Term:
    """The whole row of a member as text: every column of it is a value."""
    deps = united(*(through(one.deps, "TRANSFORMATION") for one in relation.columns))
    return Term(f"CAST(to_json({relation.alias}) AS varchar)", "v", deps)


def star(found: From) -> tuple[Column, ...]:
    """The columns of ``*``: a merged one once, where its left side stands."""
    seen: set[str] = set()
    columns = []
    for relation in found.members:
        for one in relation.columns:
            if one.name not in found.merged:
                columns.append(one)
            elif one.name not in seen:
                seen.add(one.name)
                columns.append(found.merged[one.name])
    return tuple(columns)
