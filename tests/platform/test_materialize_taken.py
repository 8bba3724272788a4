"""An INSERT takes each file once, in the commit of its rows: whatever runs at the same time, and whatever is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DecimalType, LongType, NestedField

from governance.errors import CatalogError, LandingError
from governance.project import ROOT, Project
from platform_assets.cli import main
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog, load, open_catalog
from platform_assets.landing.taken import CORRECTED, PREFIX, taken
from tests.platform.running import Landing, landing_project

CHECKOUT = Path(__file__).parents[2]
TAKEN = f"{PREFIX}landing/orders/*.csv"


@pytest.fixture
def landing(project: Project, catalog: Catalog, engine: Engine) -> Landing:
    return landing_project(project, catalog, engine)


def ids(landing: Landing) -> list[int]:
    return [row["id"] for row in landing.rows("bronze.orders")]


def read_files(landing: Landing) -> list[str]:
    (read,) = [it for it in landing.complete["inputs"] if it["name"] == "landing/orders/*.csv"]
    return [it["name"] for it in read["inputFacets"]["headwater_files"]["files"]]


def test_an_insert_takes_what_is_new_and_a_run_without_news_is_complete(landing: Landing) -> None:
    landing.run("bronze.orders", 0)
    assert (ids(landing), landing.statistics, read_files(landing)) == ([], (0, 0, 0), [])
    landing.land("orders/1.csv", "id,amount\n1,1.00\n2,2.00\n")
    landing.run("bronze.orders", 1)
    assert (ids(landing), landing.statistics, read_files(landing)) == ([1, 2], (2, 2, 0), ["landing/orders/1.csv"])
    landing.run("bronze.orders", 2)
    assert (ids(landing), landing.statistics, read_files(landing)) == ([1, 2], (0, 0, 0), [])
    landing.land("orders/2.csv", "id,amount\n3,3.00\n")
    done = landing.run("bronze.orders", 3)
    assert (ids(landing), landing.statistics, read_files(landing)) == ([1, 2, 3], (1, 1, 0), ["landing/orders/2.csv"])
    assert landing.kinds == ["START", "COMPLETE"] * 4
    version = landing.complete["outputs"][0]["facets"]["version"]["datasetVersion"]
    assert version == str(done.done.commit.snapshot_id)


def test_rejected_rows_are_those_of_the_files_that_are_new(landing: Landing) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n")
    landing.run("bronze.orders", 0)
    landing.land("orders/2.csv", "id,amount\n2,1.00\ny,1.00\nz,1.00\n")
    landing.run("bronze.orders", 1)
    assert landing.statistics == (3, 1, 2)
    kept = [(row["file"], row["line"]) for row in landing.rows("quarantine.bronze_orders")]
    assert sorted(kept) == [("landing/orders/1.csv", 3), ("landing/orders/2.csv", 3), ("landing/orders/2.csv", 4)]
    landing.run("bronze.orders", 2)
    assert landing.statistics == (0, 0, 0)
    assert [it["name"] for it in landing.complete["outputs"]] == ["bronze.orders"]


def test_a_partitioned_table_takes_files_too_and_rejects_rows(landing: Landing) -> None:
    columns = Schema(NestedField(1, "id", LongType()), NestedField(2, "amount", DecimalType(10, 2)))
    parts = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "id"))
    landing.platform.catalog.create_namespace("bronze")
    landing.platform.catalog.create_table("bronze.orders", columns, partition_spec=parts)
    landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n2,1.00\n")
    for number, told in enumerate([(3, 2, 1), (0, 0, 0)]):
        landing.run("bronze.orders", number)
        assert landing.statistics == told
    assert ids(landing) == [1, 2]
    assert [row["line"] for row in landing.rows("quarantine.bronze_orders")] == [3]


def test_a_file_that_changed_after_it_was_taken_is_an_error_until_the_property_lets_it_go(landing: Landing) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 0)
    landing.land("orders/1.csv", "id,amount\n1,1.00\n2,2.00\n")
    with pytest.raises(LandingError, match=r"landing/orders/1\.csv changed after bronze\.orders had taken it"):
        landing.run("bronze.orders", 1)
    assert ids(landing) == [1]
    assert landing.kinds == ["START", "COMPLETE", "START", "FAIL"]
    table = load(landing.platform.catalog, "bronze.orders")
    with table.transaction() as change:
        change.set_properties({TAKEN: "{}"})
    landing.run("bronze.orders", 2)
    assert ids(landing) == [1, 1, 2]


def test_a_file_of_the_same_content_is_no_other_whenever_it_was_written(landing: Landing) -> None:
    path = landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 0)
    os.utime(path, (1, 1))
    landing.land("orders/2.csv", "id,amount\n2,2.00\n")
    landing.run("bronze.orders", 1)
    assert ids(landing) == [1, 2]
    own = load(landing.platform.catalog, "bronze.orders").properties
    assert taken("bronze.orders", own, "landing/orders/*.csv")["landing/orders/1.csv"].version == "17-1000000000"
    path.write_text("id,amount\n1,9.00\n")
    with pytest.raises(LandingError, match="changed after"):
        landing.run("bronze.orders", 2)
    path.write_text("id,amount\n1,1.00\n")
    landing.run("bronze.orders", 3)
    assert ids(landing) == [1, 2]


def test_an_empty_file_is_taken_once_it_is_filled(landing: Landing) -> None:
    landing.land("orders/1.csv", "")
    landing.run("bronze.orders", 0)
    assert (read_files(landing), landing.statistics) == ([], (0, 0, 0))
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 1)
    assert (ids(landing), read_files(landing)) == ([1], ["landing/orders/1.csv"])


def said(landing: Landing, monkeypatch: pytest.MonkeyPatch, *words: str) -> Result:
    monkeypatch.setenv(ROOT, str(landing.project.root))
    with monkeypatch.context() as patched:
        patched.setattr("platform_assets.iceberg.catalog.open_catalog", lambda _: nullcontext(landing.platform.catalog))
        return CliRunner().invoke(main, ["taken", "bronze.orders", *words])


def test_a_person_sees_what_was_taken_forgets_and_accepts(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = "landing/orders/1.csv", "landing/orders/2.csv"
    assert said(landing, monkeypatch).stderr.startswith("Error: the catalog has no table bronze.orders; name one as")
    landing.run("bronze.orders", 0)
    assert said(landing, monkeypatch).stdout == "bronze.orders has taken no file\n"
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.land("orders/2.csv", "id,amount\n2,2.00\n")
    landing.run("bronze.orders", 1)
    assert said(landing, monkeypatch).stdout.splitlines() == [
        "File                  Taken                 Bytes  Dataset",
        "landing/orders/1.csv  2026-10-03 02:00 UTC  17     landing/orders/*.csv",
        "landing/orders/2.csv  2026-10-03 02:00 UTC  17     landing/orders/*.csv",
    ]
    landing.land("orders/1.csv", "id,amount\n1,1.00\n3,3.00\n")
    landing.land("orders/2.csv", "id,amount\n2,2.00\n4,4.00\n")
    assert said(landing, monkeypatch, "--forget", one, "--accept", two).stdout.splitlines() == [
        f"bronze.orders takes {one} again with its next run: delete the rows that it has of it before",
        f"bronze.orders keeps {two} as taken, as it is now: its rows stay what they are",
    ]
    assert one not in said(landing, monkeypatch).stdout
    landing.run("bronze.orders", 2)
    assert ids(landing) == [1, 1, 2, 3]
    landing.run("bronze.orders", 3)
    assert ids(landing) == [1, 1, 2, 3]
    refused = said(landing, monkeypatch, "--forget", "landing/orders/l.csv")
    assert (refused.exit_code, refused.stderr) == (
        1,
        f"Error: bronze.orders has not taken landing/orders/l.csv; name one of {two}, {one}\n",
    )
    assert said(landing, monkeypatch, "--forget", two).exit_code == 0
    corrections = [it for it in load(landing.platform.catalog, "bronze.orders").properties if CORRECTED in it]
    assert corrections == [f"{CORRECTED}landing/orders/*.csv#{two}"]


def test_what_a_person_says_while_a_run_computes_is_not_lost(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 0)
    landing.land("orders/2.csv", "id,amount\n2,2.00\n")
    forget = ("--forget", "landing/orders/1.csv")
    landing.meanwhile(lambda: said(landing, monkeypatch, *forget)).run("bronze.orders", 1)
    assert ids(landing) == [1, 2]
    landing.run("bronze.orders", 2)
    assert ids(landing) == [1, 1, 2]


def test_a_broken_property_is_an_error_and_not_a_second_load(landing: Landing) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 0)
    with load(landing.platform.catalog, "bronze.orders").transaction() as change:
        change.set_properties({TAKEN: "1.csv"})
    with pytest.raises(CatalogError, match="holds no files with their versions"):
        landing.run("bronze.orders", 1)
    assert ids(landing) == [1]


def test_a_table_that_is_made_anew_has_taken_nothing(landing: Landing) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\n")
    landing.run("bronze.orders", 0)
    insert = landing.loaded("bronze.orders").sql
    landing.pipeline("bronze.orders", "create table bronze.orders as select id, amount from 'landing/orders/*.csv'")
    landing.run("bronze.orders", 1)
    landing.run("bronze.orders", 2)
    assert ids(landing) == [1]
    landing.pipeline("bronze.orders", insert)
    landing.run("bronze.orders", 3)
    assert ids(landing) == [1, 1]
    landing.platform.catalog.drop_table("bronze.orders")
    landing.run("bronze.orders", 4)
    assert ids(landing) == [1]


def test_runs_at_once_take_each_file_once(landing: Landing) -> None:
    for number in range(4):
        landing.land(f"orders/{number}.csv", f"id,amount\n{number},1.00\nx,1.00\n")

    def one(number: int) -> None:
        with open_catalog(landing.project) as own:
            Landing(replace(landing.platform, catalog=own)).run("bronze.orders", number)

    with ThreadPoolExecutor(3) as runs:
        list(runs.map(one, range(3)))
    assert ids(landing) == [0, 1, 2, 3]
    assert sorted(landing.kinds) == ["COMPLETE"] * 3 + ["START"] * 3
    # whoever computed again took back what it had rejected of files that another run took
    assert len(landing.rows("quarantine.bronze_orders")) == 4


PROCESS = """
import sys, time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
import duckdb
from governance.events.run import Attempt
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import project_at
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.engines.duckdb import DuckDb
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run
from tests.platform.running import Between

project, number = project_at(Path(sys.argv[1])), int(sys.argv[2])
now = lambda: datetime.now(UTC)

def waits():
    (project.state / "made").touch()
    time.sleep(300)

with open_catalog(project) as catalog:
    engine, store = DuckDb(lambda: closing(duckdb.connect())), EventStore(project.events)
    engine = engine if number else Between(engine, waits)
    platform = Platform(project, load_policy(project), load_sources(project), catalog, engine, store, now)
    (pipeline,) = [it for it in load_pipelines(project) if it.table == "bronze.orders"]
    materialize(platform, pipeline, Run(Attempt("bronze.orders", now(), f"process-{number}")))
"""
"""A run; the one of number 0 has made its rows and never gets to commit them."""


@contextmanager
def process(landing: Landing, number: int) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", PROCESS, str(landing.project.root), str(number)]
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        try:
            yield started
        finally:
            started.kill()


def test_processes_at_once_and_one_that_is_killed_lose_no_file_and_take_none_twice(landing: Landing) -> None:
    for number in range(6):
        rows = "".join(f"{number * 100_000 + row},1.00\n" for row in range(20_000))
        landing.land(f"orders/{number}.csv", f"id,amount\n{rows}")
    with process(landing, 0) as killed, process(landing, 1) as second, process(landing, 2) as third:
        deadline = time.monotonic() + 150
        while not (landing.project.state / "made").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
        told = [it.communicate(timeout=600)[1].decode() for it in (second, third)]
        assert [second.returncode, third.returncode] == [0, 0], told
    assert sorted(landing.kinds) == ["COMPLETE"] * 2 + ["START"] * 3
    landing.run("bronze.orders", 9)
    taken = ids(landing)
    assert len(taken) == len(set(taken)) == 120_000
