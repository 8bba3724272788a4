"""Differences → Changes: each judged by who reads what changed, with what it reaches and how to go about it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from governance.classification import Understated, propose, understated
from governance.diff.around import Around, Known, text_graph
from governance.diff.compare import became
from governance.diff.model import WEIGHT, Change, ClassChange, Diff, Difference, Edge, Kind, Side
from governance.diff.steps import asked, steps
from governance.diff.told import Told, spelt
from governance.graph import Graph
from governance.impact import Change as ChangeOf
from governance.policy import Policy

METADATA = "governance/metadata.toml"
"""Where policy says whose a table is."""


def judge(differences: Iterable[Difference], base: Side, head: Side, known: Known) -> Diff:
    """Return ``differences`` judged, what weighs most first."""
    texts = text_graph(base, ()), text_graph(head, ())
    around = Around.of(base, head, known, texts)
    changes = _judged(differences, around, _owners(base.policy, head.policy))
    return Diff(
        changes=changes,
        classes=tuple(_classes(base.policy, head.policy)),
        understated=_understated((base, head), texts, known.today),
        unreadable=tuple(sorted(head.program.unreadable.keys() - base.program.unreadable.keys())),
        owners=asked(changes, around.asked),
    )


def judge_told(differences: Iterable[Difference], base: Told, head: Told, known: Known) -> Diff:
    """Return the same of two sets of events; a job whose output's edges changed counts as rewritten."""
    seen = tuple(differences)
    names = {name: dataset for dataset, name in spelt(base, head).items()}
    changed = {names[it.table] for it in seen}
    rewritten = frozenset(write.job.name for write in head.graph.writes if write.dataset in changed)
    declared = {it.name: it for it in known.declared.consumers}
    around = Around(base.graph, head.graph, known.facts(base.graph), declared, known.log, names, "", rewritten)
    changes = _judged(seen, around)
    return Diff(changes, owners=asked(changes, around.asked))


def _judged(differences: Iterable[Difference], around: Around, declared: Iterable[Change] = ()) -> tuple[Change, ...]:
    found = (change for difference in differences for change in _changes(difference, around))
    return tuple(sorted((*found, *declared), key=lambda it: (WEIGHT[it.kind], it.pipeline, it.fields)))


def _changes(it: Difference, around: Around) -> Iterator[Change]:
    if it.problem:
        yield _change(it, around, Kind.BREAKING, f"it cannot be read: {it.problem}", how=ChangeOf.DROP)
    elif it.made:
        reason = f"it is what {it.moved} was" if it.moved else "it is new"
        yield _change(it, around, Kind.ADDITIVE, reason, fields=it.columns)
    elif it.removed:
        users = around.users(it.table)
        became = f"it is now {it.moved}" if it.moved else "it is gone"
        kind, reason = Kind.BREAKING if users else Kind.VALUE, f"{became}{_by(users)}"
        yield _change(it, around, kind, reason, fields=it.columns, how=ChangeOf.DROP, readers=users)
    else:
        found = list(_parts(it, around))
        yield from found
        if it.said or (not found and it.text):
            yield _change(it, around, Kind.COSMETIC, "; ".join(it.said) or "written otherwise, and means the same")


def _parts(it: Difference, around: Around) -> Iterator[Change]:
    yield from (_lost(it, around, *lost) for lost in _losses(it))
    if it.rows:
        yield _change(it, around, Kind.POPULATION, _rows_reason(it), fields=it.columns, how=ChangeOf.FILTER)
    retyped = {name for name, _, _ in it.retyped}
    values = tuple(name for name in it.values if name not in retyped)
    if values:
        yield _change(it, around, Kind.VALUE, _values_reason(it, values), fields=values, how=ChangeOf.VALUE)
    if it.added:
        yield _change(it, around, Kind.ADDITIVE, f"new: {', '.join(it.added)}", fields=it.added)


def _losses(it: Difference) -> Iterator[tuple[str, str, ChangeOf]]:
    """Yield the columns that are not what they were under their names, what became of each, and the kind of that."""
    yield from ((name, f"{name} is gone", ChangeOf.DROP) for name in it.gone)
    yield from ((old, f"{old} is now {new}", ChangeOf.RENAME) for old, new in it.renamed)
    yield from ((name, f"{name} was {old} and is {new}", ChangeOf.TYPE) for name, old, new in it.retyped)


def _lost(it: Difference, around: Around, name: str, reason: str, how: ChangeOf) -> Change:
    readers, moved = around.readers(it.table, name)
    along = f"; {', '.join(moved)} changed along" if moved else ""
    kind = Kind.BREAKING if readers else Kind.VALUE
    return _change(it, around, kind, f"{reason}{_by(readers)}{along}", fields=(name,), how=how, readers=readers)


def _by(readers: tuple[str, ...]) -> str:
    if readers:
        return f", and read by {', '.join(readers)}"
    return "; no consumers found among these sources over this window"


def _values_reason(it: Difference, values: tuple[str, ...]) -> str:
    read = [f"{name}, whose {words}" for name, words in it.read if name in values]
    if read:
        return f"read otherwise: {'; '.join(read)}"
    how = "computed otherwise" if it.text or not it.file else "the text is the same, and other columns come into it"
    return f"{how}: {', '.join(values)}{_blocks_reason(it)}"


def _blocks_reason(it: Difference) -> str:
    return f"; written otherwise: {', '.join(it.blocks)}, which it builds on" if it.blocks else ""


def _rows_reason(it: Difference) -> str:
    read = [words for name, words in it.read if name is None]
    if read:
        return f"it is read otherwise: {'; '.join(read)}"
    told = [*(("now", edge) for edge in it.more), *(("no longer", edge) for edge in it.less)]
    edges = [f"{when} {source}.{column} ({how})" for when, (out, source, column, how, _) in told if out is None]
    same = "a condition, join, grouping or limit on the same columns"
    return f"what decides its rows changed: {'; '.join(edges) or same}{_blocks_reason(it)}"


def _change(
    it: Difference,
    around: Around,
    kind: Kind,
    reason: str,
    *,
    fields: tuple[str, ...] = (),
    how: ChangeOf | None = None,
    readers: tuple[str, ...] = (),
) -> Change:
    rows = how is ChangeOf.FILTER
    change = Change(
        it.table,
        it.file,
        kind,
        fields,
        reason,
        readers,
        reaches=around.reached(it.table, () if rows else fields, how) if how else (),
        line=it.line,
        more=_own(it.more, fields, rows=rows),
        less=_own(it.less, fields, rows=rows),
    )
    return replace(change, steps=steps(change, it, around.owner))


def _own(edges: Iterable[Edge], fields: tuple[str, ...], *, rows: bool) -> tuple[Edge, ...]:
    """Return the edges that a change is about: of all rows for one of rows, else of its columns."""
    return tuple(edge for edge in edges if (edge[0] is None if rows else edge[0] in fields))


def _owners(base: Policy, head: Policy) -> Iterator[Change]:
    """Yield the tables that policy gives to another owner."""
    for table in sorted({*base.tables, *head.tables}):
        was, now = (policy.tables[table].owner if table in policy.tables else None for policy in (base, head))
        reason = became("owner", was, now)
        if reason:
            yield Change(table, METADATA, Kind.COSMETIC, (), reason)


def _classes(base: Policy, head: Policy) -> Iterator[ClassChange]:
    for table in sorted({*base.tables, *head.tables}):
        before, after = (policy.tables[table].columns if table in policy.tables else {} for policy in (base, head))
        for column in dict.fromkeys((*before, *after)):
            old = before[column].classification if column in before else None
            new = after[column].classification if column in after else None
            if old != new:
                yield ClassChange(table, column, old, new)


def _understated(sides: tuple[Side, Side], texts: tuple[Graph, Graph], today: date) -> tuple[Understated, ...]:
    """Return what the later revision declares too low and the earlier did not: as their texts say."""
    before, after = (
        understated(propose(graph, side.policy, today=today), side.policy)
        for side, graph in zip(sides, texts, strict=True)
    )
    known = {(it.field, it.declared, it.proposal.classification) for it in before}
    return tuple(it for it in after if (it.field, it.declared, it.proposal.classification) not in known)
