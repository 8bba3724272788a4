"""Consumers of a table: everyone that lineage, query logs, declarations and BI metadata together know of.

Each source sees what the others miss, so a consumer stands here once with the evidence of each. What none of them saw
is not nothing: the answer is about these sources over this window, and says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from governance.consumers.declared import Declarations, Declared
from governance.consumers.model import GRAPH, LOG, Consumer, Consumers, Evidence
from governance.consumers.observed import Observed, observe
from governance.consumers.reconcile import days, edges_without_reads, reads_without_edge, silence
from governance.consumers.records import Records
from governance.dataset import Dataset, Field
from governance.graph import Flow, Graph
from governance.impact.walk import impact
from governance.landing.kinds import kinds_of
from governance.queries.model import Window


def consumers_of(asked: Dataset | Field, records: Records, at: datetime) -> Consumers:
    """Return everyone known to read ``asked``, a table or one column of it; a kind of record is read of its file."""
    column = str(asked) if isinstance(asked, Field) else None
    datasets = (asked.dataset,) if isinstance(asked, Field) else (asked, *_kinds(asked, records))
    names = frozenset(it.name for it in datasets)
    pairs = [pair for pair in observe(records) if pair.table in names]
    found = _Found(records)
    found.add(_of_graph(records.graph, frozenset(datasets)))
    found.add(_of_log(pairs, records.log.span))
    found.add(_of_declarations(records.declarations, datasets))
    every = found.consumers()
    wanted = [consumer for consumer in every if _reads(consumer, column)]
    return Consumers(
        asked=str(asked),
        at=at,
        sources=_sources(records),
        consumers=tuple(sorted(wanted, key=_rank)),
        log_only=reads_without_edge(records, pairs),
        graph_only=edges_without_reads(records, pairs, names),
        unreadable=records.log.unreadable,
        derived=_derived(records.graph, asked),
        unplaced=frozenset(it.name for it in wanted if column and not _certain(it, column)),
    )


def _kinds(dataset: Dataset, records: Records) -> tuple[Dataset, ...]:
    """Return a file's kinds of record: of those that events name, and of those that a consumer declares to read."""
    declared = (table for consumer in records.declarations.consumers for table in consumer.tables)
    return kinds_of(dataset, {*records.graph.fields, *map(records.dataset, declared)})


@dataclass(frozen=True, slots=True)
class _Named:
    """Who a piece of evidence is about."""

    name: str
    kind: str
    declared: Declared | None = None
    shared: bool = False


class _Found:
    """Evidence gathered by consumer."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.owners = records.owners()
        self.who: dict[str, list[_Named]] = defaultdict(list)
        self.said: dict[str, list[Evidence]] = defaultdict(list)

    def add(self, found: Iterable[tuple[_Named, Evidence]]) -> None:
        for who, said in found:
            self.who[who.name].append(who)
            self.said[who.name].append(said)

    def consumers(self) -> list[Consumer]:
        return [self._consumer(name) for name in self.who]

    def _consumer(self, name: str) -> Consumer:
        who, evidence = self.who[name], tuple(self.said[name])
        declared = next((it.declared for it in who if it.declared), None)
        kinds = [it.kind for it in who]
        return Consumer(
            name=name,
            kind=declared.kind if declared else "job" if "job" in kinds else kinds[0],
            evidence=evidence,
            owner=declared.owner if declared else self.owners.get(name),
            contact=declared.contact if declared else None,
            criticality=declared.criticality if declared else None,
            registered=any(it.source != LOG for it in evidence),
            shared=any(it.shared for it in who),
            notes=tuple(_notes(declared, evidence, self.records.log.window)),
        )


def _of_graph(graph: Graph, datasets: frozenset[Dataset]) -> Iterator[tuple[_Named, Evidence]]:
    columns: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edge in graph.edges:
        if edge.source.dataset in datasets:
            columns[edge.job, edge.run_id].add(str(edge.source))
    told: dict[tuple[str, str, Dataset], Flow] = {}
    for flow in graph.flows:
        if flow.source in datasets:
            # a run that reads several kinds of record of a file is one reader
            told.setdefault((flow.job, flow.run_id, flow.target), flow)
    for flow in told.values():
        read = tuple(sorted(columns[flow.job, flow.run_id])) if flow.traced and not flow.gaps else None
        how = f"writes {flow.target}, run {flow.run_id}"
        yield _Named(flow.job, "job"), Evidence(GRAPH, how, last_read=flow.at, columns=read)


def _of_log(pairs: Iterable[Observed], window: Window | None) -> Iterator[tuple[_Named, Evidence]]:
    for pair in pairs:
        accounts = ", ".join(pair.accounts) or "no account"
        said = Evidence(LOG, f"by {accounts}", window, pair.last, pair.reads, pair.columns if pair.whole else None)
        yield _Named(pair.who.name, "job" if pair.who.job else "account", pair.who.declared, pair.who.shared), said


def _of_declarations(declarations: Declarations, datasets: Iterable[Dataset]) -> Iterator[tuple[_Named, Evidence]]:
    names = [it.name for it in datasets]
    for consumer in declarations.consumers:
        for table in (name for name in names if name in consumer.tables):
            said = Evidence(consumer.source, consumer.file, columns=consumer.columns(table))
            yield _Named(consumer.name, consumer.kind, consumer), said


def _notes(declared: Declared | None, evidence: tuple[Evidence, ...], window: Window | None) -> Iterator[str]:
    last = max((it.last_read for it in evidence if it.source == LOG and it.last_read), default=None)
    if declared and last is None:
        yield silence(declared.period, window)
    elif declared and declared.period and last and window and window.end - last > declared.period:
        quiet = days(window.end - last)
        yield f"no read in the last {quiet} of the log, though it runs every {days(declared.period)}"
    elif not declared and any(it.reads and it.reads < FEW for it in evidence):
        yield "few reads: it may run rarely"


FEW = 4
"""Reads in a window below which a consumer may well be a monthly or quarterly job."""


def _reads(consumer: Consumer, column: str | None) -> bool:
    return column is None or any(it.columns is None or column in it.columns for it in consumer.evidence)


def _certain(consumer: Consumer, column: str) -> bool:
    return any(it.columns is not None and column in it.columns for it in consumer.evidence)


def _rank(consumer: Consumer) -> tuple[int, int, str]:
    order = {"critical": 0, "high": 1, "medium": 2, None: 2, "low": 3}
    return order[consumer.criticality], -consumer.reads, consumer.name


def _derived(graph: Graph, asked: Dataset | Field) -> tuple[str, ...]:
    """Return the tables that jobs derive from a table, whichever columns they read, or that a column can reach."""
    found = impact(graph, asked)
    reached = (*found.values, *found.population, *found.tables, *found.unknown)
    tables = {it.dataset for it in reached} if isinstance(asked, Field) else set(found.downstream)
    own = asked.dataset if isinstance(asked, Field) else asked
    return tuple(sorted(str(it) for it in tables - {own}))


def _no_log(ended: datetime | None) -> str:
    return f"{LOG} that ends {ended:%Y-%m-%d}, before the window" if ended else LOG


def _sources(records: Records) -> tuple[tuple[str, Window | None], ...]:
    ends = [write.at for write in records.graph.writes]
    kinds = sorted({it.source for it in records.declarations.consumers} | {"declared"}, reverse=True)
    return (
        (GRAPH, Window(min(ends), max(ends)) if ends else None),
        *((f"{LOG} {window.log}".strip(), window) for window in records.log.windows),
        *(() if records.log.windows else ((_no_log(records.log.ended), None),)),
        *((kind, None) for kind in kinds),
    )
