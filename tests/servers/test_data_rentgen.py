"""A lineage server of somebody else's takes our events and gives the typed edges back; what it merges or drops is told.

Data.Rentgen 0.3.1: its own models, extractors and tables, read back by its own REST API.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from governance.events.run import Attempt, Naming, RunFacts, abort_event, fail_event, start_event, started_by
from governance.events.run_facets import Engine
from governance.events.store import EventStore
from governance.events.transport import ship
from tests.postgres import Postgres
from tests.servers.platforms import DAGSTER_RUN, demo, orders
from tests.servers.rentgen import KEY, Rentgen, rentgen_server

pytestmark = pytest.mark.timeout(600)  # where the packages have to be installed first

Table = tuple[str, str]
"""Namespace and name."""
Lineage = dict[tuple[str, ...], set[str]]
"""The words said of (source, its field, target, its field); without a target's field, of every row of it."""

MASKED = {"TRANSFORMATION": "TRANSFORMATION_MASKING", "AGGREGATION": "AGGREGATION_MASKING"}


class Shipped(NamedTuple):
    """A server, and all that it was sent."""

    rentgen: Rentgen
    events: list[dict[str, Any]]


@pytest.fixture(scope="module")
def rentgen(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rentgen]:
    with rentgen_server(postgres, tmp_path_factory.mktemp("rentgen") / "log") as running:
        yield running


@pytest.fixture(scope="module")
def shipped(rentgen: Rentgen, tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    """The events of both platforms and of three more runs, sent as a user's settings say."""
    folder = tmp_path_factory.mktemp("platforms")
    stores = (demo(folder / "demo"), orders(folder / "orders"), ended_badly(folder / "bad"))
    settings = {
        "type": "http",
        "url": rentgen.url,
        "auth": {"type": "api_key", "apiKey": KEY},
        "compression": "gzip",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(settings))
        for store in stores:
            (said,) = ship(store)
            assert (said.error, said.refused, said.left) == ("", 0, 0)
    rentgen.save()
    lines = [line for store in stores for file in store.files() for line in file.read_text().splitlines()]
    return Shipped(rentgen, [json.loads(line) for line in lines])


@pytest.fixture(scope="module")
def back(shipped: Shipped) -> Lineage:
    return given_back(shipped.rentgen)


def ended_badly(folder: Path) -> EventStore:
    """Runs that failed, that were terminated, and one whose Spark server did not answer."""
    store, now = EventStore(folder), datetime.now(UTC)

    def begun(job: str, engine: Engine) -> RunFacts:
        facts = RunFacts(
            Attempt(job, now, DAGSTER_RUN),
            Naming("iceberg://bad", "bad"),
            parent=started_by(now, DAGSTER_RUN, "nightly"),
            engine=engine,
        )
        store.append(start_event(facts, now, ["crm.people"], [job]))
        return facts

    duckdb, later = Engine("duckdb", "2.0.1"), now + timedelta(seconds=1)
    store.end(fail_event(begun("a.failed", duckdb), later, "no column emial"))
    store.end(abort_event(begun("a.ended", duckdb), later, "terminated"))
    store.end(fail_event(begun("a.unreached", Engine("spark", "0+unreached")), later, "the server does not answer"))
    return store


def kept(events: list[dict[str, Any]]) -> Lineage:
    """What the server keeps of our edges.

    DIRECT ones by field; INDIRECT ones by table, as it takes it that they decide which rows there are; masking only of
    DIRECT ones.
    """
    found: Lineage = defaultdict(set)
    for target, field, source, how in uses(events):
        if how["type"] == "DIRECT":
            word = MASKED[how["subtype"]] if how["masking"] else how["subtype"]
            found[*source, *target, field].add(word)
        else:
            found[*source, *target].add("UNKNOWN" if how["masking"] else how["subtype"])
    return dict(found)


def uses(events: list[dict[str, Any]]) -> Iterator[tuple[Table, str, tuple[str, str, str], Mapping[str, Any]]]:
    """Each transformation of each edge: the table, its field (empty for all rows), the source, and how."""
    for event in events:
        for output in event["outputs"]:
            lineage = output["facets"].get("columnLineage", {"fields": {}, "dataset": []})
            told = {name: entry["inputFields"] for name, entry in lineage["fields"].items()} | {"": lineage["dataset"]}
            for field, inputs in told.items():
                for it in inputs:
                    for how in it["transformations"]:
                        source = (*table(it), it["field"])
                        yield table(output), field, source, how


def table(dataset: Mapping[str, Any]) -> Table:
    """As the server names it: files have no host in OpenLineage's names, and it gives them one."""
    return {"file": "file://unknown"}.get(dataset["namespace"], dataset["namespace"]), dataset["name"]


def given_back(rentgen: Rentgen) -> Lineage:
    """All that the server knows of columns, as its API tells it of each job."""
    names = {it["id"]: table_of(it) for it in rentgen.every("datasets")}
    found: Lineage = defaultdict(set)
    for job in rentgen.every("jobs"):
        told = lineage_of(rentgen, job)
        for relation in told["direct_column_lineage"]:
            source, target = names[relation["from"]["id"]], names[relation["to"]["id"]]
            for field, sources in relation["fields"].items():
                for it in sources:
                    found[*source, it["field"], *target, field] |= set(it["types"])
        for relation in told["indirect_column_lineage"]:
            source, target = names[relation["from"]["id"]], names[relation["to"]["id"]]
            for it in relation["fields"]:
                found[*source, it["field"], *target] |= set(it["types"])
    return dict(found)


def lineage_of(rentgen: Rentgen, job: dict[str, Any]) -> dict[str, Any]:
    return dict(_around(rentgen, job)["relations"])


def _around(rentgen: Rentgen, job: dict[str, Any]) -> dict[str, Any]:
    since = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    query = {"start_node_id": job["id"], "since": since, "direction": "BOTH", "include_column_lineage": "true"}
    return dict(rentgen.get("jobs/lineage", **query))


def table_of(dataset: Mapping[str, Any]) -> Table:
    return f"{dataset['location']['type']}://{dataset['location']['name']}", dataset["name"]


def test_every_edge_comes_back_with_its_type(shipped: Shipped, back: Lineage) -> None:
    expected = kept(shipped.events)
    assert {word for words in expected.values() for word in words} == {
        "IDENTITY", "TRANSFORMATION", "TRANSFORMATION_MASKING", "AGGREGATION", "AGGREGATION_MASKING",
        "FILTER", "JOIN", "GROUP_BY", "SORT", "WINDOW", "CONDITIONAL", "UNKNOWN",
    }  # fmt: skip
    assert back == expected


def test_an_indirect_edge_of_one_field_becomes_one_of_every_row(shipped: Shipped, back: Lineage) -> None:
    events = [it for it in shipped.events if it["job"]["name"] == "analytics.every_value"]
    of_one_field = {(field, how["subtype"]) for _, field, _, how in uses(events) if field and how["type"] == "INDIRECT"}
    assert of_one_field == {("arm", "CONDITIONAL"), ("place", "WINDOW"), ("shown", "CONDITIONAL")}

    source, target = ("iceberg://platform", "crm.learners"), ("iceberg://platform", "analytics.every_value")
    back = {key: words for key, words in back.items() if key[3:5] == target}
    assert back[*source, "date_of_birth", *target] == {"WINDOW"}
    assert back[*source, "status", *target] == {"CONDITIONAL"}
    assert {key[5] for key in back if len(key) == 6} == {"land", "learner_id", "mail_hash", "shown"}


def test_a_masked_condition_is_known_without_its_word(back: Lineage) -> None:
    source, target = ("iceberg://platform", "crm.learners"), ("iceberg://platform", "analytics.every_value")
    assert back[*source, "email", *target] == {"UNKNOWN"}


def test_every_job_has_its_inputs_and_outputs_those_without_a_column_too(shipped: Shipped) -> None:
    names = {it["id"]: table_of(it) for it in shipped.rentgen.every("datasets")}
    jobs = {it["name"]: it for it in shipped.rentgen.every("jobs")}
    expected: dict[str, tuple[set[Table], set[Table]]] = defaultdict(lambda: (set(), set()))
    for event in shipped.events:
        read, written = expected[event["job"]["name"]]
        read |= {table(it) for it in event["inputs"]}
        written |= {table(it) for it in event["outputs"]}
    assert jobs.keys() == expected.keys() | {"nightly"}
    for name, (read, written) in expected.items():
        told = lineage_of(shipped.rentgen, jobs[name])
        ours = [it for it in told["inputs"] if (it["to"]["kind"], it["to"]["id"]) == ("JOB", jobs[name]["id"])]
        assert {names[it["from"]["id"]] for it in ours} >= read
        ours = [it for it in told["outputs"] if (it["from"]["kind"], it["from"]["id"]) == ("JOB", jobs[name]["id"])]
        assert {names[it["to"]["id"]] for it in ours} == written
    (counted,) = [
        it for it in shipped.events if it["job"]["name"] == "gold.order_count" and it["eventType"] == "COMPLETE"
    ]
    assert not any(source[:2] == ("iceberg://shop", "silver.orders") for _, _, source, _ in uses([counted]))


def test_runs_have_their_ends_their_parent_and_their_sql(shipped: Shipped) -> None:
    jobs = {it["name"]: it for it in shipped.rentgen.every("jobs")}
    runs = {it["run"]["runId"]: it for it in shipped.events if it["eventType"] != "START"}
    words = {"COMPLETE": "SUCCEEDED", "FAIL": "FAILED", "ABORT": "KILLED"}
    for run_id, event in runs.items():
        (told,) = [it["data"] for it in shipped.rentgen.get("runs", run_id=run_id)["items"]]
        assert told["status"] == words[event["eventType"]]
        assert told["job_id"] == jobs[event["job"]["name"]]["id"]
        assert told["parent_run_id"] == event["run"]["facets"]["parent"]["run"]["runId"]
        assert datetime.fromisoformat(told["ended_at"]) == datetime.fromisoformat(event["eventTime"])


def test_a_table_has_its_columns_and_nothing_else_that_we_say_of_it(shipped: Shipped) -> None:
    (job,) = [it for it in shipped.rentgen.every("jobs") if it["name"] == "marketing.audience"]
    complete = next(it for it in shipped.events if (it["job"]["name"], it["eventType"]) == (job["name"], "COMPLETE"))
    said = complete["outputs"][0]
    nodes = _around(shipped.rentgen, job)["nodes"]
    (told,) = [it for it in nodes["datasets"].values() if it["name"] == "marketing.audience"]
    ours = said["facets"]["schema"]["fields"]
    assert [(it["name"], it["type"], it["description"]) for it in told["schema"]["fields"]] == [
        (it["name"], it["type"], it.get("description")) for it in ours
    ]
    # owner, description, tags with the classes of columns, snapshot, storage, catalog, the text of the edges
    assert told.keys() == {"id", "location", "name", "schema"}
    assert job.keys() == {"id", "location", "name", "type"}
    assert job["type"] == "DAGSTER_QUERY"


def test_how_much_was_written_is_kept_and_not_that_the_table_was_made_new(shipped: Shipped) -> None:
    (job,) = [it for it in shipped.rentgen.every("jobs") if it["name"] == "marketing.audience"]
    statistics = next(
        it["outputs"][0]["outputFacets"]["outputStatistics"]
        for it in shipped.events
        if (it["job"]["name"], it["eventType"]) == (job["name"], "COMPLETE")
    )
    told = [it for it in lineage_of(shipped.rentgen, job)["outputs"] if it["from"]["kind"] == "JOB"]
    assert {(it["num_rows"], it["num_bytes"], it["num_files"]) for it in told} == {
        (statistics["rowCount"], statistics["size"], statistics["fileCount"])
    }
    # START, which names its output without saying what becomes of it, counts as one that appends, and COMPLETE's word
    # is lost where both are saved together
    assert [it["types"] for it in told] == [["APPEND"]]


def test_what_was_sent_before_changes_nothing(shipped: Shipped, back: Lineage) -> None:
    before = back, shipped.rentgen.get("jobs", page_size=50)
    for event in shipped.events[:4]:
        assert shipped.rentgen.refusal(event) is None
    shipped.rentgen.save()
    assert (given_back(shipped.rentgen), shipped.rentgen.get("jobs", page_size=50)) == before


def test_what_the_server_refuses_of_others_and_took_of_nobody_here(shipped: Shipped) -> None:
    event = shipped.events[0]
    facets = event["run"]["facets"]
    random_parent = facets["parent"] | {"run": {"runId": DAGSTER_RUN}}
    no_version = facets["processing_engine"] | {"version": "unreached"}
    for changed, why in (({"parent": random_parent}, "UUIDv6+"), ({"processing_engine": no_version}, "version")):
        refusal = shipped.rentgen.refusal(event | {"run": event["run"] | {"facets": facets | changed}})
        assert refusal is not None
        assert why in refusal
