"""What a compacted store keeps of columns, as arrays; that questions are answered from it rightly is another test."""

import json
from pathlib import Path
from typing import Any

import pytest

from governance.dataset import Dataset, Field
from governance.events.compact import RETENTION, compact
from governance.events.light_store import read_light_store
from governance.events.store import EventStore
from tests.events.night import NIGHT

READ = [{"namespace": "n", "name": "s.t", "field": "x"}]


def complete(run: str, *outputs: dict[str, Any]) -> str:
    job = {"namespace": "j", "name": "job"}
    event = {"eventTime": NIGHT.isoformat(), "eventType": "COMPLETE", "run": {"runId": run}, "job": job}
    return json.dumps(event | {"outputs": outputs}) + "\n"


def output(name: str, **fields: Any) -> dict[str, Any]:
    told = {name: {"inputFields": inputs} for name, inputs in fields.items()}
    return {"namespace": "n", "name": name, "facets": {"columnLineage": {"fields": told}}}


def compacted(store: EventStore, text: str) -> Path:
    store.folder.mkdir()
    (store.folder / f"events-{NIGHT.date()}.ndjson").write_text(text)
    compact(EventStore(store.folder, clock=lambda: NIGHT + 2 * RETENTION))
    return store.folder


def targets(folder: Path) -> list[str]:
    light = read_light_store(folder, lambda _: frozenset())
    edges = light.edges(tuple(dict.fromkeys(light.said.values())))
    names = edges.names.to_pylist()
    return sorted(names[place] for place in edges.target)


def test_the_same_bytes_about_two_outputs_are_edges_of_both(store: EventStore) -> None:
    folder = compacted(store, complete("r", output("out.a", f=READ), output("out.b", f=READ)))

    assert targets(folder) == ["n\x1fout.a\x1ff", "n\x1fout.b\x1ff"]


def test_columns_from_no_column_have_no_edges(store: EventStore) -> None:
    assert targets(compacted(store, complete("r", output("out.a", f=[])))) == []


def test_a_light_event_has_tables_and_columns_and_no_edges(store: EventStore) -> None:
    folder = compacted(store, complete("r", output("out.a", f=READ)))

    light = read_light_store(folder, lambda _: frozenset())

    (event,) = light.events
    lineage = event.outputs[0].facets.column_lineage
    assert lineage
    assert {name: said.input_fields for name, said in lineage.fields.items()} == {"f": ()}
    assert [(it.name, it.field) for it in lineage.dataset] == [("s.t", "")]
    assert light.sources(light.said.values(), [Dataset("n", "s.t")]) == {Field(Dataset("n", "s.t"), "x")}
    assert light.sources(light.said.values(), [Dataset("n", "s.other")]) == frozenset()


def test_an_event_that_names_what_is_odd_is_read_whole(store: EventStore) -> None:
    folder = compacted(store, complete("r", output("out.a", f=READ)) + complete("q", output("out.b", f=[])))

    light = read_light_store(folder, lambda _: frozenset({Dataset("n", "s.t")}))

    assert not light.steady
    assert [output.name for _, _, output in light.said] == ["out.b"]
    (whole,) = [it for it in light.events if it.run.run_id == "r"]
    lineage = whole.outputs[0].facets.column_lineage
    assert lineage
    assert lineage.fields["f"].input_fields


@pytest.mark.parametrize("other", ["X", '"x"', "ß"])
def test_names_that_a_rule_might_change_are_odd(store: EventStore, other: str) -> None:
    odd = [{"namespace": "n", "name": "s.t", "field": other}]
    text = complete("r", output("out.a", f=READ)) + complete("q", output("out.b", f=odd))

    light = read_light_store(compacted(store, text), lambda _: frozenset())

    assert not light.steady
    assert [output.name for _, _, output in light.said] == [] if other == "X" else ["out.a"]


def test_an_empty_store_has_no_events(store: EventStore) -> None:
    store.folder.mkdir()

    assert read_light_store(store.folder, lambda _: frozenset()).events == ()


def test_a_facet_that_repeats_is_stored_once(store: EventStore) -> None:
    inputs = [{"namespace": "n", "name": f"s.t{place}", "field": "x"} for place in range(50)]
    folder = compacted(store, "".join(complete(f"r{place}", output("out.a", f=inputs)) for place in range(100)))

    assert len(targets(folder)) == 50
    assert max(file.stat().st_size for file in folder.glob("compacted/*.edges.parquet")) < 6000
