"""Whole queries: WITH, recursion, set operations, PIVOT and UNPIVOT around selects; and the lineage they must have."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.lineage.cases import Expected
from tests.lineage.law.deps import NONE, Deps, column, edges, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.joins import from_clause
from tests.lineage.law.relations import Column, Making, Query, Surroundings, atoms
from tests.lineage.law.selects import select
from tests.lineage.law.terms import Term, term

LATEST = "#latest"  # the dataset that stands for the rows of the last step, until the fixpoint is known


@dataclass(frozen=True, slots=True)
class Sample:
    """A random query, its lineage as the grammar knows it, and the tape that makes it again."""

    sql: str
    expected: Expected
    tape: tuple[int, ...]


def sample(tape: Sequence[int] = (), seed: int | None = None) -> Sample:
    """The query of a tape, or of a seed."""
    draw = Draw(tape, None if seed is None else random.Random(seed))  # noqa: S311  # test data
    query = _whole(Making(draw, query_of))
    fields = tuple((one.name, edges(one.deps)) for one in query.columns)
    return Sample(query.sql, Expected(None, fields, edges(query.rows), query.reads), tuple(draw.tape))


def _whole(making: Making) -> Query:
    """A query with up to three CTEs before it."""
    ctes: list[tuple[str, Query]] = []
    recursive = False
    for _ in range(making.draw.pick((0, 0, 0, 1, 1, 2))):
        around = Surroundings(1, tuple(ctes))
        if making.draw.chance(20):
            recursive = True
            ctes.append(_recursive(making, around))
        else:
            name = making.draw.pick((making.fresh("q"), "t", "u"))
            if name not in dict(ctes):
                ctes.append((name, query_of(making, around)))
    query = query_of(making, Surroundings(making.draw.pick((1, 1, 2)), tuple(ctes)))
    if not ctes:
        return query
    written = ", ".join(f"{name}{'(c0, c1, depth)' * name.startswith('rec')} AS ({one.sql})" for name, one in ctes)
    return replace(query, sql=f"WITH {'RECURSIVE ' * recursive}{written} {query.sql}")


def query_of(making: Making, around: Surroundings) -> Query:
    """A select, or something around selects."""
    if around.depth > 0 and making.draw.chance(18):
        return making.draw.pick(SHAPES)(making, around)
    return select(making, around)


def _set_operation(making: Making, around: Surroundings) -> Query:
    draw = making.draw
    inner = replace(around, depth=around.depth - 1)
    kinds = [draw.pick("ivd") for _ in range(1 + draw.below(3))]
    left, right = (select(making, inner, kinds) for _ in range(2))
    word = draw.pick(tuple(OPERATIONS))
    compared, deciding = OPERATIONS[word]
    columns = left.columns if word.startswith("EXCEPT") else tuple(map(_either, left.columns, right.columns))
    of_left, of_right = (united(*(one.deps for one in side.columns)) for side in (left, right))
    rows = [left.rows, through(of_left, compared) if compared else NONE]
    if word.startswith("EXCEPT"):
        rows.append(through(united(of_right, right.rows), deciding))
    else:
        rows += [right.rows, through(of_right, deciding) if deciding else NONE]
    return Query(f"({left.sql}) {word} ({right.sql})", columns, united(*rows), left.reads | right.reads)


def _either(one: Column, other: Column) -> Column:
    return replace(one, deps=united(one.deps, other.deps), members=None)


# what the left side's values do to the rows, and the right side's
OPERATIONS = {
    "UNION ALL": ("", ""),
    "UNION": ("GROUP_BY", "GROUP_BY"),
    "INTERSECT": ("GROUP_BY", "GROUP_BY"),
    "INTERSECT ALL": ("FILTER", "FILTER"),
    "EXCEPT": ("GROUP_BY", "FILTER"),
    "EXCEPT ALL": ("FILTER", "FILTER"),
}


def _by_name(making: Making, around: Surroundings) -> Query:
    inner = replace(around, depth=around.depth - 1)
    left, right = (select(making, inner, ["i"] * (1 + making.draw.below(3))) for _ in range(2))
    word = making.draw.pick(("UNION ALL BY NAME", "UNION BY NAME"))
    other = {one.name: one for one in right.columns}
    columns = [_either(one, other[one.name]) if one.name in other else one for one in left.columns]
    columns += [one for name, one in other.items() if name not in {mine.name for mine in left.columns}]
    rows = united(left.rows, right.rows)
    if word == "UNION BY NAME":
        rows = united(rows, through(united(*(one.deps for one in columns)), "GROUP_BY"))
    return Query(f"({left.sql}) {word} ({right.sql})", tuple(columns), rows, left.reads | right.reads)


def _pivot(making: Making, around: Surroundings) -> Query:
    inner = select(making, replace(around, depth=around.depth - 1), ["v", "v", "i"])
    key, steering, value = inner.columns
    pattern, masked = making.draw.pick((("sum", False), ("max", False), ("count", True)))
    deps = united(through(value.deps, "AGGREGATION", masked=masked), through(steering.deps, "CONDITIONAL"))
    columns = (key, *(Column(word, "i", deps) for word in ("kelp", "reef")))
    rows = united(inner.rows, through(key.deps, "GROUP_BY"))
    call = f"{pattern}({value.name})"
    shapes = (
        f"SELECT * FROM ({inner.sql}) PIVOT ({call} FOR {steering.name} IN ('kelp', 'reef'))",
        f"SELECT * FROM (PIVOT ({inner.sql}) ON {steering.name} IN ('kelp', 'reef') USING {call} GROUP BY {key.name})",
    )
    return Query(making.draw.pick(shapes), columns, rows, inner.reads)


def _unpivot(making: Making, around: Surroundings) -> Query:
    inner = select(making, replace(around, depth=around.depth - 1), ["v", "i", "i"])
    key, one, two = inner.columns
    name, value = making.fresh("name"), making.fresh("value")
    deps = united(one.deps, two.deps)
    kept = making.draw.chance(30)
    rows = inner.rows if kept else united(inner.rows, through(deps, "FILTER"))
    word = "UNPIVOT INCLUDE NULLS" if kept else "UNPIVOT"
    sql = f"SELECT * FROM ({inner.sql}) {word} ({value} FOR {name} IN ({one.name}, {two.name}))"
    return Query(sql, (key, Column(name, "v", NONE), Column(value, "i", deps)), rows, inner.reads)


Shape = Callable[[Making, Surroundings], Query]
SHAPES: Sequence[Shape] = (_set_operation, _by_name, _pivot, _unpivot)


def _recursive(making: Making, around: Surroundings) -> tuple[str, Query]:
    """A CTE of two columns and a depth that ends it; the step reads its own rows and a table."""
    draw = making.draw
    name = making.fresh("rec")
    anchor = select(making, replace(around, depth=0), ["i", "v"])
    symbols = [Column(f"c{at}", kind, column(LATEST, str(at))) for at, kind in enumerate("iv")]
    found = from_clause(making, replace(around, depth=0, ctes=()))
    own = [atom for atom in atoms(found) if not atom.bare]
    reads = [*own, *(Term(f"{name}.{one.name}", one.kind, one.deps) for one in symbols)]
    values = [term(draw, reads, kind, 1) for kind in "iv"]
    condition = term(draw, reads, "b", 1)
    word = draw.pick(("UNION ALL", "UNION"))
    step_rows = united(found.rows, through(condition.deps, "FILTER"))
    columns = _fixpoint([one.deps for one in anchor.columns], [value.deps for value in values])
    rows = united(anchor.rows, _solved(step_rows, columns))
    if word == "UNION":
        rows = united(rows, through(united(*columns), "GROUP_BY"))
    step = (
        f"SELECT {values[0].sql}, {values[1].sql}, {name}.depth + 1 FROM {name} CROSS JOIN {found.sql} "
        f"WHERE {name}.depth < 2 AND {condition.sql}"
    )
    first = f"SELECT {anchor.columns[0].name}, {anchor.columns[1].name}, 0 FROM ({anchor.sql})"
    made = tuple(replace(symbol, deps=deps) for symbol, deps in zip(symbols, columns, strict=True))
    query = Query(f"{first} {word} {step}", (*made, Column("depth", "i", NONE)), rows, anchor.reads | found.reads)
    return f"{name}", query


def _fixpoint(anchors: Sequence[Deps], steps: Sequence[Deps]) -> list[Deps]:
    known = list(anchors)
    while True:
        after = [united(one, _solved(step, known)) for one, step in zip(known, steps, strict=True)]
        if after == known:
            return known
        known = after


def _solved(deps: Deps, known: Sequence[Deps]) -> Deps:
    """The dependencies with those on the last step's rows put in their place."""
    return united(
        *(
            through(known[int(name)], subtype, masked=masked)
            if dataset == LATEST
            else {(dataset, name, subtype): masked}
            for (dataset, name, subtype), masked in deps.items()
        )
    )
