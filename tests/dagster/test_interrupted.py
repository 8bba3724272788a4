"""A run that is ended in the middle of a large file: one ABORT, soon, and nothing is left of what it had begun."""

import resource
import signal
import subprocess
from pathlib import Path

import pytest
from dagster import DagsterInstance

from platform_assets.assets.instance import dagster_home
from platform_assets.iceberg.catalog import load, open_catalog
from tests.dagster.dev import processor_seconds
from tests.dagster.shop import DAGSTER, HANG, Shop, built, process, until
from tests.dagster.test_processes import nightly_in_processes, steps_of

HEADWATER = DAGSTER.with_name("headwater")
SOURCES = """
[locations.landing]
at = "landing"

["landing/big.csv"]
columns.id = "bigint"
columns.text = "varchar"
"""
BIG = """
    create table bronze.big as
    select id, md5(repeat(text, 2000)) as digest from 'landing/big.csv'
"""
"""Minutes of work in little memory."""

RUNS = (
    ((HEADWATER, "run", "bronze.big"), signal.SIGINT),
    ((HEADWATER, "run", "bronze.big"), signal.SIGTERM),
    ((DAGSTER, "asset", "materialize", "--select", "bronze/big", "-m", "platform_assets.definitions"), signal.SIGINT),
)


@pytest.fixture
def big(shop: Shop, instance: DagsterInstance) -> Shop:
    """A shop whose one pipeline has built a table of a small file, in whose place a large one lies by now."""
    for name in ("paid_orders", "mailing"):
        (shop.project.root / f"platform_assets/pipelines/mart/{name}.sql").unlink()
    shop.write("platform_assets/sources.toml", SOURCES)
    shop.pipeline("bronze.big", BIG)
    shop.write("landing/big.csv", "id,text\n1,a\n")
    assert built(shop.run("nightly", instance)) == {"bronze.big"}
    block = "".join(f"{number},some text of some length\n" for number in range(100_000))
    with (shop.project.root / "landing/big.csv").open("a") as file:
        for _ in range(30):
            file.write(block)
    return shop


def home(shop: Shop) -> Path:
    return dagster_home(shop.project)


def files(shop: Shop) -> set[str]:
    """What lies in the warehouse and where runs work."""
    folders = (shop.project.state / "warehouse", shop.project.state / "spill", shop.project.state / "staged")
    return {str(path) for folder in folders for path in folder.rglob("*") if path.is_file()}


def head(shop: Shop) -> str:
    with open_catalog(shop.project) as catalog:
        return str(load(catalog, "bronze.big").metadata_location)


def reading(shop: Shop) -> bool:
    """Whether rows are being made."""
    return any((shop.project.state / "spill").glob("*/rows*"))


def require_abort(shop: Shop, before: set[str], table: str) -> None:
    until(lambda: len(shop.told("bronze.big")) == 4, HANG)
    assert shop.told("bronze.big") == ["START", "COMPLETE", "START", "ABORT"]
    assert (files(shop), head(shop)) == (before, table)


def work_after(run: subprocess.Popen[bytes], number: signal.Signals) -> float:
    """Send a signal, wait for the end, and return the processor time till then: the clock tells of other tests too."""
    ended, until_now = children_seconds(), processor_seconds(run.pid)
    run.send_signal(number)
    run.wait(HANG)
    return children_seconds() - ended - until_now


def children_seconds() -> float:
    """Processor time of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(("words", "number"), RUNS)
def test_a_run_ends_in_one_abort_within_seconds(
    big: Shop, words: tuple[str | Path, ...], number: signal.Signals
) -> None:
    before, table = files(big), head(big)
    with process(*words, env=big.environment(home(big)), log=big.project.state / "run.log") as run:
        until(lambda: reading(big), HANG)
        work = work_after(run, number)
    assert run.returncode != 0
    assert work < 20
    require_abort(big, before, table)


def test_a_step_of_its_own_ends_in_one_abort_within_seconds(big: Shop) -> None:
    before, table = files(big), head(big)
    with nightly_in_processes(big, home(big)) as worker:
        until(lambda: reading(big), HANG)
        (step,) = steps_of(worker)
        step.send_signal(signal.SIGTERM)
        step.wait(HANG)
        worker.wait(HANG)
    require_abort(big, before, table)
