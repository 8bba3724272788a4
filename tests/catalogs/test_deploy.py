"""The files in deploy/: each command and each variable that they name exists, no secret is in them, and they run."""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import pytest
import yaml
from click.testing import CliRunner
from dagster import DagsterInstance
from dagster._cli import create_dagster_cli
from dagster._daemon.cli import create_dagster_daemon_cli
from dagster_webserver.cli import dagster_webserver
from pyiceberg.utils.config import Config

from platform_assets.iceberg import connect, rest
from platform_assets.iceberg.connect import bounded
from tests.catalogs.conftest import configure
from tests.dagster.dev import Dev, loaded
from tests.dagster.shop import CHECKOUT, DAGSTER, make_shop, process, until
from tests.postgres import Postgres, free_port

DEPLOY = CHECKOUT / "deploy"
VALUES = DEPLOY / "kubernetes" / "values.yaml"
INSTANCES = (DEPLOY / "dagster.yaml", DEPLOY / "celery" / "dagster.yaml")
FILES = sorted(it for it in DEPLOY.rglob("*") if it.is_file())

OTHERS = frozenset(
    {
        *("POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"),  # PostgreSQL's image
        "PGPASSWORD",  # libpq
        *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL"),
        "WAREHOUSE",  # the compose file itself
        "DAGSTER_HOME",
    }
)
"""Variables that others read."""


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


COMPOSE: Mapping[str, Any] = parsed(DEPLOY / "compose.yaml")["services"]
OURS: Mapping[str, Any] = {name: it for name, it in COMPOSE.items() if name != "postgres"}
COMMANDS = [
    *(it["command"] for it in OURS.values()),
    *(it["healthcheck"]["test"][1:] for it in OURS.values() if "healthcheck" in it),
]


def group(name: str) -> click.Command:
    made = {"dagster": create_dagster_cli, "dagster-daemon": create_dagster_daemon_cli}
    return made[name]() if name in made else dagster_webserver


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_exists_with_its_options(command: list[str]) -> None:
    assert DAGSTER.with_name(command[0]).is_file()
    # help is given once all that stands before it was understood
    said = CliRunner().invoke(group(command[0]), [*command[1:], "--help"])
    assert said.exit_code == 0, said.output
    assert CliRunner().invoke(group(command[0]), [*command[1:], "--no-such-option", "--help"]).exit_code


def asked(settings: Any) -> Iterator[str]:
    """Yield the variables that a dagster.yaml asks for."""
    if isinstance(settings, dict):
        for key, it in settings.items():
            yield from [it] if key == "env" else asked(it)


def test_a_dagster_yaml_asks_for_what_the_compose_file_gives() -> None:
    of_postgres = {it for it in COMPOSE["code"]["environment"] if it.startswith("DAGSTER_POSTGRES_")}
    assert set(asked(parsed(INSTANCES[0]))) == of_postgres
    assert set(asked(parsed(INSTANCES[1]))) == of_postgres | {"CELERY_BROKER", "CELERY_BACKEND"}
    first, second = map(parsed, INSTANCES)
    assert {key for key in first if first[key] != second[key]} == {"run_launcher"}


def given() -> set[str]:
    """Return every variable that a container is given, and that the files want to be set."""
    containers = {name for it in COMPOSE.values() for name in it["environment"]}
    wanted = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text("utf-8")))
    example = set(re.findall(r"^(?:# )?(\w+)=", (DEPLOY / "example.env").read_text("utf-8"), re.MULTILINE))
    passed = {name for name, value in COMPOSE["code"]["environment"].items() if value is None}
    assert example == wanted | passed
    image = set(re.findall(r"\b([A-Z_]+)=/", (DEPLOY / "Dockerfile").read_text("utf-8")))
    pods = {it["name"] for it in deployment()["env"]}
    return containers | wanted | image | pods


def deployment() -> Mapping[str, Any]:
    (only,) = parsed(VALUES)["dagster-user-deployments"]["deployments"]
    return dict(only)


def test_every_variable_is_one_that_somebody_reads() -> None:
    of_dagster = set(asked(parsed(INSTANCES[0])))
    code = "".join(
        it.read_text("utf-8") for room in ("governance", "platform_assets") for it in (CHECKOUT / room).rglob("*.py")
    )
    for name in given() - of_dagster - OTHERS:
        ours = name.startswith("HEADWATER_") and f'"{name}"' in code
        assert ours or name.startswith("PYICEBERG_CATALOG__DEFAULT__"), name


def test_the_catalogs_settings_are_pyicebergs(monkeypatch: pytest.MonkeyPatch) -> None:
    compose = {name: it or "x" for name, it in COMPOSE["code"]["environment"].items()}
    for environment in (compose, {it["name"]: it["value"] for it in deployment()["env"]}):
        for name, value in environment.items():
            if name.startswith("PYICEBERG"):
                monkeypatch.setenv(name, value)
        settings = bounded(Config().get_catalog_config("default") or {}, {})
        assert settings["type"] == "sql"
        assert str(settings["uri"]).startswith("postgresql+psycopg2://headwater@")
    assert {"s3.endpoint", "s3.region"} < settings.keys()


def test_no_secret_stands_in_a_file() -> None:
    for file in FILES:
        text = file.read_text("utf-8")
        for found in re.findall(r"(?:PASSWORD|SECRET\w*|_KEY(?:_ID)?)[ \t]*[:=][ \t]*(\S.*)?$", text, re.MULTILINE):
            assert not found or found.startswith("${"), (file, found)
        assert not re.search(r"://[^\s/]+:[^\s/]+@", text), file


def test_what_a_compose_file_mounts_and_builds_is_there() -> None:
    mounts = [it.split(":")[0] for service in COMPOSE.values() for it in service.get("volumes", [])]
    assert all((DEPLOY / it).is_file() for it in mounts if it.startswith("."))
    built = COMPOSE["migrate"]["build"]
    assert (DEPLOY / built["context"] / built["dockerfile"]).is_file()
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    copied = re.findall(r"^COPY (?!\. )(\S+)", text, re.MULTILINE)
    assert copied
    assert all((CHECKOUT / it).is_file() for it in copied)
    extras = re.findall(r"EXTRAS=(\S+)", text)[0].split(",")
    project = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    assert all(f"\n{extra} = [" in project for extra in extras)
    (location,) = parsed(DEPLOY / "workspace.yaml")["load_from"]
    server = location["grpc_server"]
    assert server["host"] in COMPOSE
    assert str(server["port"]) in COMPOSE[server["host"]]["command"]


def test_the_chart_takes_dagsters_own_version() -> None:
    (version,) = re.findall(r"--version (\S+)", VALUES.read_text("utf-8"))
    (library,) = re.findall(r"dagster-k8s==(\S+)", VALUES.read_text("utf-8"))
    pinned = (CHECKOUT / "requirements.lock").read_text("utf-8")
    assert f"\ndagster=={version}\n" in pinned
    # libraries of this generation are numbered beside it
    assert f"\ndagster-postgres=={library}\n" in pinned


def test_the_page_says_the_limits_of_time_that_hold() -> None:
    page = (CHECKOUT / "docs" / "deploy.md").read_text("utf-8")
    idle, interval, count = (int(connect.LIBPQ[f"keepalives_{it}"]) for it in ("idle", "interval", "count"))
    assert f"| {connect.LIBPQ['connect_timeout']} s (`?connect_timeout=`" in page
    assert f"in the midst of a statement | {idle + interval * count} s (`?keepalives_idle=`" in page
    assert "| {:g} s to connect, {:g} s for an answer |".format(*rest.SECONDS) in page
    store = [connect.STORE[f"s3.{it}-timeout"] for it in ("connect", "request")]
    assert "| {} s to connect, {} s without a byte".format(*store) in page


LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PipelineNotFoundError { message }
  }
}
"""


def of_this_machine(folder: Path, code: str, web: str) -> dict[str, str]:
    """Return what stands here for the words of the services' commands; the workspace file is written for it."""
    workspace = (DEPLOY / "workspace.yaml").read_text("utf-8").replace("host: code", "host: 127.0.0.1")
    (folder / "workspace.yaml").write_text(workspace.replace("4000", code), "utf-8")
    named = {"/opt/headwater/deploy/workspace.yaml": str(folder / "workspace.yaml")}
    return named | {"0.0.0.0": "127.0.0.1", "4000": code, "3000": web}  # noqa: S104  # replaced, not bound


@pytest.mark.prove
@pytest.mark.timeout(600)
def test_the_services_run_as_processes_of_this_machine(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, web = free_port(), free_port()
    configure(monkeypatch, uri=postgres.make_schema(), warehouse=f"file://{tmp_path}/house")
    shop = make_shop(tmp_path / "shop")
    database = uuid4().hex
    postgres.make(database)
    (home := tmp_path / "home").mkdir()
    (home / "dagster.yaml").write_text(INSTANCES[0].read_text("utf-8"), "utf-8")
    here = of_this_machine(tmp_path, str(code), str(web))
    environment = shop.environment(home, **postgres.variables(database))
    for name, value in postgres.variables(database).items():
        monkeypatch.setenv(name, value)

    def running(command: list[str], log: str) -> Any:
        name, *words = (here.get(it, it) for it in command)
        return process(DAGSTER.with_name(name), *words, env=environment, log=tmp_path / log)

    def healthy(service: str) -> bool:
        with running(OURS[service]["healthcheck"]["test"][1:], "health.log") as asked:
            return asked.wait(60) == 0

    with running(OURS["migrate"]["command"], "migrate.log") as migrated:
        assert migrated.wait(120) == 0, (tmp_path / "migrate.log").read_text()
    with ExitStack() as held:
        held.enter_context(running(OURS["code"]["command"], "code.log"))
        until(lambda: healthy("code"), 200)
        served = [held.enter_context(running(OURS[it]["command"], f"{it}.log")) for it in ("webserver", "daemon")]
        dev = Dev(f"http://127.0.0.1:{web}", shop, served[0], 0)
        until(lambda: loaded(dev), 200)
        job = {"repositoryLocationName": "headwater", "repositoryName": "__repository__", "jobName": "nightly"}
        params = {"selector": job, "mode": "default", "runConfigData": {}}
        said = dev.ask(LAUNCH, params=params)["launchRun"]
        assert said["__typename"] == "LaunchRunSuccess", said
        # the queue is the daemon's, and the run is a process of the code location
        until(lambda: dev.status(said["run"]["runId"]) == "SUCCESS", 200)
    assert [shop.told(it) for it in ("mart.paid_orders", "mart.mailing")] == [["START", "COMPLETE"]] * 2
    with DagsterInstance.from_config(str(home)) as opened:
        assert [it.dagster_run.job_name for it in opened.get_run_records()] == ["nightly"]
