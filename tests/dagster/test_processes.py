"""Real processes that are terminated, killed and raced: one START and one end for each run, whatever happens."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import psutil
import pytest
from dagster import DagsterInstance, DagsterRunStatus

from governance_checks.closer import Closer
from platform_assets.assets.instance import dagster_home
from platform_assets.definitions import closer_of
from platform_assets.loaded import load
from tests.dagster.shop import DAGSTER, ENDLESS, HANG, Shop, process, until

MULTIPROCESS = {"execution": {"config": {"multiprocess": {"max_concurrent": 1}}}}


@pytest.fixture
def home(shop: Shop) -> Path:
    return dagster_home(shop.project)


@pytest.fixture
def real(home: Path) -> Iterator[DagsterInstance]:
    with DagsterInstance.from_config(str(home)) as opened:
        yield opened


@pytest.fixture
def endless(shop: Shop) -> Shop:
    for name in ("paid_orders", "mailing"):
        (shop.project.root / f"platform_assets/pipelines/mart/{name}.sql").unlink()
    shop.pipeline("mart.endless", ENDLESS)
    return shop


def dagster(
    shop: Shop, home: Path, *words: str, log: str = "dagster.log"
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    command = (DAGSTER, *words, "-m", "platform_assets.definitions")
    return process(*command, env=shop.environment(home), log=shop.project.state / log)


def nightly_in_processes(shop: Shop, home: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    config = shop.project.state / "multiprocess.yaml"
    config.write_text(json.dumps(MULTIPROCESS))
    return dagster(shop, home, "job", "execute", "-j", "nightly", "--config", str(config))


def closer(shop: Shop) -> Closer:
    return closer_of(load(shop.project))


def steps_of(worker: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(worker.pid).children(recursive=True)
        if "spawn_main" in " ".join(child.cmdline())
    ]


def test_terminate_in_a_long_query_sends_abort(endless: Shop, home: Path) -> None:
    with dagster(endless, home, "asset", "materialize", "--select", "mart/endless") as worker:
        until(lambda: endless.told("mart.endless") == ["START"], HANG)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(HANG) != 0
    assert endless.told("mart.endless") == ["START", "ABORT"]


def test_a_killed_step_is_ended_by_the_sensor(endless: Shop, home: Path, real: DagsterInstance) -> None:
    with nightly_in_processes(endless, home) as worker:
        until(lambda: endless.told("mart.endless") == ["START"], HANG)
        for step in steps_of(worker):
            step.kill()
        worker.wait(HANG)
    assert endless.told("mart.endless") == ["START"]  # it could say nothing any more
    (record,) = real.get_run_records()
    assert record.dagster_run.status is DagsterRunStatus.FAILURE
    assert len(closer(endless).close(real)) == 1
    assert endless.told("mart.endless") == ["START", "FAIL"]


def test_an_orphan_of_a_killed_run_worker_says_nothing_more(endless: Shop, home: Path, real: DagsterInstance) -> None:
    with nightly_in_processes(endless, home) as worker:
        until(lambda: endless.told("mart.endless") == ["START"], HANG)
        (orphan,) = steps_of(worker)
        worker.kill()
        worker.wait(HANG)
        assert orphan.is_running()
        (record,) = real.get_run_records()
        assert closer(endless).close(real) == ()  # Dagster does not know yet
        real.report_run_failed(record.dagster_run)  # what run monitoring does once the worker does not answer
        assert len(closer(endless).close(real)) == 1
        orphan.send_signal(signal.SIGTERM)
        orphan.wait(HANG)
    assert endless.told("mart.endless") == ["START", "FAIL"]


def test_two_runs_of_one_pipeline_at_once(shop: Shop, home: Path) -> None:
    words = ("asset", "materialize", "--select", "mart/paid_orders")
    # Dagster's own SQLite files are not safe to be made by two processes at once; a project that ran once has them
    with DagsterInstance.from_config(str(home)) as made:
        made.get_run_records(limit=1)
        made.event_log_storage.get_maximum_record_id()
        made.all_instigator_state()
    with ExitStack() as running:
        both = [running.enter_context(dagster(shop, home, *words, log=f"{number}.log")) for number in range(2)]
        assert [one.wait(HANG) for one in both] == [0, 0]
    runs = Counter(event.run.run_id for event in shop.events("mart.paid_orders"))
    ends = Counter(event.event_type for event in shop.events("mart.paid_orders"))
    assert sorted(runs.values()) == [2, 2]
    assert ends == {"START": 2, "COMPLETE": 2}
