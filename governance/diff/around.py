"""What a change stands in: the graph that events and texts tell, who reads which column of it, and who owns what."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from governance.consumers.declared import Declarations, Declared
from governance.dataset import Dataset, Field
from governance.diff.model import Change, Kind, Side
from governance.diff.steps import NOBODY
from governance.diff.version import written
from governance.graph import Graph, graph_of
from governance.graph.stated import stated
from governance.impact import Change as ChangeOf
from governance.impact import Facts, Ranked, impact, ranked
from governance.queries.model import QueryLog, QueryRead
from governance.runs import Run


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the two revisions.

    runs:  what the events tell, empty where there are none
    facts: owners, criticality, consumers, as a function of the graph
    log:   reads that query logs show
    today: the day of asking, for what was declassified until some day
    declared: what consumers say that they read
    """

    runs: tuple[Run, ...] = ()
    facts: Callable[[Graph], Facts] = field(default=lambda _graph: Facts())
    log: QueryLog = field(default_factory=QueryLog)
    today: date = date.max
    declared: Declarations = field(default_factory=Declarations)


@dataclass(frozen=True, slots=True)
class Around:
    """The graph that a change stands in: what events tell, and beside it what the text of the earlier revision says.

    names: datasets by name, files' and those that may be of several namespaces; all others are of ``namespace``
    """

    graph: Graph
    later: Graph
    facts: Facts
    declared: Mapping[str, Declared]
    log: QueryLog
    names: Mapping[str, Dataset]
    namespace: str
    rewritten: frozenset[str]

    @classmethod
    def of(cls, base: Side, head: Side, known: Known, texts: tuple[Graph, Graph]) -> "Around":
        """Return what stands around a change from ``base`` to ``head``, whose texts alone give the two graphs."""
        graph = text_graph(base, known.runs) if known.runs else texts[0]
        before = {it.table: written(it) for it in base.pipelines}
        rewritten = frozenset(it.table for it in head.pipelines if before.get(it.table) != written(it))
        readable = rewritten - head.program.unreadable.keys()
        facts = known.facts(graph)
        declared = {it.name: it for it in known.declared.consumers}
        own = base.policy.lineage, head.policy.lineage
        files = {name: naming.dataset(name) for naming in own for name in naming.files}
        return cls(graph, texts[1], facts, declared, known.log, files, own[1].namespace, readable)

    def dataset(self, table: str) -> Dataset:
        """Return the dataset that a difference calls ``table``."""
        return self.names.get(table) or Dataset(self.namespace, table)

    def owner(self, dataset: Dataset) -> str | None:
        """Return who owns a table, None where nobody says."""
        return self.facts.owners.get(dataset)

    def readers(self, table: str, column: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return who is known to read a column still, and which pipelines did and were rewritten along."""
        dataset = self.dataset(table)
        jobs, still = (_readers(graph, dataset, column) for graph in (self.graph, self.later))
        moved = {job for job in jobs if job in self.rewritten and job not in still}
        reads = sum(1 for read in self.log.reads if _may_read(read, table, column))
        others = [*self.consumers(table, (column,)), *([f"{reads} queries in the log"] if reads else [])]
        return (*sorted(jobs - moved), *others), tuple(sorted(moved))

    def consumers(self, table: str, columns: Iterable[str]) -> tuple[str, ...]:
        """Return the declared consumers of a table that read any of ``columns``, of all of it where none is named."""
        dataset, wanted = self.dataset(table), tuple(columns)
        names = self.facts.consumers.get(dataset, ())
        return tuple(it for it in names if not wanted or any(self._may_use(it, dataset.name, of) for of in wanted))

    def _may_use(self, name: str, table: str, column: str) -> bool:
        """Whether a consumer reads a column: one that names columns of the table reads no other."""
        own = self.declared[name].columns(table) if name in self.declared else None
        return own is None or any(_overlap(it.removeprefix(f"{table}."), column) for it in own)

    def asked(self, change: Change) -> Iterator[tuple[str, str]]:
        """Yield who is to act on a change, and of what: owners of reached tables, and of consumers of any of them."""
        direct = self.consumers(change.pipeline, () if change.kind is Kind.POPULATION else change.fields)
        yield from ((self._owner_of(name), f"{name}, which reads {change.pipeline}") for name in direct)
        for it in change.reaches:
            yield self.owner(it.dataset) or NOBODY, it.dataset.name
            yield from ((self._owner_of(name), f"{name}, which reads {it.dataset.name}") for name in it.consumers)

    def _owner_of(self, name: str) -> str:
        consumer = self.declared.get(name)
        return (consumer.owner or consumer.contact if consumer else None) or NOBODY

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


def text_graph(side: Side, runs: tuple[Run, ...]) -> Graph:
    """Return what the texts of a revision say, and beside it what ``runs`` told."""
    told = stated(side.program.lineages.values(), side.policy.lineage, side.owners)
    return graph_of((*told, *runs))
