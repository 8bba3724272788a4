"""Coverage: how much of what there is the lineage knows, counted against lists from outside the lineage.

A missing edge reads as no dependency, so the share that is known says how far to trust "no consumers found". Which
tables there are is told by the catalog, which reads there are by query logs; each measure is a share of those, never
of what the lineage itself has heard of. Where nothing outside says what there is, a share is not measured, which is
not 0 %.

==================  =====================================================================================
nodes               tables of the inventory that the graph has at all
columns             tables of the inventory with column lineage, of all in the inventory
edges               pairs (consumer, table) of the query log that an edge, a path or a declaration explains
column-level edges  of the graph's edges between tables, those with column lineage
typed               of its column-level inputs, those that came with type and subtype
==================  =====================================================================================
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from governance.consumers.declared import UNSTATED, WEIGHTS, Declarations
from governance.consumers.observed import Lineage, Observed, observe
from governance.consumers.reconcile import edges_without_reads
from governance.consumers.records import Records
from governance.coverage.model import Coverage, Share, Table, Told, Weighted
from governance.dataset import Dataset
from governance.events.model import InputFieldPart
from governance.graph import Graph, Write
from governance.runs import Run


def measure(records: Records, inventory: Iterable[str], at: datetime, typed: Share | None = None) -> Coverage:
    """Return the coverage of ``inventory``, tables of the policy's namespace, with the query log as reference.

    ``typed`` is ``typed_inputs`` of the events that the graph was built from.
    """
    lineage = Lineage.of(records.graph, records.policy.lineage)
    names = frozenset(inventory)
    pairs = observe(records)
    inside = tuple(pair for pair in pairs if pair.table in names)
    tables = _tables(names, inside, records, lineage)
    return Coverage(
        at=at,
        window=records.log.window,
        windows=records.log.windows,
        nodes=_of_tables(tables, lambda table: table.told is not Told.ABSENT),
        columns=_of_tables(tables, lambda table: table.told in (Told.COLUMNS, Told.SOME)),
        edges=_of_pairs(inside),
        flows=Share(sum(flow.traced and not flow.gaps for flow in records.graph.flows), len(records.graph.flows)),
        typed=typed,
        columns_of=_columns(records.graph, {lineage.dataset(name) for name in names}),
        tables=tables,
        observed=inside,
        unread=edges_without_reads(records, inside, names),
        outside=len(pairs) - len(inside),
        unreadable=records.log.unreadable,
        log_ended=records.log.ended,
    )


def _tables(names: frozenset[str], pairs: Iterable[Observed], records: Records, lineage: Lineage) -> tuple[Table, ...]:
    reads: Counter[str] = Counter()
    for pair in pairs:
        reads[pair.table] += pair.reads
    weights = table_weights(names, records.declarations, lineage)
    told, owners = _told(records.graph), records.owners()
    tables = (
        Table(name, told.get(lineage.dataset(name), Told.ABSENT), owners.get(name), reads[name], weights[name])
        for name in names
    )
    return tuple(sorted(tables, key=lambda table: (-table.reads, -table.weight, table.name)))


def table_weights(names: Iterable[str], declarations: Declarations, lineage: Lineage) -> Mapping[str, int]:
    """Return for each table the weight of the most critical consumer that is declared to depend on it, however far."""
    heaviest: dict[Dataset, int] = {}
    for consumer in declarations.consumers:
        for table in consumer.tables:
            for dataset in {lineage.dataset(table), *lineage.upstream(lineage.dataset(table))}:
                heaviest[dataset] = max(consumer.weight, heaviest.get(dataset, 0))
    return {name: heaviest.get(lineage.dataset(name), WEIGHTS[UNSTATED]) for name in names}


def typed_inputs(runs: Iterable[Run], graph: Graph) -> Share:
    """Return how many inputs of the standing writes' column lineage came with type and subtype."""
    # jobs may share a run id
    standing = {(write.run_id, write.job, write.dataset) for write in graph.writes}
    parts = [
        part
        for run in runs
        for output in run.outputs
        if output.lineage and (run.run_id, run.job, output.dataset) in standing
        for inputs in (output.lineage.dataset, *(said.input_fields for said in output.lineage.fields.values()))
        for part in inputs
    ]
    return Share(sum(map(_is_typed, parts)), len(parts))


def _is_typed(part: InputFieldPart) -> bool:
    return bool(part.transformations) and all(said.type and said.subtype for said in part.transformations)


def _told(graph: Graph) -> Mapping[Dataset, Told]:
    """Return what is known of each dataset: of one that a job writes, by its writes; of a source, by its readers."""
    evidence: dict[Dataset, list[Told]] = {dataset: [] for dataset in graph.fields}
    for write in graph.writes:
        evidence[write.dataset].append(_of_write(write))
    written = graph.written
    for flow in graph.flows:
        if flow.source not in written:
            evidence[flow.source].append(Told.COLUMNS if flow.traced and not flow.gaps else Told.TABLES)
    return {dataset: _together(found) for dataset, found in evidence.items()}


def _of_write(write: Write) -> Told:
    if not write.traced:
        return Told.TABLES
    return Told.SOME if write.gaps else Told.COLUMNS


def _together(found: list[Told]) -> Told:
    said = set(found)
    return said.pop() if len(said) == 1 else Told.SOME if said else Told.TABLES


def _columns(graph: Graph, datasets: set[Dataset]) -> Mapping[str, int]:
    with_inputs = graph.targets
    counts = {"with inputs": 0, "from no column": 0, "unknown": 0}
    told = {(write.dataset, name) for write in graph.writes for name in write.told}
    for dataset in graph.written & datasets:
        for field in graph.fields[dataset]:
            if field in with_inputs:
                counts["with inputs"] += 1
            else:
                counts["from no column" if (dataset, field.name) in told else "unknown"] += 1
    return counts


def _of_tables(tables: tuple[Table, ...], known: Callable[[Table], bool]) -> Weighted:
    def share(weight: Callable[[Table], int]) -> Share:
        return Share(sum(weight(table) for table in tables if known(table)), sum(map(weight, tables)))

    return Weighted(share(lambda _: 1), share(lambda table: table.reads), share(lambda table: table.weight))


def _of_pairs(pairs: tuple[Observed, ...]) -> Weighted:
    def share(weight: Callable[[Observed], int]) -> Share:
        return Share(sum(weight(pair) for pair in pairs if pair.explained), sum(map(weight, pairs)))

    return Weighted(share(lambda _: 1), share(lambda pair: pair.reads), share(pair_weight))


def pair_weight(pair: Observed) -> int:
    """Return the weight of the consumer that reads."""
    return pair.who.declared.weight if pair.who.declared else WEIGHTS[UNSTATED]
