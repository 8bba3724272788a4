"""Subqueries as atoms of an outer select: scalar ones, EXISTS, IN, ANY and ALL, correlated or not."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from collections.abc import Sequence
from dataclasses import replace

from tests.lineage.law.aggregates import aggregate
from tests.lineage.law.deps import Deps, through, united
from tests.lineage.law.relations import From, Making, Surroundings, atoms, member
from tests.lineage.law.terms import Atoms, Term, leaf, term


def made(making: Making, around: Surroundings, plain: Atoms) -> tuple[tuple[Term, frozenset[str]], ...]:
    """At most one subquery as an atom, with the tables that its text reads."""
    if around.depth <= 0 or not making.draw.chance(18):
        return ()
    shape = making.draw.pick(SHAPES)
    found, one = shape(making, around, [atom for atom in plain if not atom.bare and atom.kind != "m"])
    return ((one, found.reads),)


def _where(making: Making, found: From, outer: Atoms) -> tuple[str, Deps]:
    """The inner WHERE, with a correlation more often than not."""
    own = [atom for atom in atoms(found) if not atom.bare]
    condition = term(making.draw, own, "b", 1)
    deps = condition.deps
    text = condition.sql
    if making.draw.chance(65):
        kind = making.draw.pick("iv")
        one, two = leaf(making.draw, own, kind), leaf(making.draw, outer, kind)
        text, deps = f"{text} AND {one.sql} = {two.sql}", united(deps, one.deps, two.deps)
    return text, through(deps, "FILTER")


def _scalar(making: Making, around: Surroundings, outer: Sequence[Term]) -> tuple[From, Term]:
    found = member(making, replace(around, depth=around.depth - 1))
    text, rows = _where(making, found, outer)
    one = aggregate(making.draw, [atom for atom in atoms(found) if not atom.bare], making.draw.pick("iv"))
    sql = f"(SELECT {one.sql} FROM {found.sql} WHERE {text})"
    return found, Term(sql, one.kind, united(one.deps, rows, found.rows))


def _exists(making: Making, around: Surroundings, outer: Sequence[Term]) -> tuple[From, Term]:
    found = member(making, replace(around, depth=around.depth - 1))
    text, rows = _where(making, found, outer)
    listed = term(making.draw, [atom for atom in atoms(found) if not atom.bare], "i", 1)
    word = making.draw.pick(("EXISTS", "NOT EXISTS"))
    return found, Term(
        f"({word} (SELECT {listed.sql} FROM {found.sql} WHERE {text}))",
        "b",
        through(united(rows, found.rows), "FILTER"),
    )


def _membership(making: Making, around: Surroundings, outer: Sequence[Term]) -> tuple[From, Term]:
    found = member(making, replace(around, depth=around.depth - 1))
    text, rows = _where(making, found, outer)
    one = leaf(making.draw, outer, "i")
    listed = term(making.draw, [atom for atom in atoms(found) if not atom.bare], "i", 1)
    word = making.draw.pick(("IN", "NOT IN", "> ANY", "<= ALL"))
    inner = through(united(listed.deps, rows, found.rows), "FILTER")
    deps = united(through(one.deps, "TRANSFORMATION"), inner)
    return found, Term(f"({one.sql} {word} (SELECT {listed.sql} FROM {found.sql} WHERE {text}))", "b", deps)


SHAPES = (_scalar, _exists, _membership)
