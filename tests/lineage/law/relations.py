"""What stands in FROM: tables, CTEs, derived tables, joins; and the columns that can be read from it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.lineage.law.deps import NONE, Deps, column, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.terms import Atoms, Term, leaf, term

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


def from_clause(making: Making, around: Surroundings) -> From:
    """A FROM clause of one to four members; a comma, which binds loosest, comes last."""
    found = member(making, around)
    for _ in range(making.draw.pick((0, 0, 1, 1, 2))):
        found = making.draw.pick(JOINS)(making, around, found)
    return making.draw.pick(COMMAS)(making, around, found) if making.draw.chance(15) else found


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


Join = Callable[[Making, Surroundings, From], From]


def _together(left: From, sql: str, right: From, joined: Deps) -> From:
    return replace(
        left,
        sql=sql,
        members=(*left.members, *right.members),
        rows=united(left.rows, right.rows, joined),
        reads=left.reads | right.reads,
    )


def _on(kind: str) -> Join:
    def join(making: Making, around: Surroundings, left: From) -> From:
        right = member(making, around)
        condition = _condition(making.draw, left, right)
        sql = f"{left.sql} {kind} JOIN {right.sql} ON {condition.sql}"
        return _together(left, sql, right, through(condition.deps, "JOIN"))

    return join


def _condition(draw: Draw, left: From, right: From) -> Term:
    both = atoms(replace(left, members=(*left.members, *right.members)))
    if draw.chance(30):
        return term(draw, both, "b", 2)
    kind = draw.pick("iv")
    one, two = leaf(draw, atoms(left), kind), leaf(draw, atoms(right), kind)
    text = f"{_qualified(both, one)} = {_qualified(both, two)}"
    return Term(text, "b", united(one.deps, two.deps))


def _qualified(visible: Atoms, one: Term) -> str:
    """The atom's text, with its member's name where both sides in sight have the bare one."""
    if not one.bare or any(atom.sql == one.sql for atom in visible):
        return one.sql
    ending = f".{one.sql}"
    alike = [atom.sql for atom in visible if atom.sql.endswith(ending) and not atom.bare and atom.deps == one.deps]
    return alike[0] if alike else "NULL"


def _cross(making: Making, around: Surroundings, left: From) -> From:
    right = member(making, around)
    return _together(left, f"{left.sql} CROSS JOIN {right.sql}", right, NONE)


def _comma(making: Making, around: Surroundings, left: From) -> From:
    right = member(making, around)
    return _together(left, f"{left.sql}, {right.sql}", right, NONE)


def _semi(kind: str) -> Join:
    def join(making: Making, around: Surroundings, left: From) -> From:
        right = member(making, around)
        condition = _condition(making.draw, left, right)
        deciding = through(united(condition.deps, right.rows), "FILTER")
        sql = f"{left.sql} {kind} JOIN {right.sql} ON {condition.sql}"
        return replace(left, sql=sql, rows=united(left.rows, deciding), reads=left.reads | right.reads)

    return join


def _using(kind: str) -> Join:
    def join(making: Making, around: Surroundings, left: From) -> From:
        right = member(making, around)
        common = _common(left, right)
        if not common:
            return _cross_with(left, right)
        name = making.draw.pick(common)
        one = left.merged.get(name) or next(c for r in left.members for c in r.columns if c.name == name)
        two = next(c for c in right.members[0].columns if c.name == name)
        if one.kind != two.kind or one.kind == "m":
            return _cross_with(left, right)
        joined = through(united(one.deps, two.deps), "JOIN")
        both = _together(left, f"{left.sql} {kind} JOIN {right.sql} USING ({name})", right, joined)
        sizes = {**left.sizes, name: left.sizes.get(name, 1) + 1}
        return replace(both, merged={**left.merged, name: _merged(kind, one, two)}, sizes=sizes)

    return join


def _merged(kind: str, one: Column, two: Column) -> Column:
    if kind == "FULL":
        return replace(one, deps=through(united(one.deps, two.deps), "TRANSFORMATION"))
    return replace(one, deps=two.deps if kind == "RIGHT" else one.deps)


def _common(left: From, right: From) -> list[str]:
    """The names that mean one column on both sides."""
    return [one.name for one in right.members[0].columns if one.name in left.names() and left.bare(one.name)]


def _cross_with(left: From, right: From) -> From:
    return _together(left, f"{left.sql} CROSS JOIN {right.sql}", right, NONE)


def _asof(making: Making, around: Surroundings, left: From) -> From:
    right = member(making, around)
    one, two = leaf(making.draw, atoms(left), "i"), leaf(making.draw, atoms(right), "i")
    if not (one.deps and two.deps):
        return _cross_with(left, right)
    both = atoms(replace(left, members=(*left.members, *right.members)))
    text = f"{_qualified(both, one)} >= {_qualified(both, two)}"
    kind = making.draw.pick(("ASOF JOIN", "ASOF LEFT JOIN"))
    return _together(
        left, f"{left.sql} {kind} {right.sql} ON {text}", right, through(united(one.deps, two.deps), "JOIN")
    )


def _lateral(making: Making, around: Surroundings, left: From) -> From:
    if around.depth <= 0:
        return _cross(making, around, left)
    visible = tuple(atom for atom in atoms(left) if not atom.bare and atom.kind != "m")
    query = making.select(making, replace(around, depth=around.depth - 1, outer=visible))
    used = [atom.deps for atom in visible if re.search(rf"\b{re.escape(atom.sql)}\b", query.sql)]
    alias = making.fresh("l")
    right = From(f"({query.sql}) AS {alias}", (Relation(alias, query.columns),), query.rows, query.reads)
    return _together(left, f"{left.sql} CROSS JOIN LATERAL {right.sql}", right, through(united(*used), "JOIN"))


def _unnest(making: Making, around: Surroundings, left: From) -> From:
    visible = tuple(atom for atom in atoms(left) if not atom.bare)
    if not any(atom.kind == "l" for atom in visible):
        return _cross(making, around, left)
    items = term(making.draw, visible, "l", 1)
    alias, name = making.fresh("e"), making.fresh("i")
    right = From("", (Relation(alias, (Column(name, "i", through(items.deps, "TRANSFORMATION")),)),))
    text = f"{left.sql} CROSS JOIN unnest({items.sql}) AS {alias}({name})"
    return _together(left, text, right, through(items.deps, "JOIN"))


JOINS: Sequence[Join] = (
    _on("INNER"),
    _on("LEFT"),
    _on("RIGHT"),
    _on("FULL"),
    _cross,
    _semi("SEMI"),
    _semi("ANTI"),
    _using("INNER"),
    _using("LEFT"),
    _using("RIGHT"),
    _using("FULL"),
    _asof,
    _lateral,
    _unnest,
)


def _loose(join: Join) -> Join:
    """The same join written with a comma."""

    def joined(making: Making, around: Surroundings, left: From) -> From:
        found = join(making, around, left)
        rest = found.sql[len(left.sql) :].replace(" CROSS JOIN ", ", ", 1)
        return replace(found, sql=left.sql + rest)

    return joined


COMMAS: Sequence[Join] = (_comma, _loose(_lateral), _loose(_unnest))
