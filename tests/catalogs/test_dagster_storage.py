"""Dagster's own storage on PostgreSQL, by the dagster.yaml that deploy/ has: runs, events, checks, what ended."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from dagster import DagsterInstance, DagsterRunStatus

from governance.errors import HeadwaterError
from governance.project import Project, find_project
from governance_checks.governance_job import IN_PROCESS, in_processes
from governance_checks.scheduler import ended_attempts
from platform_assets.assets.instance import project_instance
from platform_assets.definitions import build_definitions
from platform_assets.iceberg.catalog import open_catalog, published
from tests.catalogs.conftest import configure
from tests.dagster.shop import CHECKOUT, DAGSTER, Shop, built, make_shop, process
from tests.postgres import Postgres

pytestmark = pytest.mark.timeout(300)  # processes that each import Dagster, beside other tests

SETTINGS = CHECKOUT / "deploy" / "dagster.yaml"


@pytest.fixture
def home(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for DAGSTER_HOME, and a database of its own for what it names."""
    name = uuid4().hex
    postgres.make(name)
    for variable, value in postgres.variables(name).items():
        monkeypatch.setenv(variable, value)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "dagster.yaml").write_text(SETTINGS.read_text("utf-8"), "utf-8")
    return folder


@pytest.fixture
def instance(home: Path) -> Iterator[DagsterInstance]:
    with DagsterInstance.from_config(str(home)) as opened:
        yield opened


@pytest.fixture
def shop(postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop, with its catalog on PostgreSQL too."""
    configure(monkeypatch, uri=postgres.make_schema(), warehouse=f"file://{tmp_path}/house")
    return make_shop(tmp_path / "shop")


def ended(instance: DagsterInstance) -> list[tuple[str, int, str]]:
    since = datetime.now(UTC) - timedelta(hours=1)
    attempts = [it.known for it in ended_attempts(instance, since)]
    return sorted((it.table, it.attempt.number, it.status) for it in attempts)


def test_a_job_runs_its_checks_run_and_rules_see_what_ended(shop: Shop, instance: DagsterInstance) -> None:
    assert type(instance.run_storage).__name__ == "PostgresRunStorage"
    assert type(instance.event_log_storage).__name__ == "PostgresEventLogStorage"
    assert type(instance.schedule_storage).__name__ == "PostgresScheduleStorage"
    first = shop.run("nightly", instance)
    assert first.success
    assert built(first) == {"mart.paid_orders", "mart.mailing"}
    assert all(it.passed for it in first.get_asset_check_evaluations())
    shop.rewrite("platform_assets/pipelines/mart/mailing.sql", "p.email", "cast(p.email as bigint) as email")
    assert not shop.run("nightly", instance).success
    assert ended(instance) == [
        ("mart.mailing", 0, "FAILURE"),
        ("mart.mailing", 0, "SUCCESS"),
        ("mart.paid_orders", 0, "SUCCESS"),
        ("mart.paid_orders", 0, "SUCCESS"),
    ]
    governed = shop.run("governance", instance)
    missing = [it for it in governed.get_asset_check_evaluations() if it.check_name == "missing_run"]
    assert missing
    assert all(it.passed for it in missing)


def test_the_jobs_that_build_run_steps_in_processes_and_governance_does_not(shop: Shop) -> None:
    several = build_definitions(replace(shop.project, processes=2))
    nightly, governance, asked = (several.resolve_job_def(it) for it in ("nightly", "governance", "__ASSET_JOB"))
    assert nightly.run_config == {"execution": {"config": {"multiprocess": in_processes(2)}}}
    assert governance.run_config == IN_PROCESS
    assert asked.executor_def.name == "multiprocess"
    assert shop.definitions().resolve_job_def("__ASSET_JOB").executor_def.name == "in_process"


@pytest.mark.prove
def test_steps_in_processes_of_their_own_send_their_events_once(shop: Shop, home: Path) -> None:
    environment = shop.environment(home, HEADWATER_PROCESSES="2")
    command = (DAGSTER, "job", "execute", "-j", "nightly", "-m", "platform_assets.definitions")
    log = home / "nightly.log"
    with process(*command, env=environment, log=log) as running:
        assert running.wait(200) == 0, log.read_text()
    for table in ("mart.paid_orders", "mart.mailing"):
        assert shop.told(table) == ["START", "COMPLETE"]
        with open_catalog(shop.project) as catalog:
            assert len(published(catalog, table)) == 1
    with DagsterInstance.from_config(str(home)) as opened:
        (record,) = opened.get_run_records()
        assert record.dagster_run.status is DagsterRunStatus.SUCCESS
        assert ended(opened) == [("mart.mailing", 0, "SUCCESS"), ("mart.paid_orders", 0, "SUCCESS")]
        said = [it.event_log_entry for it in opened.get_records_for_run(record.dagster_run.run_id).records]
    events = [it.dagster_event for it in said if it.dagster_event]
    begun = [it.step_key for it in events if it.event_type_value == "STEP_WORKER_STARTED"]
    assert len(set(begun)) == len(begun) >= 4
    assert Counter(event.run.run_id for event in shop.store.read().events).most_common(1)[0][1] == 2


def test_how_many_processes_is_a_number() -> None:
    root = {"HEADWATER_ROOT": str(CHECKOUT)}
    assert find_project(root).processes == 1
    assert find_project(root | {"HEADWATER_PROCESSES": "4"}).processes == 4
    for said in ("0", "many", "-1"):
        with pytest.raises(HeadwaterError, match="HEADWATER_PROCESSES"):
            find_project(root | {"HEADWATER_PROCESSES": said})


def test_storage_that_cannot_be_used_is_an_error_in_one_line(
    home: Path, project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    env = {"DAGSTER_HOME": str(home)}
    monkeypatch.setattr("dagster_postgres.utils.time.sleep", lambda _: None)
    monkeypatch.setenv("DAGSTER_POSTGRES_PASSWORD", "hush-hush")
    with pytest.raises(HeadwaterError) as caught:
        project_instance(project, env)
    assert f"Dagster's storage by {home}/dagster.yaml cannot be used: connection to server" in str(caught.value)
    assert "password authentication failed" in str(caught.value)
    assert all(it not in str(caught.value) for it in ("sqlalche.me", "hush"))
    assert "Retrying" not in caplog.text
    for name in ("DAGSTER_POSTGRES_PASSWORD", "DAGSTER_POSTGRES_HOST"):
        monkeypatch.delenv(name)
    with pytest.raises(HeadwaterError, match=r"not set: .*DAGSTER_POSTGRES_PASSWORD; set them"):
        project_instance(project, env)


@pytest.mark.parametrize("text", ["storage: [", "storage:\n  foo: 1\n"])
def test_settings_of_dagster_that_cannot_be_read_name_their_file(tmp_path: Path, project: Project, text: str) -> None:
    (tmp_path / "dagster.yaml").write_text(text, "utf-8")
    with pytest.raises(HeadwaterError, match=r"dagster\.yaml cannot be used: .*correct that file"):
        project_instance(project, {"DAGSTER_HOME": str(tmp_path)})
    with pytest.raises(HeadwaterError, match="which is no folder; make it"):
        project_instance(project, {"DAGSTER_HOME": str(tmp_path / "none")})
