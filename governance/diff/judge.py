"""Differences → Changes: each judged by who reads what changed, with what it reaches and how to go about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from governance.classification import Understated, propose, understated
from governance.dataset import Dataset, Field
from governance.diff.model import WEIGHT, Change, ClassChange, Diff, Difference, Edge, Kind, Side
from governance.diff.steps import asked, steps
from governance.diff.told import Told, spelt
from governance.graph import Graph, graph_of
from governance.graph.stated import stated
from governance.impact import Change as ChangeOf
from governance.impact import Facts, Ranked, impact, ranked
from governance.policy import Policy
from governance.queries.model import QueryLog, QueryRead
from governance.runs import Run


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the two revisions.

    runs:  what the events tell, empty where there are none
    facts: owners, criticality, consumers, as a function of the graph
    log:   reads that query logs show
    today: the day of asking, for what was declassified until some day
    """

    runs: tuple[Run, ...] = ()
    facts: Callable[[Graph], Facts] = field(default=lambda _graph: Facts())
    log: QueryLog = field(default_factory=QueryLog)
    today: date = date.max


def judge(differences: Iterable[Difference], base: Side, head: Side, known: Known) -> Diff:
    """Return ``differences`` judged, what weighs most first."""
    texts = _graph(base, ()), _graph(head, ())
    around = _Around.of(base, head, known, texts)
    changes = _judged(differences, around)
    return Diff(
        changes=changes,
        classes=tuple(_classes(base.policy, head.policy)),
        understated=_understated((base, head), texts, known.today),
        unreadable=tuple(sorted(head.program.unreadable.keys() - base.program.unreadable.keys())),
        owners=asked(changes, around.owner),
    )


def judge_told(differences: Iterable[Difference], base: Told, head: Told, known: Known) -> Diff:
    """Return the same of two sets of events; a job whose output's edges changed counts as rewritten."""
    seen = tuple(differences)
    names = {name: dataset for dataset, name in spelt(base, head).items()}
    changed = {names[it.table] for it in seen}
    rewritten = frozenset(write.job.name for write in head.graph.writes if write.dataset in changed)
    around = _Around(base.graph, head.graph, known.facts(base.graph), known.log, names, "", rewritten)
    changes = _judged(seen, around)
    return Diff(changes, owners=asked(changes, around.owner))


def _judged(differences: Iterable[Difference], around: "_Around") -> tuple[Change, ...]:
    found = (change for difference in differences for change in _changes(difference, around))
    return tuple(sorted(found, key=lambda it: (WEIGHT[it.kind], it.pipeline, it.fields)))


@dataclass(frozen=True, slots=True)
class _Around:
    """The graph that a change stands in: what events tell, and beside it what the text of the earlier revision says.

    names: datasets by name, where they may be of several namespaces; all others are of ``namespace``
    """

    graph: Graph
    later: Graph
    facts: Facts
    log: QueryLog
    names: Mapping[str, Dataset]
    namespace: str
    rewritten: frozenset[str]

    @classmethod
    def of(cls, base: Side, head: Side, known: Known, texts: tuple[Graph, Graph]) -> "_Around":
        graph = _graph(base, known.runs) if known.runs else texts[0]
        before = {it.table: it.sql for it in base.pipelines}
        rewritten = frozenset(it.table for it in head.pipelines if before.get(it.table) != it.sql)
        readable = rewritten - head.program.unreadable.keys()
        facts = known.facts(graph)
        return cls(graph, texts[1], facts, known.log, {}, head.policy.lineage.namespace, readable)

    def dataset(self, table: str) -> Dataset:
        return self.names.get(table) or Dataset(self.namespace, table)

    def owner(self, dataset: Dataset) -> str | None:
        return self.facts.owners.get(dataset)

    def readers(self, table: str, column: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return who is known to read a column still, and which pipelines did and were rewritten along."""
        dataset = self.dataset(table)
        jobs, still = (_readers(graph, dataset, column) for graph in (self.graph, self.later))
        moved = {job for job in jobs if job in self.rewritten and job not in still}
        reads = sum(1 for read in self.log.reads if _may_read(read, table, column))
        others = [*self.facts.consumers.get(dataset, ()), *([f"{reads} queries in the log"] if reads else [])]
        return (*sorted(jobs - moved), *others), tuple(sorted(moved))

    def users(self, table: str) -> tuple[str, ...]:
        """Return who is known to read a table at all."""
        dataset = self.dataset(table)
        jobs = sorted({it.job for it in self.graph.flows if it.source == dataset != it.target})
        return (*(job for job in jobs if job not in self.rewritten), *self.facts.consumers.get(dataset, ()))

    def reached(self, table: str, columns: Iterable[str], kind: ChangeOf) -> tuple[Ranked, ...]:
        """Return the tables that a change of ``columns`` reaches, of its rows where there is none."""
        dataset = self.dataset(table)
        starts: list[Field | Dataset] = [Field(dataset, column) for column in columns]
        found: dict[Dataset, Ranked] = {}
        for start in starts or [dataset]:
            for it in ranked(impact(self.graph, start, kind), self.facts):
                if it.dataset != dataset:
                    found.setdefault(it.dataset, it)
        return tuple(sorted(found.values(), key=lambda it: (it.rank, it.dataset)))


def _readers(graph: Graph, dataset: Dataset, column: str) -> frozenset[str]:
    """Return the jobs that read a column, what it is a member of or a member of it, for another table."""
    return frozenset(
        edge.job
        for edge in graph.edges
        if edge.source.dataset == dataset
        and _overlap(edge.source.name, column)
        and (edge.target.dataset if isinstance(edge.target, Field) else edge.target) != dataset
    )


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _may_read(read: QueryRead, table: str, column: str) -> bool:
    """Whether a logged query read the column, or the table with columns that are not known."""
    return table in read.tables if read.columns is None else f"{table}.{column}" in read.columns


def _graph(side: Side, runs: tuple[Run, ...]) -> Graph:
    lineage = side.policy.lineage
    told = stated(side.program.lineages.values(), lineage.namespace, lineage.job_namespace, side.owners)
    return graph_of((*told, *runs))


def _changes(it: Difference, around: _Around) -> Iterator[Change]:
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
        if not found and it.text:
            yield _change(it, around, Kind.COSMETIC, "written otherwise, and means the same")


def _parts(it: Difference, around: _Around) -> Iterator[Change]:
    yield from (_lost(it, around, *lost) for lost in _losses(it))
    if it.rows:
        yield _change(it, around, Kind.POPULATION, _rows_reason(it), fields=it.columns, how=ChangeOf.FILTER)
    retyped = {name for name, _, _ in it.retyped}
    values = tuple(name for name in it.values if name not in retyped)
    if values:
        how = "computed otherwise" if it.text or not it.file else "the text is the same, and other columns come into it"
        reason = f"{how}: {', '.join(values)}"
        yield _change(it, around, Kind.VALUE, reason, fields=values, how=ChangeOf.VALUE)
    if it.added:
        yield _change(it, around, Kind.ADDITIVE, f"new: {', '.join(it.added)}", fields=it.added)


def _losses(it: Difference) -> Iterator[tuple[str, str, ChangeOf]]:
    """Yield the columns that are not what they were under their names, what became of each, and the kind of that."""
    yield from ((name, f"{name} is gone", ChangeOf.DROP) for name in it.gone)
    yield from ((old, f"{old} is now {new}", ChangeOf.RENAME) for old, new in it.renamed)
    yield from ((name, f"{name} was {old} and is {new}", ChangeOf.TYPE) for name, old, new in it.retyped)


def _lost(it: Difference, around: _Around, name: str, reason: str, how: ChangeOf) -> Change:
    readers, moved = around.readers(it.table, name)
    along = f"; {', '.join(moved)} changed along" if moved else ""
    kind = Kind.BREAKING if readers else Kind.VALUE
    return _change(it, around, kind, f"{reason}{_by(readers)}{along}", fields=(name,), how=how, readers=readers)


def _by(readers: tuple[str, ...]) -> str:
    if readers:
        return f", and read by {', '.join(readers)}"
    return "; no consumers found among these sources over this window"


def _rows_reason(it: Difference) -> str:
    told = [*(("now", edge) for edge in it.more), *(("no longer", edge) for edge in it.less)]
    edges = [f"{when} {source}.{column} ({how})" for when, (out, source, column, how, _) in told if out is None]
    same = "a condition, join, grouping or limit on the same columns"
    return f"what decides its rows changed: {'; '.join(edges) or same}"


def _change(
    it: Difference,
    around: _Around,
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
