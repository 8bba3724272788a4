"""The forms of SQL that a synthetic platform's pipelines have, each with the column edges that follow from it.

Text and edges are made from the same items, so that neither can be forgotten where the other is changed; a test holds
the edges against what Headwater reads in the text.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.large_table import DIRECT, INDIRECT, KEYS, Column, Table, of_type

COMMA = ",\n    "
Input = tuple[str, str, str, str]
"""Table, column, type and subtype of one dependency."""

MOST = 60
"""Columns of a table that is no copy of another."""


@dataclass(frozen=True, slots=True)
class Item:
    """One column of a query: its SQL, its type, and what it depends on."""

    name: str
    type: str
    sql: str
    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """A query: ``head`` before its select list, ``tail`` after it; ``rows`` decide which rows there are.

    ``more`` are further select lists with their tails, put below by UNION ALL; the edges of all are in ``items``.
    """

    items: tuple[Item, ...]
    tail: str
    rows: tuple[Input, ...]
    head: str = ""
    more: tuple[tuple[tuple[str, ...], str], ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a pipeline: the layers that have it, its number of inputs at most, and what it makes of them."""

    layers: tuple[str, ...]
    inputs: int
    make: Callable[[tuple[Table, ...]], Body]


def body(table: Table) -> Body:
    """Return the query of a table that is no source; a source has none of anything."""
    return FORMS[table.form].make(table.inputs) if table.form else Body((), "", ())


def columns_of(form: str, inputs: tuple[Table, ...]) -> tuple[Column, ...]:
    """Return the columns that ``form`` makes of ``inputs``."""
    return tuple((item.name, item.type) for item in FORMS[form].make(inputs).items)


def sql(table: Table) -> str:
    """Return the text of the pipeline's file."""
    said = body(table)
    lists = [([f"{it.sql} as {it.name}" for it in said.items], said.tail), *said.more]
    query = "\nunion all\n".join(f"select\n    {COMMA.join(items)}\n{tail}" for items, tail in lists)
    lines = (
        f"-- description: What {table.form} makes of {', '.join(it.name for it in table.inputs)}.",
        f"-- owner: {table.owner}",
        f"-- tags: {table.form}",
        "",
        *_write(table),
        said.head + query,
    )
    return "\n".join(lines) + "\n"


def _write(table: Table) -> tuple[str, ...]:
    if table.form != "insert":
        return (f"create table {table.name} as",)
    declared = COMMA.join(f"{name} {kind}" for name, kind in table.columns)
    return (f"create table if not exists {table.name} (\n    {declared}\n);", "", f"insert into {table.name}")


def _copy(inputs: tuple[Table, ...]) -> Body:
    """Clean one table: texts trimmed, every third number checked, rows without key left out."""
    (one,) = inputs
    items = [_plain("a", one, *column) for column in KEYS]
    items += (_cleaned(one, number, *column) for number, column in enumerate(one.columns[len(KEYS) :]))
    return Body(tuple(items), f"from {one.name} as a\nwhere a.id is not null", (_row(one, "id", "FILTER"),))


def _cleaned(one: Table, number: int, name: str, kind: str) -> Item:
    if kind == "varchar" and number % 2:
        return Item(name, kind, f"nullif(trim(a.{name}), '')", (_value(one, name),))
    if kind == "double" and number % 2:
        text = f"case when a.status = 'void' then 0 else a.{name} end"
        return Item(name, kind, text, (_value(one, name), (one.name, "status", INDIRECT, "CONDITIONAL")))
    return _plain("a", one, name, kind)


def _join(inputs: tuple[Table, ...]) -> Body:
    """Put one to four tables beside each other by key, the first through a CTE."""
    first, *others = inputs
    items = [_plain("base", first, *column) for column in first.columns[: MOST // 2]]
    share = MOST // 2 // max(1, len(others))
    for number, other in enumerate(others, 1):
        named = [(f"{name}_of_{number}", name, kind) for name, kind in other.columns[len(KEYS) :][:share]]
        items += (Item(new, kind, f"t{number}.{name}", (_same(other, name),)) for new, name, kind in named)
    if others:
        pairs = zip(of_type(first, "double")[:8], of_type(others[0], "double")[:8], strict=False)
        items += (_sum(number, first, others[0], *pair) for number, pair in enumerate(pairs, 1))
    items = _distinct(items)
    tail = ["from base", *(f"left join {it.name} as t{n} on base.id = t{n}.id" for n, it in enumerate(others, 1))]
    joined = [_row(it, "id", "JOIN") for it in (inputs if others else ())]
    head = f"with base as (\n    select * from {first.name} where status <> 'void'\n)\n"
    return Body(tuple(items), "\n".join(tail), (*joined, _row(first, "status", "FILTER")), head)


def _sum(number: int, first: Table, other: Table, mine: str, its: str) -> Item:
    text = f"coalesce(base.{mine}, 0) + t1.{its}"
    return Item(f"total_{number}", "double", text, (_value(first, mine), _value(other, its)))


def _aggregate(inputs: tuple[Table, ...]) -> Body:
    """One row for each key and state."""
    (one,) = inputs
    items = [_plain("a", one, "id", "bigint"), _aggregated(one, "changed_at", "max", "timestamp", "changed_at")]
    items += [_plain("a", one, "status", "varchar"), Item("how_many", "double", "cast(count(*) as double)", ())]
    items += (_aggregated(one, name, "sum", "double", f"{name}_sum") for name in of_type(one, "double")[:10])
    items += (_aggregated(one, name, "avg", "double", f"{name}_mean") for name in of_type(one, "double")[:10])
    items += (_aggregated(one, name, "max", "varchar", f"{name}_last") for name in of_type(one, "varchar")[:20])
    rows = (_row(one, "changed_at", "FILTER"), _row(one, "id", "GROUP_BY"), _row(one, "status", "GROUP_BY"))
    return Body(tuple(items), f"from {one.name} as a\nwhere a.changed_at is not null\ngroup by a.id, a.status", rows)


def _aggregated(one: Table, name: str, function: str, kind: str, new: str) -> Item:
    return Item(new, kind, f"{function}(a.{name})", ((one.name, name, DIRECT, "AGGREGATION"),))


def _window(inputs: tuple[Table, ...]) -> Body:
    """The last row of each key, with what stood before it."""
    (one,) = inputs
    over = "over (partition by a.id order by a.changed_at desc)"
    by = tuple((one.name, name, INDIRECT, "WINDOW") for name in ("id", "changed_at"))
    items = [_plain("a", one, *column) for column in one.columns[:MOST]]
    items += (
        Item(f"{name}_before", "double", f"lead(a.{name}) {over}", (_value(one, name), *by))
        for name in of_type(one, "double")[:6]
    )
    items = _distinct(items)
    rows = (_row(one, "id", "FILTER"), _row(one, "changed_at", "FILTER"))
    return Body(tuple(items), f"from {one.name} as a\nqualify row_number() {over} = 1", rows)


def _union(inputs: tuple[Table, ...]) -> Body:
    """The columns that all inputs have by these names."""
    first, *others = inputs
    common = [(name, kind) for name, kind in first.columns if all((name, kind) in it.columns for it in others)]
    items = [Item(name, kind, f"a.{name}", tuple(_same(it, name) for it in inputs)) for name, kind in common]
    columns = tuple(f"a.{name}" for name, _ in common)
    return Body(
        tuple(items), f"from {first.name} as a", (), "", tuple((columns, f"from {it.name} as a") for it in others)
    )


def _insert(inputs: tuple[Table, ...]) -> Body:
    """The rows of today, put to those that are there."""
    (one,) = inputs
    items = [_plain("a", one, *column) for column in one.columns[:MOST]]
    return Body(
        tuple(items), f"from {one.name} as a\nwhere a.changed_at >= current_date", (_row(one, "changed_at", "FILTER"),)
    )


def _distinct(items: Iterable[Item]) -> list[Item]:
    """Return the items whose names are new: what is joined to a join may be called as what that one joined."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(item.name, item)
    return [*found.values()]


def _plain(alias: str, table: Table, name: str, kind: str) -> Item:
    return Item(name, kind, f"{alias}.{name}", (_same(table, name),))


def _same(table: Table, name: str) -> Input:
    return table.name, name, DIRECT, "IDENTITY"


def _value(table: Table, name: str) -> Input:
    return table.name, name, DIRECT, "TRANSFORMATION"


def _row(table: Table, name: str, subtype: str) -> Input:
    return table.name, name, INDIRECT, subtype


FORMS = {
    "copy": Form(("bronze",), 1, _copy),
    "insert": Form(("bronze",), 1, _insert),
    "window": Form(("bronze", "silver"), 1, _window),
    "join": Form(("silver", "gold"), 4, _join),
    "union": Form(("silver",), 3, _union),
    "aggregate": Form(("gold",), 1, _aggregate),
}
"""The forms by name."""
