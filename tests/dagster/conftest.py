import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from tests.dagster.dev import Dev
from tests.dagster.shop import Shop, make_shop
from tests.dagster.situation import situation


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what Dagster and the event store knew by then."""
    report = yield
    if report.failed:
        given = item.funcargs.values()
        shops = {id(it): it for it in (it.shop if isinstance(it, Dev) else it for it in given) if isinstance(it, Shop)}
        report.sections += [(str(shop.project.root), shown(shop)) for shop in shops.values()]
    return report


def shown(shop: Shop) -> str:
    try:
        return situation(shop)
    except Exception as error:  # noqa: BLE001  the failure itself is what has to be seen
        return f"cannot be asked: {error!r}"


@pytest.fixture(autouse=True)
def without_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
        monkeypatch.delenv(name)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return make_shop(tmp_path / "shop")


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh
