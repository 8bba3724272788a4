"""Two hosts, which are two state folders, and one shared store: what runs on one is known on the other."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from dagster import DagsterInstance

from governance.events.open import event_store
from governance.project import project_at
from platform_assets.cli import main
from platform_assets.definitions import build_definitions
from tests.examples.example import copied

PAGE = Path(__file__).parents[2] / "docs/events.md"


@pytest.fixture
def root(tmp_path: Path, address: str) -> Iterator[Path]:
    """A project whose setting names the store; its catalog and its data are shared as well."""
    root = copied(tmp_path / "orders").root
    settings = root / "governance/lineage.toml"
    settings.write_text(f'{settings.read_text()}\n[events]\nstore = "{address}"\n')
    os.environ["PYICEBERG_CATALOG__DEFAULT__URI"] = f"sqlite:///{tmp_path}/catalog.db"
    os.environ["PYICEBERG_CATALOG__DEFAULT__WAREHOUSE"] = f"file://{tmp_path}/warehouse"
    return root


def on(host: str, root: Path, *words: str) -> Result:
    os.environ["HEADWATER_STATE"] = str(root.parent / host)
    return CliRunner().invoke(main, ["--project", str(root), *words])


def test_what_one_host_ran_another_knows(root: Path) -> None:
    ran = on("a", root, "run", "bronze.orders")
    assert ran.exit_code == 0, ran.output
    assert not (root.parent / "a" / "events").exists()
    traced = on("b", root, "trace", "bronze.orders.amount")
    assert traced.exit_code == 0, traced.output
    assert "landing/orders.csv.amount" in traced.stdout
    assert on("b", root, "history", "bronze.orders").stdout.count("COMPLETE") == 1
    assert "no run lacks its end" in on("b", root, "events", "repair").stdout
    compacted = on("b", root, "events", "compact")
    assert "0 objects compacted" in compacted.stdout
    # a store of its own is named by the variable
    os.environ["HEADWATER_EVENTS"] = "s3://lake/nobody-wrote-there"
    assert "there are no events yet" in on("b", root, "trace", "bronze.orders.amount").output

    del os.environ["HEADWATER_EVENTS"]
    _is_documented(ran, traced, compacted)
    assert _checks(root, "b", "bronze/orders")


def _is_documented(*said: Result) -> None:
    """What docs/events.md shows is what the commands print; run ids differ."""
    shown = re.findall(r"^```console\n\$ headwater .*?\n(.*?)^```$", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
    printed = [re.sub(r"run [0-9a-f-]{36}", "run …", it.stdout) for it in said]
    assert [it for it in shown if not it.startswith("Error: ")] == printed


def _checks(root: Path, host: str, asset: str) -> set[str]:
    """The checks of a table that the host's governance job makes; all pass."""
    project = project_at(root, root.parent / host)
    with DagsterInstance.ephemeral() as instance:
        job = build_definitions(project).resolve_job_def("governance")
        ended = job.execute_in_process(instance=instance, raise_on_error=False)
    checks = [it for it in ended.get_asset_check_evaluations() if it.asset_key.to_user_string() == asset]
    assert all(it.passed for it in checks)
    assert len(event_store(project).read().events) == 2
    return {it.check_name for it in checks}
