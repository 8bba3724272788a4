"""Runs of one job, and what they send."""

from datetime import UTC, datetime, timedelta

from openlineage.client.event_v2 import RunEvent

from governance.events.run import Attempt, Naming, RunFacts, complete_event, fail_event, start_event
from tests.events.night import DAGSTER_RUN, READ, WRITTEN

KEY = "key-of-a-test"
SECRET = "do-not-tell"  # noqa: S105  # it opens nothing

NOW = datetime.now(UTC)
TABLE = "marketing.audience"


def facts(number: int) -> RunFacts:
    """A run of its own for each number, milliseconds apart."""
    instant = NOW + timedelta(milliseconds=number)
    return RunFacts(Attempt(TABLE, instant, DAGSTER_RUN), Naming("iceberg://platform", "headwater"))


def start(number: int, after: timedelta = timedelta()) -> RunEvent:
    """``after`` makes it what another process would send."""
    return start_event(facts(number), NOW + after, ["crm.learners"], [TABLE])


def complete(number: int) -> RunEvent:
    return complete_event(facts(number), NOW, [READ], [WRITTEN])


def fail(number: int, words: str = "it was killed") -> RunEvent:
    return fail_event(facts(number), NOW, words)
