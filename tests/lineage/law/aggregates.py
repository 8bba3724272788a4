"""Aggregates and windows over atoms, as new atoms."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.lineage.law.deps import NONE, Deps, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.terms import Atoms, Term, leaf, term

AGGREGATES = {
    "i": (
        "sum({})::int",
        "max({})",
        "min({})",
        "bit_xor({})",
        "quantile_disc({}, 0.5)",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY {})",
    ),
    "v": ("max({})", "min({})"),
    "d": ("max({})", "min({})"),
    "b": ("bool_or({})", "bool_and({})"),
}
COUNTS = ("count({})", "count(DISTINCT {})")
RANKS = ("rank()", "dense_rank()", "row_number()", "count(*)")
NEIGHBOURS = ("lag({})", "lead({}, 1)", "first_value({})", "last_value({})")
FRAMES = ("", "", " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")


def aggregate(draw: Draw, atoms: Atoms, kind: str) -> Term:
    """An aggregate whose value is of the kind."""
    if kind == "i" and draw.chance(30):
        return _count(draw, atoms)
    if kind in ("i", "v") and draw.chance(25):
        return _ordered(draw, atoms, kind)
    if kind == "l":
        return _list(draw, atoms)
    part = term(draw, atoms, kind, 1)
    sql = draw.pick(AGGREGATES[kind]).format(part.sql)
    steered, deps = _filter(draw, atoms)
    sql = sql.replace("::int", f"{steered}::int") if sql.endswith("::int") else sql + steered
    return Term(sql, kind, united(through(part.deps, "AGGREGATION"), deps), aggregated=True)


def _count(draw: Draw, atoms: Atoms) -> Term:
    steered, deps = _filter(draw, atoms)
    if draw.chance(40):
        return Term(f"count(*){steered}", "i", deps, aggregated=True)
    part = term(draw, atoms, draw.pick("iv"), 1)
    counted = through(part.deps, "AGGREGATION", masked=True)
    return Term(draw.pick(COUNTS).format(part.sql) + steered, "i", united(counted, deps), aggregated=True)


def _ordered(draw: Draw, atoms: Atoms, kind: str) -> Term:
    part, order = term(draw, atoms, kind, 1), term(draw, atoms, "i", 1)
    pattern = draw.pick(("arg_max({}, {})", "min_by({}, {})"))
    deps = united(through(part.deps, "AGGREGATION"), through(order.deps, "SORT"))
    return Term(pattern.format(part.sql, order.sql), kind, deps, aggregated=True)


def _list(draw: Draw, atoms: Atoms) -> Term:
    part, order = term(draw, atoms, "i", 1), term(draw, atoms, "i", 1)
    deps = united(through(part.deps, "AGGREGATION"), through(part.deps, "SORT"), through(order.deps, "SORT"))
    return Term(f"list({part.sql} ORDER BY {order.sql}, {part.sql})", "l", deps, aggregated=True)


def _filter(draw: Draw, atoms: Atoms) -> tuple[str, Deps]:
    if not draw.chance(25):
        return "", NONE
    condition = term(draw, atoms, "b", 1)
    return f" FILTER (WHERE {condition.sql})", through(condition.deps, "FILTER")


@dataclass(frozen=True, slots=True)
class Window:
    """The text inside OVER's parentheses, or a name, and what it depends on."""

    sql: str
    deps: Deps


def window(draw: Draw, atoms: Atoms) -> Window:
    """A window specification."""
    parts, deps = [], []
    if draw.chance(60):
        key = term(draw, atoms, draw.pick("iv"), 1)
        parts.append(f"PARTITION BY {key.sql}")
        deps.append(key.deps)
    orders = [term(draw, atoms, draw.pick("ivd"), 1) for _ in range(draw.below(3))]
    if orders:
        parts.append("ORDER BY " + ", ".join(f"{order.sql}{draw.pick(('', ' DESC'))}" for order in orders))
        deps += [order.deps for order in orders]
        frame = draw.pick(FRAMES)
        if frame:
            parts.append(frame.strip())
    return Window(" ".join(parts), through(united(*deps), "WINDOW"))


def windowed(draw: Draw, atoms: Atoms, kind: str, named: Sequence[tuple[str, Window]]) -> Term:
    """A window function's value of the kind, over a named window or one of its own."""
    if kind == "i" and draw.chance(30):
        return _ranked(draw, atoms, named)
    part = leaf(draw, atoms, kind) if kind == "b" else term(draw, atoms, kind, 1)
    if draw.chance(40):
        over, place = _over(draw, atoms, named)
        pattern = draw.pick(("max({})", "min({})"))
        deps = united(through(part.deps, "AGGREGATION"), over.deps)
        return Term(f"{pattern.format(part.sql)} {place}", kind, deps, part.aggregated)
    return _neighbour(draw, atoms, part)


def _over(draw: Draw, atoms: Atoms, named: Sequence[tuple[str, Window]]) -> tuple[Window, str]:
    if named and draw.chance(60):
        name, over = draw.pick(named)
        return over, f"OVER {name}"
    over = window(draw, atoms)
    return over, f"OVER ({over.sql})"


def _ranked(draw: Draw, atoms: Atoms, named: Sequence[tuple[str, Window]]) -> Term:
    over, place = _over(draw, atoms, named)
    held = any(atom.aggregated for atom in atoms if atom.sql in over.sql)
    return Term(f"{draw.pick(RANKS)} {place}", "i", over.deps, held)


def _neighbour(draw: Draw, atoms: Atoms, part: Term) -> Term:
    """A value of another row. The value itself ends the order, so that equal keys leave it as it is."""
    key, order = term(draw, atoms, draw.pick("iv"), 1), term(draw, atoms, draw.pick("ivd"), 1)
    over = through(united(key.deps, order.deps, part.deps), "WINDOW")
    if draw.chance(35):
        pattern, hop, frame = "max({})", "AGGREGATION", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
    else:
        pattern, hop, frame = draw.pick(NEIGHBOURS), "TRANSFORMATION", ""
    text = f"{pattern.format(part.sql)} OVER (PARTITION BY {key.sql} ORDER BY {order.sql}, {part.sql}{frame})"
    return Term(text, part.kind, united(through(part.deps, hop), over), part.aggregated or order.aggregated)
