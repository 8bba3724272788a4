"""Runs of one job, and what they send."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from openlineage.client.event_v2 import RunEvent

from governance.events.run import Attempt, Naming, RunFacts, complete_event, fail_event, start_event
from governance.events.shared.store import SharedEventStore
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


def objects_of(store: SharedEventStore, numbers: Iterable[int]) -> dict[str, bytes]:
    """What the runs' START and COMPLETE are in the store, made once where a test needs them often."""
    for number in numbers:
        store.begin(start(number))
        store.end(complete(number))
    names = [it.name for page in store.bucket.pages("events") for it in page]
    return {name: found.data for name in names if (found := store.bucket.get(name))}
