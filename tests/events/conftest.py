"""Facts of one run, an environment without OpenLineage settings, and the official validator where it is at hand."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from governance.events.run import (
    DAGSTER_RUN_ID,
    Attempt,
    Engine,
    JobFacts,
    Naming,
    RunFacts,
    started_by,
)
from governance.events.source_code import SourceCode
from governance.events.store import EventStore
from tests.events.night import DAGSTER_RUN, NIGHT
from tests.events.official import complaints


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No settings of the machine's own; the client itself writes to os.environ, so the whole of it is put back."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
        del os.environ[name]
    os.environ["HOME"] = str(tmp_path / "home")
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def store(tmp_path: Path) -> EventStore:
    return EventStore(tmp_path / "events", clock=lambda: NIGHT)


@pytest.fixture
def facts() -> RunFacts:
    return RunFacts(
        attempt=Attempt("marketing.audience", NIGHT, DAGSTER_RUN),
        naming=Naming("iceberg://platform", "headwater"),
        job=JobFacts(
            sql="create table marketing.audience as select email from crm.learners where marketing_consent",
            description="The learners marketing may email.",
            owner="team:marketing",
            tags=(("tier", "gold"),),
            source=SourceCode("https://github.com/acme/platform", "0" * 40, "pipelines/marketing/audience.sql"),
        ),
        parent=started_by(NIGHT, DAGSTER_RUN, "nightly"),
        tags=((DAGSTER_RUN_ID, DAGSTER_RUN),),
        engine=Engine("DuckDB", "2.0.1"),
        scheduled=NIGHT,
    )


@pytest.fixture
def validate() -> Callable[[dict[str, Any]], list[str]]:
    """The official schemas' and the linter's complaints about an event."""
    return complaints()
