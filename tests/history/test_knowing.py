"""What rules may ask is gathered once, and anew when something has changed that it was gathered from."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import DagsterInstance

from governance.catalog_seen import CatalogSeen, keep
from governance.events.run import Attempt
from governance.graph import Graph
from governance.policy import Policy
from governance.project import Project, project_at
from governance.rules import EndedAttempt, Known, Outcomes, Rule, check
from governance.rules.finding import Severity
from platform_assets.knowing import FILES, FRESH, Knowing
from tests.history.world import policy

NOW = datetime(2026, 10, 1, 2, tzinfo=UTC)


class Gathering:
    """Counts how often it is asked, at a time that stands still until it is moved."""

    def __init__(self, root: Path) -> None:
        self.project = project_at(root)
        self.times = 0
        self.now = NOW
        self.ended: tuple[EndedAttempt, ...] = ()
        for folder in (self.project.events, *self.project.policy, *self.project.pipelines):
            folder.mkdir(parents=True)
        catalog = self.project.state / "catalog.db"
        catalog.write_bytes(b"one")
        keep(self.project.state, CatalogSeen(NOW, (), file=str(catalog)))
        self.knowing = Knowing(self.project, lambda *_: self.ended, self.gather, lambda: self.now)

    def gather(self, _: Project, ended: Iterable[EndedAttempt], now: datetime) -> Known:
        self.times += 1
        found: Policy = policy()
        graph = Graph((), (), (), {})
        none = frozenset[str]()
        return Known(found, graph, {}, tuple(ended), none, none, none, {}, None, now)


@pytest.fixture
def gathering(tmp_path: Path) -> Gathering:
    return Gathering(tmp_path)


@pytest.fixture
def instance() -> DagsterInstance:
    return DagsterInstance.ephemeral()


def test_many_checks_of_one_run_gather_once(gathering: Gathering, instance: DagsterInstance) -> None:
    found = [gathering.knowing(instance) for _ in range(20)]

    assert gathering.times == 1
    assert all(it is found[0] for it in found)


CHANGES: dict[str, Callable[[Gathering], object]] = {
    "an event": lambda it: (it.project.events / "events-2026-10-01.ndjson").write_text("{}\n"),
    "the catalog": lambda it: (it.project.state / "catalog.db").write_bytes(b"other"),
    "a policy file": lambda it: (it.project.policy[0] / "metadata.toml").write_text("# classes"),
    "a pipeline": lambda it: (it.project.pipelines[0] / "crm.sql").write_text("select 1"),
    "nothing, for too long": lambda it: setattr(it, "now", it.now + FRESH),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_gathered_anew(gathering: Gathering, instance: DagsterInstance, change: str) -> None:
    before = gathering.knowing(instance)

    CHANGES[change](gathering)
    gathering.now += FILES

    assert gathering.knowing(instance) is not before
    assert gathering.times == 2


def test_an_attempt_that_ended_silently_is_known_at_once(gathering: Gathering, instance: DagsterInstance) -> None:
    gathering.knowing(instance)
    silent = EndedAttempt(_attempt(), "s.t", "SUCCESS")

    gathering.ended = (silent,)

    assert gathering.knowing(instance).ended == (silent,)
    assert gathering.times == 1


def test_events_switched_off_meanwhile_are_noticed(
    gathering: Gathering, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathering.knowing(instance)

    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    gathering.now += timedelta(milliseconds=1)
    gathering.knowing(instance)

    assert gathering.times == 2


def _attempt() -> Attempt:
    return Attempt("s.t", NOW, "6f1f3a52-6c7e-4c43-8a51-0d1b7c6a2f10")


def test_a_rule_that_many_checks_ask_looks_once(gathering: Gathering, instance: DagsterInstance) -> None:
    asked: list[Known] = []
    rule = Rule("counted", Severity.WARN, False, "", lambda known: (asked.append(known), ())[1])  # noqa: FBT003
    outcomes, known = Outcomes(), gathering.knowing(instance)

    found = [outcomes.of(rule, known) for _ in range(3)]
    outcomes.of(rule, replace(known))

    assert found == [check(rule, known)] * 3
    assert len(asked) == 3
