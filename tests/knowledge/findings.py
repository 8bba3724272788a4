"""A night and the morning after it, and what a rule finds then."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from governance.events.model import Event
from governance.policy import Policy
from governance.rules import RULES, Known, check
from governance.rules.finding import Finding

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
PolicyOf = Callable[..., Policy]
Tell = Callable[..., Known]

NIGHT = datetime(2026, 10, 1, 2, tzinfo=UTC)
MORNING = NIGHT + timedelta(hours=6)
BY_NAME = {rule.name: rule for rule in RULES}


def found(name: str, known: Known) -> tuple[Finding, ...]:
    return check(BY_NAME[name], known).findings
