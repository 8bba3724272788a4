"""Lineage collected all the way: SQL → engine → OpenLineage events → graph, and the graph's edges back as lineage."""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from governance.block import Block
from governance.dataset import Dataset, Field
from governance.events.facets import Naming
from governance.events.model import Event
from governance.events.static import ndjson, of_text, static_events
from governance.graph import Graph, build_graph
from governance.lineage import column_lineage
from governance.lineage.model import ColumnLineage, InputField, OutputField
from governance.policy import LineagePolicy

TABLE = "headwater.selftest"
"""What the collected query writes; no such table is ever made."""

AT = datetime(2026, 1, 1, tzinfo=UTC)


def collect(
    policy: LineagePolicy, sql: str, schemas: Mapping[str, Mapping[str, str]], blocks: tuple[Block, ...] = ()
) -> ColumnLineage:
    """Return what the graph knows of the query ``sql``, after ``blocks``, once its events went the whole way.

    Raises:
        LineageError: the engine refuses the query.
    """
    text = f"create table {TABLE} as\n{sql}"
    lineages = column_lineage(text, schemas, masking_functions=policy.masking_functions, prelude=blocks)
    naming = Naming(policy.namespace, policy.job_namespace, policy.files)
    events = static_events(of_text(TABLE, text, lineages), naming, AT)
    read = [msgspec.json.decode(line, type=Event) for line in ndjson(events)]
    return _told(build_graph(read), Dataset(policy.namespace, TABLE))


def _told(graph: Graph, dataset: Dataset) -> ColumnLineage:
    inputs: dict[Field | Dataset, list[InputField]] = {}
    for edge in graph.edges:
        used = InputField(edge.source.dataset.name, edge.source.name, edge.transformation, edge.masking)
        inputs.setdefault(edge.target, []).append(used)
    fields = (OutputField(it.name, tuple(inputs.get(it, ()))) for it in graph.fields.get(dataset, ()))
    read = tuple(sorted(flow.source.name for flow in graph.flows if flow.target == dataset))
    return ColumnLineage(dataset.name, tuple(fields), tuple(inputs.get(dataset, ())), read)
