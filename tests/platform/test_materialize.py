"""One run of one pipeline on real Iceberg tables: what it writes and sends, and what is left when it goes wrong."""

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pyarrow as pa
import pytest

from governance.errors import EventStoreError, LineageError
from governance.events.run import Attempt, fail_event
from governance.events.run_facets import Parent
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.pipeline import Pipeline, parse_pipeline
from governance.policy import load_policy, load_sources
from governance.project import Project
from platform_assets.catalog import DAGSTER_RUN_ID, RUN_ID, Catalog, inventory, load, open_catalog, plan, published
from platform_assets.engines.engine import Engine, Query, QueryError, Relation, Result
from platform_assets.materialize import materialize
from platform_assets.run import Materialized, Platform, Run, run_facts

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)
PARENT = Parent("01a0f9a6-0000-7000-8000-000000000000", "nightly")


@pytest.fixture
def platform(shop: Project, catalog: Catalog, engine: Engine) -> Platform:
    return Platform(
        shop, load_policy(shop), load_sources(shop), catalog, engine, EventStore(shop.events, lambda: AT), lambda: AT
    )


def run(number: int = 0) -> Run:
    return Run(Attempt("mart.buyers", AT, "dagster-run", number), PARENT, AT)


def pipeline(platform: Platform, table: str) -> Pipeline:
    return next(it for it in load_pipelines(platform.project) if it.table == table)


def buyers(platform: Platform, number: int = 0) -> Materialized:
    return materialize(platform, pipeline(platform, "mart.buyers"), run(number))


def sql(text: str) -> Pipeline:
    return parse_pipeline("mart.buyers", "mart/buyers.sql", text)


def sent(platform: Platform) -> list[dict[str, Any]]:
    return [json.loads(line) for file in platform.store.files() for line in file.read_text("utf-8").splitlines()]


def kinds(platform: Platform) -> list[str]:
    return [event["eventType"] for event in sent(platform)]


def rows(platform: Platform, table: str) -> list[dict[str, Any]]:
    relation = plan(table, load(platform.catalog, table)).relation
    query = Query(f"from {table} order by all", "")
    with platform.engine.open(query, {table: relation}) as result, result.batches() as reader:
        return reader.read_all().to_pylist()


def test_a_run_commits_its_rows_and_tells_what_it_read_and_wrote(platform: Platform) -> None:
    done = buyers(platform)
    assert [(row["id"], row["name"], float(row["paid"])) for row in rows(platform, "mart.buyers")] == [(1, "Ada", 7.5)]
    start, complete = sent(platform)
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert [it["name"] for it in start["inputs"]] == ["crm.people", "shop.orders"]
    assert start["run"]["runId"] == complete["run"]["runId"] == done.run_id == run().attempt.run_id
    assert complete["run"]["facets"]["parent"]["run"]["runId"] == PARENT.run_id
    assert complete["run"]["facets"]["processing_engine"]["name"] == "duckdb"
    (output,) = complete["outputs"]
    facets = output["facets"]
    assert (output["namespace"], output["name"]) == ("iceberg://test", "mart.buyers")
    assert [field["name"] for field in facets["schema"]["fields"]] == ["id", "name", "mail", "paid"]
    assert facets["schema"]["fields"][2]["description"] == "Where to write to."
    assert {*facets["columnLineage"]["fields"]} == {"id", "name", "mail", "paid"}
    assert {(it["field"], it["transformations"][0]["subtype"]) for it in facets["columnLineage"]["dataset"]} >= {
        ("agreed", "FILTER"),
        ("person", "JOIN"),
    }
    assert facets["version"]["datasetVersion"] == str(done.done.commit.snapshot_id)
    assert facets["lifecycleStateChange"]["lifecycleStateChange"] == "CREATE"
    assert facets["ownership"]["owners"][0]["name"] == "team:shop"
    assert {(t["key"], t["value"], t.get("field")) for t in facets["tags"]["tags"]} == {
        ("classification", "personal", "mail"),
        ("nightly", "true", None),
    }
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 1
    people = next(it for it in complete["inputs"] if it["name"] == "crm.people")
    assert people["facets"]["version"]["datasetVersion"] == str(
        load(platform.catalog, "crm.people").current_snapshot().snapshot_id
    )
    assert people["inputFacets"]["inputStatistics"]["rowCount"] == 3


def test_no_event_names_a_path_of_the_machine(platform: Platform) -> None:
    buyers(platform)
    assert str(platform.project.root) not in json.dumps(sent(platform))


def test_the_snapshot_carries_the_run_id(platform: Platform) -> None:
    done = buyers(platform)
    assert [it.run_id for it in published(platform.catalog, "mart.buyers")] == [done.run_id]
    summary = load(platform.catalog, "mart.buyers").current_snapshot().summary.additional_properties
    assert (summary[RUN_ID], summary[DAGSTER_RUN_ID]) == (done.run_id, "dagster-run")


def test_a_second_run_replaces_and_a_retry_is_a_run_of_its_own(platform: Platform) -> None:
    first, second = buyers(platform), buyers(platform, 1)
    assert first.run_id != second.run_id
    assert second.done.commit.lifecycle == "OVERWRITE"
    assert len(rows(platform, "mart.buyers")) == 1
    assert kinds(platform) == ["START", "COMPLETE"] * 2


def test_an_insert_adds_by_position_what_its_own_table_lacks(platform: Platform) -> None:
    for added, total in ((2, 2), (0, 2)):
        done = materialize(platform, pipeline(platform, "mart.days"), run(added))
        assert (done.done.commit.rows, done.done.commit.total_rows) == (added, total)
    assert [row["paid"] for row in rows(platform, "mart.days")] == [7.5, 9.99]
    complete = sent(platform)[-1]
    assert [it["name"] for it in complete["inputs"]] == ["mart.days", "shop.orders"]
    assert "lifecycleStateChange" not in complete["outputs"][0]["facets"]


def test_an_insert_with_a_column_list_leaves_the_others_null(platform: Platform) -> None:
    declared = "create table if not exists mart.buyers (a bigint, b varchar, c date);\n"
    text = f"{declared}insert into mart.buyers (C, a) select '2026-10-01', 7"
    materialize(platform, sql(text), run())
    assert [(row["a"], row["b"], str(row["c"])) for row in rows(platform, "mart.buyers")] == [(7, None, "2026-10-01")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("create table mart.buyers as\nselect emial from crm.people", "emial"),
        ("create table mart.buyers as select * from crm.nobody", "crm.nobody"),
        ("merge into mart.buyers using crm.people on true when matched then delete", "MERGE"),
        ("create table if not exists mart.buyers (a bigint);\ninsert into mart.buyers select 1, 2", "2"),
        ("create table mart.buyers as selec 1", "SELEC"),
    ],
)
def test_what_cannot_be_read_sends_start_and_fail_and_runs_nothing(platform: Platform, text: str, words: str) -> None:
    before = inventory(platform.catalog)
    with pytest.raises(LineageError, match=words) as caught:
        materialize(replace(platform, engine=NeverRuns()), sql(text), run())
    assert "mart/buyers.sql" in str(caught.value)
    start, fail = sent(platform)
    assert (start["eventType"], fail["eventType"]) == ("START", "FAIL")
    assert words in fail["run"]["facets"]["errorMessage"]["message"]
    assert inventory(platform.catalog) == before


class NeverRuns:
    """An engine that fails the test which calls it."""

    name = "never"
    version = "0"

    def open(self, query: Query, tables: Mapping[str, Relation]) -> Any:
        raise AssertionError(f"ran {query.text} over {list(tables)}")

    def schema(self, columns: object) -> pa.Schema:
        raise AssertionError(f"asked for {columns}")


def test_a_failing_query_sends_fail_leaves_the_table_and_shows_no_data(platform: Platform) -> None:
    buyers(platform)
    with pytest.raises(QueryError) as caught:
        materialize(
            platform, sql("create table mart.buyers as\nselect cast(mail as integer) as id from crm.people"), run(1)
        )
    assert str(caught.value).startswith("mart/buyers.sql:2: Conversion Error")
    assert "ada@" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert kinds(platform) == ["START", "COMPLETE", "START", "FAIL"]
    assert "ada@" not in json.dumps(sent(platform)[2:])
    assert len(rows(platform, "mart.buyers")) == 1


class Terminated(BaseException):
    """As Dagster's interrupt: no Exception."""


def test_terminate_in_a_long_query_sends_abort_and_leaves_the_table(platform: Platform) -> None:
    buyers(platform)

    def stop(*_: object) -> None:
        raise Terminated

    busy = """create table mart.buyers as
        with recursive n as (select 1 as i union all select i + 1 from n where i < 100000000)
        select count(*) as n from n a, n b where a.i % 7 = b.i % 3"""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.6)
    try:
        with pytest.raises(Terminated):
            materialize(platform, sql(busy), run(1))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert kinds(platform) == ["START", "COMPLETE", "START", "ABORT"]
    assert [row["name"] for row in rows(platform, "mart.buyers")] == ["Ada"]


def test_terminate_after_the_commit_sends_complete_for_the_data_is_there(platform: Platform) -> None:
    def stop() -> None:
        raise Terminated

    for engine, number in ((platform.engine, 0), (Then(platform.engine, stop), 1)):
        with suppress(Terminated):
            materialize(replace(platform, engine=engine), pipeline(platform, "mart.buyers"), run(number))
    assert kinds(platform) == ["START", "COMPLETE", "START", "COMPLETE"]
    output = sent(platform)[-1]["outputs"][0]["facets"]
    assert output["lifecycleStateChange"]["lifecycleStateChange"] == "OVERWRITE"
    assert published(platform.catalog, "mart.buyers")[-1].run_id == run(1).attempt.run_id


def test_n16_a_commit_whose_answer_was_lost_sends_complete(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    buyers(platform)
    real = type(platform.catalog).commit_table

    def lost(*args: Any) -> Any:
        real(*args)
        raise ConnectionError("the answer never came")

    monkeypatch.setattr(type(platform.catalog), "commit_table", lost)
    with pytest.raises(ConnectionError):
        buyers(platform, 1)
    assert kinds(platform) == ["START", "COMPLETE", "START", "COMPLETE"]
    output = sent(platform)[-1]["outputs"][0]
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 1


@pytest.mark.parametrize("written", [True, False])
def test_terminate_while_the_end_is_written_leaves_one_end(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, *, written: bool
) -> None:
    real = EventStore.end
    calls: list[object] = []

    def interrupted(store: EventStore, event: Any) -> bool:
        calls.append(event)
        if len(calls) > 1:
            return real(store, event)
        if written:
            real(store, event)
        raise Terminated

    monkeypatch.setattr(EventStore, "end", interrupted)
    with pytest.raises(Terminated):
        buyers(platform)
    assert kinds(platform) == ["START", "COMPLETE"]


def test_nothing_runs_where_start_cannot_be_written(platform: Platform) -> None:
    rmtree(platform.project.events, ignore_errors=True)
    platform.project.events.write_text("in the way", "utf-8")
    with pytest.raises(EventStoreError):
        materialize(replace(platform, engine=NeverRuns()), pipeline(platform, "mart.buyers"), run())
    assert "mart.buyers" not in inventory(platform.catalog)


@dataclass(frozen=True)
class Then:
    """An engine after whose query something happens, before the run's end is written."""

    engine: Engine
    happens: Callable[[], None]

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def version(self) -> str:
        return self.engine.version

    @contextmanager
    def open(self, query: Query, tables: Mapping[str, Relation]) -> Iterator[Result]:
        with self.engine.open(query, tables) as result:
            yield result
        self.happens()

    def schema(self, columns: Any) -> pa.Schema:
        return self.engine.schema(columns)


def test_the_data_stays_where_complete_cannot_be_written(platform: Platform) -> None:
    def block() -> None:
        rmtree(platform.project.events)
        platform.project.events.write_text("in the way", "utf-8")

    done = buyers(replace(platform, engine=Then(platform.engine, block)))
    assert "headwater events repair" in done.warnings[0]
    assert len(rows(platform, "mart.buyers")) == 1


def test_the_first_terminal_event_stands(platform: Platform) -> None:
    facts = run_facts(platform, pipeline(platform, "mart.buyers"), run())
    ended = Then(platform.engine, lambda: platform.store.end(fail_event(facts, AT, "taken for dead")) and None)
    done = buyers(replace(platform, engine=ended))
    assert "closed before" in done.warnings[0]
    assert kinds(platform) == ["START", "FAIL"]


def test_a_run_whose_table_changes_meanwhile_computes_again(platform: Platform) -> None:
    others: list[Materialized] = []

    def another() -> None:
        if len(others) < 2:
            others.append(materialize(platform, pipeline(platform, "mart.days"), run(10 + len(others))))

    @contextmanager
    def slow(query: Query, tables: Mapping[str, Relation]) -> Iterator[Result]:
        with platform.engine.open(query, tables) as result:
            another()
            yield result

    engine = Then(platform.engine, lambda: None)
    object.__setattr__(engine, "open", slow)
    done = materialize(replace(platform, engine=engine), pipeline(platform, "mart.days"), run(1))
    assert [it.done.commit.rows for it in (*others, done)] == [2, 0, 0]
    assert len(rows(platform, "mart.days")) == 2


def test_n16_runs_of_one_pipeline_at_once_all_complete_and_double_nothing(platform: Platform) -> None:
    def one(number: int) -> int:
        with open_catalog(platform.project) as own:
            return materialize(
                replace(platform, catalog=own), pipeline(platform, "mart.days"), run(number)
            ).done.commit.rows

    with ThreadPoolExecutor(3) as runs:
        assert sorted(runs.map(one, range(3))) == [0, 0, 2]
    assert sorted(kinds(platform)) == ["COMPLETE"] * 3 + ["START"] * 3
    assert len(rows(platform, "mart.days")) == 2


def test_events_switched_off_stop_nothing(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    done = buyers(platform)
    assert done.warnings == ()
    assert sent(platform) == []
    assert len(rows(platform, "mart.buyers")) == 1


def test_with_a_fixed_clock_two_projects_send_the_same_but_for_their_snapshots(
    platform: Platform, tmp_path: Path
) -> None:
    buyers(platform)
    first = sent(platform)
    rmtree(platform.project.events)
    platform.catalog.drop_table("mart.buyers")
    buyers(platform)

    def shown(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in events:
            for output in event["outputs"]:
                # pyiceberg draws a snapshot's id from a random UUID
                output.get("facets", {}).pop("version", None)
        return events

    assert shown(sent(platform)) == shown(first)
    assert tmp_path.exists()


def test_a_secret_of_the_environment_reaches_neither_event_nor_error(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "hunter2hunter2")
    text = "create table mart.buyers as\nselect error('hunter2hunter2')::varchar as x, '-- secret' as y"
    with pytest.raises(QueryError) as caught:
        materialize(platform, sql(text), run())
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in json.dumps(sent(platform))
    assert os.environ["SHOP_PASSWORD"]


def test_two_days_later_the_same_attempt_is_the_same_run(platform: Platform) -> None:
    later = replace(platform, clock=lambda: AT + timedelta(days=2))
    assert buyers(later).run_id == run().attempt.run_id


def test_a_dead_lineage_server_is_said_in_the_runs_warning(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{unused.getsockname()[1]}"
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps({"type": "http", "url": dead, "retry": {"total": 0}}))
    (warning,) = buyers(platform).warnings
    assert warning.startswith(f"http {dead} does not have all events yet: Connection refused")
    assert "headwater events ship" in warning


def test_settings_that_cannot_be_read_stop_a_run_before_anything_runs(platform: Platform) -> None:
    Path("openlineage.yml").write_text("transport: [", "utf-8")
    with pytest.raises(EventStoreError, match=r"openlineage\.yml:1:13"):
        buyers(platform)
    assert sent(platform) == []
    assert "mart.buyers" not in inventory(platform.catalog)
