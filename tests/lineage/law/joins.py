"""Joins of every kind, and what they do to the rows and to the columns in sight."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.lineage.law.deps import NONE, Deps, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.relations import Column, From, Making, Relation, Surroundings, atoms, member
from tests.lineage.law.terms import Atoms, Term, leaf, term

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
        one, two = _left(left, name), _right(right, name)
        if one.kind != two.kind or one.kind == "m":
            return _cross_with(left, right)
        joined = through(united(one.deps, two.deps), "JOIN")
        both = _together(left, f"{left.sql} {kind} JOIN {right.sql} USING ({name})", right, joined)
        sizes = {**left.sizes, name: left.sizes.get(name, 1) + 1}
        return replace(both, merged={**left.merged, name: _merged(kind, one, two)}, sizes=sizes)

    return join


def _natural(making: Making, around: Surroundings, left: From) -> From:
    right = member(making, around)
    common = _common(left, right)
    shared = {one.name for one in right.members[0].columns} & set(left.names())
    pairs = {name: (_left(left, name), _right(right, name)) for name in common}
    if (
        not common
        or shared != set(common)
        or any(one.kind != two.kind or one.kind == "m" for one, two in pairs.values())
    ):
        return _cross_with(left, right)
    kind = making.draw.pick(("", "LEFT ", "FULL "))
    joined = through(united(*(side.deps for pair in pairs.values() for side in pair)), "JOIN")
    both = _together(left, f"{left.sql} NATURAL {kind}JOIN {right.sql}", right, joined)
    merged = {name: _merged(kind.strip(), *pair) for name, pair in pairs.items()}
    sizes = {name: left.sizes.get(name, 1) + 1 for name in common}
    return replace(both, merged={**left.merged, **merged}, sizes={**left.sizes, **sizes})


def _left(left: From, name: str) -> Column:
    return left.merged.get(name) or next(one for side in left.members for one in side.columns if one.name == name)


def _right(right: From, name: str) -> Column:
    return next(one for one in right.members[0].columns if one.name == name)


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
    _natural,
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


def from_clause(making: Making, around: Surroundings) -> From:
    """A FROM clause of one to four members; a comma, which binds loosest, comes last."""
    found = member(making, around)
    for _ in range(making.draw.pick((0, 0, 1, 1, 2))):
        found = making.draw.pick(JOINS)(making, around, found)
    return making.draw.pick(COMMAS)(making, around, found) if making.draw.chance(15) else found
