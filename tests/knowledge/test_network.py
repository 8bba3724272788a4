"""The walk in bulk over arrays reaches what the walk over values reaches."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.dataset import Dataset, Field
from governance.events.arrays import standing_edges
from governance.events.model import Event
from governance.graph import Edge, Flow, Graph, build_graph, resolve
from governance.impact import Reached, impact
from governance.lineage.model import Transformation
from governance.network import NO_PAIRS, network, reach
from governance.numbering import numbered
from governance.stored_network import stored_network

Told = Callable[..., tuple[Event, ...]]

AT = datetime(2026, 10, 1, tzinfo=UTC)
TABLES = [Dataset("n", f"t{number}") for number in range(5)]
NAMES = ["a", "b", "b.c"]
FIELDS = [Field(table, name) for table in TABLES for name in NAMES]

things = st.sampled_from([*TABLES, *FIELDS])
edges = st.builds(
    Edge,
    st.sampled_from(FIELDS),
    things,
    st.sampled_from(list(Transformation)),
    st.just(value=False),
    st.just("j"),
    st.just("r"),
    st.just(AT),
)
flows = st.builds(
    Flow,
    st.sampled_from(TABLES),
    st.sampled_from(TABLES),
    st.just("j"),
    st.just("r"),
    st.just(AT),
    st.booleans(),
    st.sampled_from([(), ("a",)]),
)
graphs = st.builds(
    lambda edges, flows: Graph(
        tuple(edges), tuple(flows), (), {table: tuple(Field(table, name) for name in NAMES) for table in TABLES}
    ),
    st.lists(edges, max_size=12),
    st.lists(flows, max_size=4),
)


@given(graphs, things)
def test_both_walks_reach_the_same(graph: Graph, start: Field | Dataset) -> None:
    found = impact(graph, start)
    bulk = numbered(graph)

    reached = reach(bulk.net, bulk.numbers[start])

    for ids, listed in (
        (reached.values, found.values),
        (reached.population, found.population),
        (reached.tables, found.tables),
        (reached.unknown, found.unknown),
    ):
        assert set(bulk.things_of(ids)) == {it.what for it in listed}
        assert sorted(ids.tolist()) == ids.tolist()


@pytest.mark.parametrize("name", ["crm.learners.email", "learning.courses.category", "crm.learners"])
def test_the_platforms_examples(platform: Graph, name: str) -> None:
    start = resolve(platform, name)
    bulk = numbered(platform)

    reached = reach(bulk.net, bulk.numbers[start])

    assert set(bulk.things_of(reached.values)) == {it.what for it in impact(platform, start).values}


def test_a_network_of_nothing(told: Told) -> None:
    graph = build_graph(told("job b.b: a.a\nn:\n"))
    bulk = numbered(graph)

    assert [str(it) for it in bulk.things_of(reach(bulk.net, bulk.numbers[resolve(graph, "a.a")]).tables)] == ["b.b"]
    alone = network(NO_PAIRS, np.empty(0, np.bool_), np.zeros(1, np.int32))
    assert reach(alone, 0).values.tolist() == []


@pytest.mark.parametrize("name", ["crm.learners.email", "learning.courses.category", "crm.learners.marketing_consent"])
def test_the_arrays_of_a_store_reach_what_its_events_reach(
    tmp_path: Path, file_events: Callable[..., tuple[Event, ...]], name: str
) -> None:
    events = file_events("platform", "extra")
    file = tmp_path / "events-2026-10-01.ndjson"
    file.write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in events))
    graph = build_graph(events)
    start = resolve(graph, name)
    found = impact(graph, start)

    stored = stored_network(standing_edges(tmp_path), ((flow.source, flow.target) for flow in graph.flows))
    reached = reach(stored.net, stored.number(start))

    def told(listed: Iterable[Reached]) -> set[Field | Dataset]:
        # a column that no edge reads or writes has no place among edges
        return {it.what for it in listed if it.what in edged or isinstance(it.what, Dataset)}

    edged = {thing for edge in graph.edges for thing in (edge.source, edge.target)}
    assert set(stored.things_of(reached.values)) == told(found.values)
    assert set(stored.things_of(reached.population)) == told(found.population)
    assert set(stored.things_of(reached.tables)) == told(found.tables)
