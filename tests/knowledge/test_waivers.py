"""A waiver takes out the finding it names until its day is past, and no other."""

from datetime import date

import pytest

from governance.policy import Waiver
from governance.rules import check
from tests.knowledge.findings import BY_NAME, MORNING, PolicyOf, Tell, Told


def waiver(
    until: date, column: str | None = "email", table: str = "b.b", rule: str = "understated_classification"
) -> Waiver:
    return Waiver(rule, table, column, "under review", "dpo@example.com", until)


@pytest.mark.parametrize("column", ["email", None])
def test_a_waiver_takes_its_finding_out_and_stays_visible(
    known: Tell, told: Told, policy_of: PolicyOf, column: str | None
) -> None:
    classes = {"a.a.email": "personal", "b.b.email": "internal"}
    policy = policy_of(classes, waivers=(waiver(MORNING.date(), column),))

    outcome = check(
        BY_NAME["understated_classification"], known(told("job b.b: a.a\nemail: a.a.email IDENTITY\n"), policy=policy)
    )

    assert outcome.passed
    assert [(it.finding.column, it.waiver.who) for it in outcome.waived] == [("email", "dpo@example.com")]
    assert outcome.unused == ()


def test_an_expired_waiver_counts_again_and_says_so(known: Tell, told: Told, policy_of: PolicyOf) -> None:
    classes = {"a.a.email": "personal", "b.b.email": "internal"}
    policy = policy_of(classes, waivers=(waiver(date(2026, 9, 30)),))

    outcome = check(
        BY_NAME["understated_classification"], known(told("job b.b: a.a\nemail: a.a.email IDENTITY\n"), policy=policy)
    )

    (finding,) = outcome.findings
    assert finding.message.endswith("(accepted by dpo@example.com until 2026-09-30, which is past)")


def test_a_waiver_of_another_table_column_or_rule_covers_nothing(known: Tell, told: Told, policy_of: PolicyOf) -> None:
    classes = {"a.a.email": "personal", "b.b.email": "internal"}
    until = MORNING.date()
    waivers = (
        waiver(until, column="name"),
        waiver(until, table="b.c"),
        waiver(until, rule="missing_run"),
    )

    outcome = check(
        BY_NAME["understated_classification"],
        known(told("job b.b: a.a\nemail: a.a.email IDENTITY\n"), policy=policy_of(classes, waivers=waivers)),
    )

    assert len(outcome.findings) == 1
    assert outcome.unused == waivers[:2]
