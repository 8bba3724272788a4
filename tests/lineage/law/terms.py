"""Scalar expressions over given atoms, and what their value depends on.

An atom is any text with known dependencies: a column, a grouping key, an aggregate, a window, a subquery. Kinds:
``i`` integer, ``v`` text, ``b`` boolean, ``d`` date, ``l`` list of integers, ``m`` struct.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.lineage.law.deps import Deps, through, united
from tests.lineage.law.draw import Draw


@dataclass(frozen=True, slots=True)
class Term:
    """An expression's text, kind and dependencies; ``aggregated`` where it holds an aggregate of its own select.

    ``members`` are those of a struct built in the text; ``bare`` is the unqualified name that an atom is written as.
    """

    sql: str
    kind: str
    deps: Deps = field(default_factory=dict)
    aggregated: bool = False
    members: Mapping[str, "Term"] | None = None
    bare: str = ""


Atoms = Sequence[Term]
Made = Callable[[Draw, Atoms, int], Term]

LITERALS = {
    "i": ("1", "0", "3"),
    "v": ("'kelp'", "'x'"),
    "b": ("true", "false"),
    "d": ("DATE '2024-02-02'",),
    "l": ("[1, 2]",),
}

TURNED = {
    "i": (("v", "length({})"), ("d", "month({})"), ("b", "CAST({} AS int)")),
    "v": (("i", "CAST({} AS varchar)"), ("d", "CAST({} AS varchar)")),
    "b": (("i", "({} > 1)"), ("v", "({} > 'kelp')"), ("d", "({} IS NOT NULL)")),
    "d": (("i", "CAST(DATE '2024-01-01' + ({})::int AS date)"),),
    "l": (("i", "[{}, 1]"),),
}


def term(draw: Draw, atoms: Atoms, kind: str, depth: int = 2) -> Term:
    """An expression of the kind."""
    if depth <= 0 or not draw.chance(55):
        return leaf(draw, atoms, kind)
    return draw.pick(MAKERS[kind])(draw, atoms, depth - 1)


def leaf(draw: Draw, atoms: Atoms, kind: str) -> Term:
    """An atom of the kind; a literal where there is none, and seldom besides."""
    fitting = [atom for atom in atoms if atom.kind == kind]
    if draw.chance(6):
        return Term(draw.pick(LITERALS[kind]), kind)
    if not fitting:
        return _turned(draw, atoms, kind)
    return draw.pick(fitting)


def _turned(draw: Draw, atoms: Atoms, kind: str) -> Term:
    """A value of the kind made of an atom of another, or a literal where there is none."""
    for source, pattern in TURNED.get(kind, ()):
        if any(atom.kind == source for atom in atoms):
            part = leaf(draw, atoms, source)
            return value(kind, pattern.format(part.sql), part)
    return Term(draw.pick(LITERALS[kind]), kind)


def value(kind: str, sql: str, *parts: Term, steered: Sequence[Term] = ()) -> Term:
    """A TRANSFORMATION of the parts, steered by the conditions."""
    deps = united(
        *(through(part.deps, "TRANSFORMATION") for part in parts),
        *(through(part.deps, "CONDITIONAL") for part in steered),
    )
    return Term(sql, kind, deps, any(part.aggregated for part in (*parts, *steered)))


def _of(result: str, pattern: str, *kinds: str) -> Made:
    """A maker that fills the pattern with terms of the kinds, all of them values."""

    def make(draw: Draw, atoms: Atoms, depth: int) -> Term:
        parts = [term(draw, atoms, kind, depth) for kind in kinds]
        return value(result, pattern.format(*(part.sql for part in parts)), *parts)

    return make


def _steered(result: str, pattern: str, conditions: str, values: str) -> Made:
    """A maker whose first parts are conditions and whose last are values."""

    def make(draw: Draw, atoms: Atoms, depth: int) -> Term:
        steering = [term(draw, atoms, kind, depth) for kind in conditions]
        parts = [term(draw, atoms, kind, depth) for kind in values]
        sql = pattern.format(*(part.sql for part in (*steering, *parts)))
        return value(result, sql, *parts, steered=steering)

    return make


def _masked(result: str, pattern: str, kind: str) -> Made:
    def make(draw: Draw, atoms: Atoms, depth: int) -> Term:
        part = term(draw, atoms, kind, depth)
        return Term(
            pattern.format(part.sql), result, through(part.deps, "TRANSFORMATION", masked=True), part.aggregated
        )

    return make


def _parenthesised(kind: str) -> Made:
    def make(draw: Draw, atoms: Atoms, depth: int) -> Term:
        part = term(draw, atoms, kind, depth)
        return replace(part, sql=f"({part.sql})", bare="")

    return make


def _lambda(draw: Draw, atoms: Atoms, depth: int) -> Term:
    items, other = term(draw, atoms, "l", depth), leaf(draw, atoms, "i")
    return value("l", f"list_transform({items.sql}, lambda z: z + {other.sql})", items, other)


MAKERS: dict[str, tuple[Made, ...]] = {
    "i": (
        _of("i", "({} + {})", "i", "i"),
        _of("i", "abs({})", "i"),
        _of("i", "({} * 2)", "i"),
        _of("i", "coalesce({}, {})", "i", "i"),
        _of("i", "greatest({}, {}, 2)", "i", "i"),
        _of("i", "length({})", "v"),
        _of("i", "month({})", "d"),
        _of("i", "len({})", "l"),
        _of("i", "({})[1]", "l"),
        _of("i", "CAST({} AS int)", "b"),
        _of("i", "ifnull({}, {})", "i", "i"),
        _masked("i", "(hash({}) % 97)::int", "v"),
        _parenthesised("i"),
        _steered("i", "CASE WHEN {} THEN {} ELSE {} END", "b", "ii"),
        _steered("i", "CASE {} WHEN {} THEN {} END", "ii", "i"),
        _steered("i", "if({}, {}, {})", "b", "ii"),
        _steered("i", "nullif({1}, {0})", "i", "i"),
    ),
    "v": (
        _of("v", "upper({})", "v"),
        _of("v", "({} || {})", "v", "v"),
        _of("v", "coalesce({}, {})", "v", "v"),
        _of("v", "CAST({} AS varchar)", "i"),
        _of("v", "substr({}, 1, {})", "v", "i"),
        _masked("v", "md5({})", "v"),
        _masked("v", "sha256({})", "v"),
        _parenthesised("v"),
        _steered("v", "CASE WHEN {} THEN {} ELSE {} END", "b", "vv"),
        _steered("v", "nullif({1}, {0})", "v", "v"),
    ),
    "b": (
        _of("b", "({} > {})", "i", "i"),
        _of("b", "({} = {})", "i", "i"),
        _of("b", "({} <> {})", "v", "v"),
        _of("b", "({} IS NULL)", "i"),
        _of("b", "({} IS NOT NULL)", "v"),
        _of("b", "({} BETWEEN {} AND 4)", "i", "i"),
        _of("b", "({} LIKE '%e%')", "v"),
        _of("b", "({} IN (1, {}))", "i", "i"),
        _of("b", "({} AND {})", "b", "b"),
        _of("b", "({} OR {})", "b", "b"),
        _of("b", "(NOT {})", "b"),
        _of("b", "({} IS DISTINCT FROM {})", "d", "d"),
        _of("b", "list_contains({}, {})", "l", "i"),
    ),
    "d": (
        _of("d", "CAST(date_trunc('month', {}) AS date)", "d"),
        _of("d", "CAST(({} + INTERVAL 1 DAY) AS date)", "d"),
        _of("d", "coalesce({}, {})", "d", "d"),
    ),
    "l": (
        _of("l", "[{}, {}]", "i", "i"),
        _of("l", "list_append({}, {})", "l", "i"),
        _lambda,
    ),
}


def struct(draw: Draw, atoms: Atoms) -> Term:
    """A struct built of two members, which stay apart."""
    first, second = term(draw, atoms, "i", 1), term(draw, atoms, "v", 1)
    built = value("m", f"{{'p': {first.sql}, 'q': {second.sql}}}", first, second)
    return replace(built, members={"p": first, "q": second})
