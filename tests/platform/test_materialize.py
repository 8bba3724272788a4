"""One run of one pipeline on real Iceberg tables: what it writes and sends, and what is left when it goes wrong."""

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from governance.errors import LineageError
from platform_assets.engines.engine import Query, QueryError, Relation, Result
from platform_assets.iceberg.catalog import DAGSTER_RUN_ID, RUN_ID, inventory, load, open_catalog, published
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Materialized, Platform
from tests.platform.buyers import AT, PARENT, NeverRuns, Then, buyers, kinds, pipeline, rows, run, sent, sql


def test_a_run_commits_its_rows_and_tells_what_it_read_and_wrote(platform: Platform) -> None:
    done = buyers(platform)
    assert [(row["id"], row["name"], float(row["paid"])) for row in rows(platform, "mart.buyers")] == [(1, "Ada", 7.5)]
    start, complete = sent(platform)
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert [it["name"] for it in start["inputs"]] == ["crm.people", "shop.orders"]
    assert start["run"]["runId"] == complete["run"]["runId"] == done.run_id == run().attempt.run_id
    # a server learns a source's columns from its readers, and some leave out the edges of columns that they do not know
    columns = {it["name"]: [field["name"] for field in it["facets"]["schema"]["fields"]] for it in complete["inputs"]}
    assert columns == {"crm.people": ["id", "name", "mail", "agreed"], "shop.orders": ["id", "person", "paid", "at"]}
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
        ("delete from mart.buyers where id = 1", "DELETE"),
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


@pytest.mark.parametrize(
    ("block", "told"),
    [
        (
            "-- Of each.\n\ncreate view stg.b as\nselect id, count(*) as n from crm.people",
            ":4: view stg.b: Binder Error: ",
        ),
        (
            "create macro m(id) as\n(select max(q.mail) from crm.people q where q.id = id)",
            ":2: macro m: Binder Error: ",
        ),
    ],
)
def test_a_block_that_the_engine_does_not_make_is_told_by_its_own_place(
    platform: Platform, block: str, told: str
) -> None:
    path = platform.project.root / "platform_assets/blocks/m.sql"
    path.parent.mkdir()
    path.write_text(block, "utf-8")
    text = "select id, n from stg.b" if "view" in block else "select m(1) as id from crm.people"
    file = platform.project.root / "platform_assets/pipelines/mart/buyers.sql"
    file.write_text(f"create table mart.buyers as\n{text}", "utf-8")
    with pytest.raises(QueryError) as caught:
        buyers(platform)
    assert str(caught.value).startswith(f"platform_assets/blocks/m.sql{told}")
