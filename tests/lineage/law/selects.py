"""One SELECT: its items, its row clauses, and what they depend on."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.lineage.law import subqueries
from tests.lineage.law.aggregates import Window, aggregate, window, windowed
from tests.lineage.law.deps import Deps, column, through, united
from tests.lineage.law.draw import Draw
from tests.lineage.law.joins import from_clause
from tests.lineage.law.relations import Column, From, Making, Query, Surroundings, atoms, star, whole_row
from tests.lineage.law.terms import Atoms, Term, struct, term

KINDS = ("i", "v", "i", "v", "d", "b", "l")


@dataclass(frozen=True, slots=True)
class Item:
    """One expression of the select list with its output name."""

    name: str
    term: Term
    key: bool = False

    def written(self) -> str:
        return self.term.sql if self.term.sql == self.name else f"{self.term.sql} AS {self.name}"


@dataclass(slots=True)
class Clauses:
    """What a select is put together from, in the order of its text."""

    distinct: str = ""
    items: str = ""
    source: str = ""
    rest: list[str] = field(default_factory=list)
    rows: list[Deps] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    inner: Sequence[tuple[Term, frozenset[str]]] = ()

    def sql(self) -> str:
        return " ".join([f"SELECT {self.distinct}{self.items} FROM {self.source}", *self.rest])

    def add(self, text: str, deps: Deps, hop: str) -> None:
        self.rest.append(text)
        self.rows.append(through(deps, hop))


def select(making: Making, around: Surroundings, want: Sequence[str] = ()) -> Query:
    """A SELECT; with ``want`` one whose columns are of these kinds."""
    found = from_clause(making, around)
    made = Clauses(source=found.sql, rows=[found.rows], reads=set(found.reads))
    plain = (*atoms(found), *around.outer)
    made.inner = subqueries.made(making, around, plain)
    readable = (*plain, *(atom for atom, _ in made.inner))
    if making.draw.chance(12):
        readable = (*readable, whole_row(making.draw.pick(found.members)))
    if making.draw.chance(40):
        condition = term(making.draw, readable, "b", 2)
        made.add(f"WHERE {condition.sql}", condition.deps, "FILTER")
    if not want and making.draw.chance(10) and _starred(found):
        return _star(making, found, made)
    if making.draw.chance(35):
        return _grouped(making, made, readable, want)
    named: list[tuple[str, Window]] = [("w0", window(making.draw, atoms(found)))] if making.draw.chance(15) else []
    return _plain(making, made, readable, want, named)


def _starred(found: From) -> bool:
    return all(found.bare(name) for name in found.names())


def _star(making: Making, found: From, made: Clauses) -> Query:
    columns = star(found)
    made.items = "*"
    if making.draw.chance(40) and len(columns) > 1:
        left_out = making.draw.pick(columns).name
        made.items = f"* EXCLUDE ({left_out})"
        columns = tuple(one for one in columns if one.name != left_out)
    elif making.draw.chance(40):
        old = making.draw.pick(columns)
        new = term(making.draw, tuple(atom for atom in atoms(found) if atom.bare), "i", 1)
        made.items = f"* REPLACE ({new.sql} AS {old.name})"
        columns = tuple(Column(one.name, "i", new.deps) if one.name == old.name else one for one in columns)
    elif making.draw.chance(40):
        old, new = making.draw.pick(columns).name, making.fresh("new")
        made.items = f"* RENAME ({old} AS {new})"
        columns = tuple(replace(one, name=new) if one.name == old else one for one in columns)
    elif making.draw.chance(50):
        only = making.draw.pick(columns).name
        made.items = f"COLUMNS('^{only}$')"
        columns = tuple(one for one in columns if one.name == only)
    return _query(made, columns)


def _query(made: Clauses, columns: Sequence[Column]) -> Query:
    text = made.sql()
    read = (reads for atom, reads in made.inner if atom.sql in text)
    return Query(text, tuple(columns), united(*made.rows), frozenset(made.reads).union(*read))


def _names(draw: Draw, count: int, readable: Atoms) -> list[str]:
    """Output names; some are those of columns in sight, so that precedence shows."""
    taken = sorted({atom.bare for atom in readable if atom.bare})
    names: list[str] = []
    for at in range(count):
        name = draw.pick(taken) if taken and draw.chance(20) else f"n{at}"
        names.append(name if name not in names else next(f"n{n}" for n in range(at, 99) if f"n{n}" not in names))
    return names


def _plain(
    making: Making, made: Clauses, readable: Atoms, want: Sequence[str], named: Sequence[tuple[str, Window]]
) -> Query:
    draw = making.draw
    kinds = want or [draw.pick(KINDS) for _ in range(1 + draw.below(4))]
    items = _items(draw, readable, kinds, named, structs=not want)
    if named:
        made.rest.append(f"WINDOW w0 AS ({named[0][1].sql})")
    if draw.chance(15):
        ranked = windowed(draw, readable, "i", named)
        made.add(f"QUALIFY {ranked.sql} < 3", ranked.deps, "FILTER")
    return _finish(making, made, items, readable)


def _items(
    draw: Draw, readable: Atoms, kinds: Sequence[str], named: Sequence[tuple[str, Window]], *, structs: bool
) -> list[Item]:
    items: list[Item] = []
    sight = list(readable)
    columns = {atom.sql.rsplit(".", 1)[-1] for atom in readable}  # a name that is ambiguous is no alias either
    for name, kind in zip(_names(draw, len(kinds), readable), kinds, strict=True):
        if structs and draw.chance(6):
            made = struct(draw, readable)
        elif kind not in "bl" and draw.chance(20):
            made = windowed(draw, readable, kind, named)
        else:
            made = term(draw, sight, kind, 2)
            if name not in columns and draw.chance(40):  # a later item may read it, a lateral alias
                sight.append(Term(name, made.kind, made.deps, bare=name))
        items.append(Item(name, made))
    return items


def _grouped(making: Making, made: Clauses, readable: Atoms, want: Sequence[str]) -> Query:
    draw = making.draw
    keys = [key for key in (term(draw, readable, draw.pick("ivd"), 1) for _ in range(draw.below(3))) if key.deps]
    keys = list({key.sql: replace(key, bare=key.bare) for key in keys}.values())
    whole = [aggregate(draw, readable, draw.pick("iivd")) for _ in range(1 + draw.below(3))]
    inside = (*keys, *whole)
    kinds = want or [draw.pick("ivid") for _ in range(1 + draw.below(3))]
    listed = not want and draw.chance(60)
    names = _names(draw, len(kinds) + len(keys), readable)
    items = [Item(name, key, key=True) for name, key in zip(names, keys, strict=False)] if listed else []
    rest = names[len(items) :]
    for name, kind in zip(rest, kinds, strict=False):
        value = (
            windowed(draw, inside, kind, ())
            if kind != "l" and draw.chance(15)
            else _aggregated(draw, inside, readable, kind)
        )
        items.append(Item(name, value))
    if keys:
        made.add(f"GROUP BY {_keys(draw, keys, items, listed=listed)}", united(*(key.deps for key in keys)), "GROUP_BY")
    if draw.chance(25):
        condition = term(draw, [atom for atom in inside if not _hidden(atom, items)], "b", 1)
        made.add(f"HAVING {condition.sql}", condition.deps, "FILTER")
    return _finish(making, made, items, inside, grouped=True)


def _aggregated(draw: Draw, inside: Atoms, readable: Atoms, kind: str) -> Term:
    """A term that needs no grouping of its own: over keys and aggregates, or one aggregate."""
    made = term(draw, inside, kind, 1)
    return made if made.aggregated or draw.chance(50) else aggregate(draw, readable, kind)


def _hidden(atom: Term, items: Sequence[Item]) -> bool:
    """Whether an output's name stands in the atom's way outside the select list."""
    return any(item.name in atom.sql for item in items)


def _keys(draw: Draw, keys: Sequence[Term], items: Sequence[Item], *, listed: bool) -> str:
    written = [key.sql for key in keys]
    if listed and draw.chance(35):
        return ", ".join(str(at + 1) for at in range(len(keys)))
    if listed and draw.chance(30) and all(item.term.aggregated or item.key for item in items):
        return "ALL"
    return draw.pick(("{}", "{}", "{}", "ROLLUP ({})", "CUBE ({})", "GROUPING SETS (({}), ())")).format(
        ", ".join(written)
    )


def _finish(making: Making, made: Clauses, items: Sequence[Item], readable: Atoms, *, grouped: bool = False) -> Query:
    draw = making.draw
    made.items = ", ".join(item.written() for item in items)
    every = united(*(item.term.deps for item in items))
    distinct = draw.chance(15)
    if distinct:
        made.distinct = "DISTINCT "
        made.rows.append(through(every, "GROUP_BY"))
    elif not grouped and draw.chance(6):
        return _distinct_on(draw, made, items)
    if draw.chance(25):
        _order(draw, made, items, [] if distinct or grouped else readable)
    columns = [Column(item.name, item.term.kind, item.term.deps, item.term.members) for item in items]
    return _query(made, columns)


def _distinct_on(draw: Draw, made: Clauses, items: Sequence[Item]) -> Query:
    at = draw.below(len(items))
    # a bare name in DISTINCT ON is an output's first, a bare number a position
    term = items[at].term
    key = items[at].name if term.bare or term.sql.isdecimal() else term.sql
    made.distinct = f"DISTINCT ON ({key}) "
    made.rows.append(through(items[at].term.deps, "GROUP_BY"))
    every = united(*(item.term.deps for item in items))
    places = [at, *(other for other in range(len(items)) if other != at)]
    made.add("ORDER BY " + ", ".join(str(place + 1) for place in places), every, "SORT")
    return _query(made, [Column(item.name, item.term.kind, item.term.deps, item.term.members) for item in items])


def _order(draw: Draw, made: Clauses, items: Sequence[Item], readable: Atoms) -> None:
    every = united(*(item.term.deps for item in items))
    free = [atom for atom in readable if atom.deps and not _hidden(atom, items) and atom.kind != "m"]
    if free and draw.chance(30):
        first = draw.pick(free)
        made.add(f"ORDER BY {first.sql}", first.deps, "SORT")
        return
    style = draw.pick(("ALL", "places", "names"))
    places = [str(at + 1) for at in range(len(items))]
    text = {"ALL": "ALL", "places": ", ".join(places), "names": ", ".join(item.name for item in items)}[style]
    made.add(f"ORDER BY {text}", every, "SORT")
    if draw.chance(60):
        made.rest.append(f"LIMIT {1 + draw.below(4)}")
    elif draw.chance(10):
        made.add("LIMIT (SELECT max(k) FROM s.v)", column("s.v", "k"), "FILTER")
        made.reads.add("s.v")
