"""Two revisions → how each table differs: columns, what they hold, what decides the rows, edges by kind.

Pipelines whose text and whose inputs' columns are the same are not looked into: a comparison costs what changed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest

from governance.diff.model import Difference, Edge, Side
from governance.diff.moved import Moved
from governance.diff.sources import source_differences
from governance.diff.version import Version, edges_of, in_order, named, rebuilt_on, types, written
from governance.pipeline import Pipeline
from governance.statement.meaning import Meaning, meaning
from governance.statement.respelt import AS_HERE, Respelt

NOBODY = {
    "owner": "nobody",
    "grain": "not said",
    "parting": "not said",
    "span of partitions": "the whole table",
}


def compare(base: Side, head: Side) -> tuple[Difference, ...]:
    """Return how the tables of ``head`` differ from those of ``base``, by table; one that does not is left out."""
    sources = tuple(source_differences(base, head))
    return tuple(sorted((*sources, *_pipelines(base, head, sources)), key=lambda it: it.table))


def _pipelines(base: Side, head: Side, sources: Iterable[Difference]) -> Iterator[Difference]:
    before, after = (Version.all(side) for side in (base, head))
    lost, respelt = Moved(it for table, it in before.items() if table not in after), AS_HERE
    for it in sources:
        respelt = respelt.renamed(it.table, dict(it.renamed))
    # in the order in which they run, so that what a reader reads is known under its new name
    order = dict.fromkeys((*(it.pipeline.table for it in head.program.statements), *sorted(after)))
    for table in order:
        old, new = before.get(table), after[table]
        if old:
            found = _pipeline(old, new, respelt)
            if found:
                respelt = respelt.renamed(table, dict(found.renamed))
                yield found
            continue
        made = replace(_alone(new), made=True, problem=new.problem, more=in_order(edges_of(new.lineage)))
        was = lost.take(new, respelt)
        if was:
            respelt = respelt.moved(was.pipeline.table, table)
            yield replace(_gone(was), file=made.file, moved=table)
        yield replace(made, moved=was.pipeline.table if was else "")
    yield from (_gone(it) for it in lost.left)


def _gone(old: Version) -> Difference:
    return replace(_alone(old), removed=True, less=in_order(edges_of(old.lineage)))


def _alone(of: Version) -> Difference:
    return Difference(of.pipeline.table, of.pipeline.file, line=of.line, columns=of.columns)


def _pipeline(old: Version, new: Version, respelt: Respelt) -> Difference | None:
    text = written(old.pipeline) != written(new.pipeline)
    if not text and old.inputs == new.inputs and bool(old.problem) == bool(new.problem):
        return None
    table, file = new.pipeline.table, new.pipeline.file
    if new.problem and (text or not old.problem):
        return Difference(table, file, problem=new.problem, line=new.line, columns=old.columns, text=text)
    if not text and not (old.lineage and new.lineage):
        # what it reads cannot be read on one side: that change reaches it, and it is none of its own
        return None
    # lineage is of a statement: what has none has no lineage either
    if new.statement is None or new.lineage is None:
        return Difference(table, file, problem="what it reads cannot be read", columns=old.columns, text=text)
    if old.statement is None or old.lineage is None:
        return Difference(table, file, made=True, columns=new.columns, text=text, more=in_order(edges_of(new.lineage)))
    line, said = _first_changed(old.pipeline, new.pipeline), _said(old, new)
    before = meaning(old.statement, old.side.program.schemas, respelt)
    after = meaning(new.statement, new.side.program.schemas)
    blocks = rebuilt_on(old.pipeline, new.pipeline)
    so_far = Difference(table, file, line=line, columns=old.columns, text=text, said=said, blocks=blocks)
    found = _read((old, before), (new, after), so_far, respelt)
    if old.statement.kind is not new.statement.kind:
        found = replace(found, rows=True)
    if not (before.whole and after.whole):
        found = _rebuilt(found)
    told = (found.gone, found.renamed, found.retyped, found.added, found.values, found.rows, found.more, found.less)
    return found if text or any(told) else None


def _rebuilt(found: Difference) -> Difference:
    """Return ``found`` with what a changed block may do to a text that was not taken apart: anything."""
    kept = tuple(name for name in found.columns if name not in (*found.gone, *dict(found.renamed)))
    return replace(found, values=kept, rows=True) if found.blocks else found


def _said(old: Version, new: Version) -> tuple[str, ...]:
    """Return what neither values nor rows show, in words."""
    was, now = old.pipeline, new.pipeline
    found = [
        became("owner", was.owner, now.owner),
        became("grain", ", ".join(was.grain), ", ".join(now.grain)),
        became("parting", _listed(was.partition_by), _listed(now.partition_by)),
        became("span of partitions", _listed((was.partitions,)), _listed((now.partitions,))),
    ]
    kept = [[name for name in one.columns if name in other.columns] for one, other in ((old, new), (new, old))]
    if kept[0] != kept[1]:
        found.append("its columns stand in another order, which only what reads them by place can tell")
    return tuple(filter(None, found))


def _listed(it: Iterable[object]) -> str:
    return ", ".join(str(one) for one in it if one is not None)


def became(what: str, was: str | None, now: str | None) -> str:
    """Return that an owner or the like is another now, in words; empty where it is not."""
    return (
        "" if (was or "") == (now or "") else f"its {what} is now {now or NOBODY[what]}, and was {was or NOBODY[what]}"
    )


def _first_changed(old: Pipeline, new: Pipeline) -> int | None:
    """Return the first line of ``new`` that is not as it was, where a remark on the change is to be shown.

    Of a template it is the template's line.
    """
    lines = new.sql.splitlines()
    pairs = enumerate(zip_longest(old.sql.splitlines(), lines), start=1)
    line = next((min(at, len(lines)) for at, (was, now) in pairs if was != now), None)
    return new.origin[line - 1] if line and line <= len(new.origin) else line


def _read(
    earlier: tuple[Version, Meaning], later: tuple[Version, Meaning], so_far: Difference, respelt: Respelt
) -> Difference:
    """Return how two readable versions of one pipeline differ, each beside what it means."""
    (old, before), (new, after) = earlier, later
    was, now = named(old, before), named(new, after)
    old_edges, more = _respelt(edges_of(old.lineage), respelt), edges_of(new.lineage)
    renamed = _renamed(was, now, _inputs(old_edges), _inputs(more))
    names = {name: name for name in was if name in now} | dict(renamed)
    # a column that was renamed has the edges of its old name, and so has what reads it
    less: set[Edge] = {(names.get(it[0] or "", it[0]), *it[1:]) for it in old_edges}
    return replace(
        so_far,
        gone=tuple(name for name in was if name not in names),
        renamed=renamed,
        retyped=tuple(_retyped(old, new, before, after, names)),
        added=tuple(name for name in now if name not in names.values()),
        values=tuple(name for name, to in names.items() if was[name] != now[to]),
        rows=before.rows != after.rows,
        more=in_order(more - less),
        less=in_order(less - more),
    )


def _respelt(edges: Iterable[Edge], respelt: Respelt) -> set[Edge]:
    return {
        (out, respelt.table(table), respelt.column(table, column), how, masking)
        for out, table, column, how, masking in edges
    }


Inputs = Mapping[str, frozenset[tuple[str, str]]]
"""By column, the (table, column) that its values come from."""


def _inputs(edges: Iterable[Edge]) -> Inputs:
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for out, table, column, how, _ in edges:
        if out is not None and how.startswith("DIRECT"):
            found[out].add((table, column))
    return {out: frozenset(inputs) for out, inputs in found.items()}


def _renamed(
    was: Mapping[str, str], now: Mapping[str, str], before: Inputs, after: Inputs
) -> tuple[tuple[str, str], ...]:
    """Return the columns that are gone under one name and there under another, computed alike: (old, new)."""
    gone = [name for name in was if name not in now]
    fresh = [name for name in now if name not in was]
    found: list[tuple[str, str]] = []
    for digest in dict.fromkeys(was[name] for name in gone):
        alike = [name for name in gone if was[name] == digest], [name for name in fresh if now[name] == digest]
        # several that are computed alike keep their order
        found += zip(*alike, strict=True) if len(alike[0]) == len(alike[1]) else ()
    left, new = [it for it in gone if it not in dict(found)], [it for it in fresh if it not in dict(found).values()]
    # the one column that went and the one that came, at the same place and of the same values
    if len(left) == len(new) == 1 and list(was).index(left[0]) == list(now).index(new[0]) and len(was) == len(now):
        found += [(left[0], new[0])] if before.get(left[0], 0) == after.get(new[0]) else []
    return tuple(found)


def _retyped(
    old: Version, new: Version, before: Meaning, after: Meaning, names: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    was, now = types(old, before), types(new, after)
    for name, to in names.items():
        if was.get(name) and now.get(to) and was[name] != now[to]:
            yield name, was[name], now[to]
