"""What START, COMPLETE, FAIL and ABORT say."""

import dataclasses
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from openlineage.client.event_v2 import RunEvent

from governance.errors import LimitExceeded, NoLineage
from governance.events.facets import PRODUCER
from governance.events.run import (
    Attempt,
    Naming,
    RunFacts,
    abort_event,
    complete_event,
    fail_event,
    require_size,
    start_event,
)
from governance.events.store import EventStore
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from tests.events.night import DAGSTER_RUN, LINEAGE, NIGHT, READ, WRITTEN, written

LATER = NIGHT + timedelta(minutes=1)


def all_kinds(facts: RunFacts) -> list[RunEvent]:
    bare = RunFacts(facts.attempt, facts.naming)
    return [
        start_event(facts, NIGHT, LINEAGE.inputs, ["marketing.audience"]),
        start_event(bare, NIGHT, [], []),
        complete_event(facts, LATER, [READ], [WRITTEN]),
        complete_event(bare, LATER, [], [dataclasses.replace(WRITTEN, lifecycle=None, catalog=None, symlinks=())]),
        fail_event(facts, LATER, "Binder Error: no column emial"),
        fail_event(bare, LATER, "the step died"),
        abort_event(facts, LATER, "terminated"),
        abort_event(bare, LATER, "terminated"),
    ]


def sent(store: EventStore, event: RunEvent) -> dict[str, Any]:
    store.append(event)
    return written(store)[-1]


def test_every_kind_of_event_meets_the_official_schemas(
    facts: RunFacts, store: EventStore, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    for event in all_kinds(facts):
        assert validate(sent(store, event)) == []


def test_a_fixed_clock_gives_the_same_bytes(facts: RunFacts, tmp_path: Path) -> None:
    stores = [EventStore(tmp_path / name, clock=lambda: NIGHT) for name in ("first", "second")]
    for store in stores:
        for event in all_kinds(facts):
            store.append(event)
    first, second = [[(file.name, file.read_bytes()) for file in store.files()] for store in stores]
    assert first == second


def test_start_names_what_is_going_to_be_read_and_written(facts: RunFacts, store: EventStore) -> None:
    event = sent(store, start_event(facts, NIGHT, ["learning.courses", "crm.learners"], ["marketing.audience"]))
    assert [(d["namespace"], d["name"]) for d in event["inputs"]] == [
        ("iceberg://platform", "crm.learners"),
        ("iceberg://platform", "learning.courses"),
    ]
    assert [d["name"] for d in event["outputs"]] == ["marketing.audience"]
    assert event["eventType"] == "START"
    assert event["eventTime"] == "2026-10-01T02:00:00+00:00"
    assert event["producer"] == PRODUCER
    assert event["job"]["namespace"] == "headwater"
    assert set(event["job"]["facets"]) == {"documentation", "jobType", "ownership", "sourceCodeLocation", "sql", "tags"}
    assert set(event["run"]["facets"]) == {"nominalTime", "parent", "processing_engine", "tags"}
    parent = event["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == parent["root"]["run"]["runId"]
    # a server that keeps runs by the time in their ids takes no other kind
    assert UUID(parent["run"]["runId"]).version == 7
    assert {"key": "dagster_run_id", "value": DAGSTER_RUN, "source": "HEADWATER"}.items() <= (
        event["run"]["facets"]["tags"]["tags"][0].items()
    )
    assert parent["job"]["name"] == "nightly"


def test_complete_says_everything_that_is_known_of_what_was_written(facts: RunFacts, store: EventStore) -> None:
    event = sent(store, complete_event(facts, LATER, [READ], [WRITTEN]))
    (output,) = event["outputs"]
    facets = output["facets"]
    assert set(facets) == {
        "catalog", "columnLineage", "datasetType", "documentation", "lifecycleStateChange", "ownership",
        "schema", "storage", "symlinks", "tags", "version",
    }  # fmt: skip
    assert facets["version"]["datasetVersion"] == "42"
    assert facets["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 3712
    assert facets["schema"]["fields"][1]["fields"][0]["name"] == "city"
    assert [(tag["key"], tag["value"], tag.get("field")) for tag in facets["tags"]["tags"]] == [
        ("domain", "marketing", None),
        ("classification", "personal", "email"),
        ("classification", "personal", "address.city"),
    ]


def test_complete_translates_lineage_and_leaves_nothing_out(facts: RunFacts, store: EventStore) -> None:
    lineage = sent(store, complete_event(facts, LATER, [READ], [WRITTEN]))["outputs"][0]["facets"]["columnLineage"]
    assert set(lineage["fields"]) == {"email", "address", "made_at"}
    assert lineage["fields"]["made_at"]["inputFields"] == []
    country = lineage["fields"]["address"]["inputFields"][1]
    assert [(t["type"], t["subtype"]) for t in country["transformations"]] == [
        ("DIRECT", "TRANSFORMATION"),
        ("INDIRECT", "CONDITIONAL"),
    ]
    assert lineage["fields"]["address"]["inputFields"][0]["transformations"][0]["masking"] is True
    (consent,) = lineage["dataset"]
    assert (consent["name"], consent["field"], consent["transformations"][0]["subtype"]) == (
        "crm.learners",
        "marketing_consent",
        "FILTER",
    )


def test_every_input_of_the_lineage_stands_in_inputs(facts: RunFacts, store: EventStore) -> None:
    inputs = sent(store, complete_event(facts, LATER, [READ], [WRITTEN]))["inputs"]
    assert [dataset["name"] for dataset in inputs] == ["crm.learners", "learning.courses"]
    assert inputs[0]["facets"]["version"]["datasetVersion"] == "11"
    assert inputs[0]["inputFacets"]["inputStatistics"]["rowCount"] == 5000


def test_an_append_has_no_lifecycle_word(facts: RunFacts, store: EventStore) -> None:
    appended = dataclasses.replace(WRITTEN, lifecycle=None)
    assert (
        "lifecycleStateChange" not in sent(store, complete_event(facts, LATER, [], [appended]))["outputs"][0]["facets"]
    )


def test_unknown_fields_are_never_sent_as_fields_from_no_column(facts: RunFacts) -> None:
    lineage = ColumnLineage("marketing.audience", (OutputField("odd", (), known=False),), (), ())
    with pytest.raises(NoLineage, match="odd"):
        complete_event(facts, LATER, [], [dataclasses.replace(WRITTEN, lineage=lineage)])


def test_run_ids_are_uuid7_of_the_instant_the_run_the_job_and_the_attempt() -> None:
    attempt = Attempt("marketing.audience", NIGHT, DAGSTER_RUN)
    here = NIGHT.astimezone(timezone(timedelta(hours=5)))
    assert UUID(attempt.run_id).version == 7
    assert UUID(attempt.run_id).int >> 80 == NIGHT.timestamp() * 1000
    assert Attempt("marketing.audience", here, DAGSTER_RUN).run_id == attempt.run_id
    others = {
        Attempt("marketing.audience", NIGHT, DAGSTER_RUN, number=1),
        Attempt("ai.review_corpus", NIGHT, DAGSTER_RUN),
        Attempt("marketing.audience", NIGHT, "another"),
        Attempt("marketing.audience", LATER, DAGSTER_RUN),
    }
    assert len({other.run_id for other in others} | {attempt.run_id}) == 5


def test_a_time_without_zone_is_refused(facts: RunFacts) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        start_event(facts, datetime(2026, 10, 1, 2), [], [])  # noqa: DTZ001  the point


def test_lineage_too_large_for_one_event_is_refused_by_name_before_anything_runs() -> None:
    inputs = tuple(InputField("crm.learners", f"column_{n}", Transformation.TRANSFORMATION) for n in range(150))
    wide = ColumnLineage("a.wide", tuple(OutputField(f"out_{n}", inputs) for n in range(150)), (), ("crm.learners",))
    with pytest.raises(LimitExceeded, match=r"a\.wide: its lineage makes an event of"):
        require_size(wide, Naming("iceberg://platform", "headwater"))


def test_a_large_but_ordinary_lineage_fits(facts: RunFacts) -> None:
    inputs = tuple(InputField("crm.learners", f"column_{n}", Transformation.TRANSFORMATION) for n in range(20))
    wide = ColumnLineage("a.wide", tuple(OutputField(f"out_{n}", inputs) for n in range(400)), (), ("crm.learners",))
    require_size(wide, facts.naming)
    complete_event(facts, LATER, [], [dataclasses.replace(WRITTEN, lineage=wide)])
