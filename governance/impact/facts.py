"""What is known of tables beside their lineage, from policy, declarations and query logs."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from types import MappingProxyType

from governance.consumers.declared import Declarations
from governance.consumers.observed import Lineage
from governance.dataset import Dataset
from governance.graph import Graph
from governance.impact.rank import CRITICALITY, UNSTATED, Facts
from governance.policy import Policy
from governance.queries.model import QueryLog


def facts_of(graph: Graph, policy: Policy, declarations: Declarations, log: QueryLog) -> Facts:
    """Return owners, the criticality of whoever depends on a table however far, reads in the log, and consumers.

    Without any log the reads are not known, which is not the same as none.
    """
    lineage = Lineage.of(graph, policy.lineage)
    return Facts(
        owners=_owners(graph, policy),
        criticality=_criticality(lineage, declarations),
        reads=_reads(graph, lineage, log) if log.windows else MappingProxyType({}),
        consumers=_consumers(lineage, declarations),
    )


def _owners(graph: Graph, policy: Policy) -> Mapping[Dataset, str]:
    sent = {write.dataset: ", ".join(write.owners) for write in graph.writes if write.owners}
    return sent | {policy.lineage.dataset(name): table.owner for name, table in policy.tables.items() if table.owner}


def _criticality(lineage: Lineage, declarations: Declarations) -> Mapping[Dataset, str]:
    found: dict[Dataset, str] = {}
    for consumer in declarations.consumers:
        said = consumer.criticality or UNSTATED
        for dataset in (lineage.dataset(table) for table in consumer.tables):
            for above in (dataset, *lineage.upstream(dataset)):
                found[above] = min(found.get(above, said), said, key=CRITICALITY.index)
    return found


def _reads(graph: Graph, lineage: Lineage, log: QueryLog) -> Mapping[Dataset, int]:
    counted = Counter(lineage.dataset(table) for read in log.reads for table in read.tables)
    return {dataset: counted[dataset] for dataset in (*graph.fields, *counted) if lineage.naming.owns(dataset)}


def _consumers(lineage: Lineage, declarations: Declarations) -> Mapping[Dataset, tuple[str, ...]]:
    found: dict[Dataset, list[str]] = defaultdict(list)
    for consumer in declarations.consumers:
        for table in sorted(consumer.tables):
            found[lineage.dataset(table)].append(consumer.name)
    return {dataset: tuple(sorted(names)) for dataset, names in found.items()}
