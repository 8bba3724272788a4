"""Pipelines over files in Dagster: what the rules say of a lost end, and of rejected rows that are personal."""

import pytest
from dagster import DagsterInstance
from openlineage.client.event_v2 import RunEvent, RunState

from governance.errors import EventStoreError
from governance.events.store import EventStore
from platform_assets.loaded import load
from platform_assets.runs.repair import repair_events
from tests.dagster.shop import Shop, built, red

SOURCES = """
[locations.landing]
at = "landing"

["landing/people.csv"]
columns.id = "bigint"
columns.mail = "varchar"
"""
METADATA = """
["landing/people.csv"]
columns.id = { classification = "internal" }
columns.mail = { classification = "personal" }

["bronze.people"]
owner = "team:crm"
columns.id = { classification = "internal" }
"""


@pytest.fixture
def people(shop: Shop) -> Shop:
    """A shop with one pipeline, which leaves out what is personal in its file; a row of that does not fit."""
    for name in ("paid_orders", "mailing"):
        (shop.project.root / f"platform_assets/pipelines/mart/{name}.sql").unlink()
    shop.write("platform_assets/sources.toml", SOURCES)
    shop.write("governance/metadata.toml", METADATA)
    shop.pipeline("bronze.people", "create table bronze.people as select id from 'landing/people.csv'")
    shop.write("landing/people.csv", "id,mail\n1,ada@example.com\nx,bo@example.com\n")
    return shop


def test_an_end_that_cannot_be_written_is_a_warning_that_missing_run_tells_and_repair_mends(
    people: Shop, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = EventStore.end

    def full(store: EventStore, event: RunEvent) -> bool:
        if event.eventType is RunState.COMPLETE:
            raise EventStoreError("the disk is full", fix="make room")
        return real(store, event)

    with monkeypatch.context() as patched:
        patched.setattr(EventStore, "end", full)
        result = people.run("nightly", instance)
    assert built(result) == {"bronze.people"}
    assert ("bronze.people", "missing_run") in red(result)
    assert people.told("bronze.people") == ["START"]
    (repaired,) = repair_events(load(people.project))
    assert repaired.problem == ""
    assert people.told("bronze.people") == ["START", "COMPLETE"]
    assert ("bronze.people", "missing_run") not in red(people.run("governance", instance))


def test_rejected_rows_that_are_personal_are_visible_to_the_rules(people: Shop, instance: DagsterInstance) -> None:
    assert red(people.run("nightly", instance)) == set()
    said = 'columns.row = { classification = "internal" }\n'
    people.write("governance/metadata.toml", f'{METADATA}\n["quarantine.bronze_people"]\n{said}')
    assert ("governance.platform", "understated_classification") in red(people.run("governance", instance))
