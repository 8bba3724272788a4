"""A misspelt name in a policy file is a finding, and what is right is none."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from governance.consumers.declared import EXPORTED, FILE, Declarations, Declared
from governance.errors import PipelineError
from governance.events.model import Event
from governance.graph import graph_of
from governance.policy import Declassified, ExternalJob, Policy, Waiver
from governance.rules import RULES, Known, check
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs

PolicyOf = Callable[..., Policy]
Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
(RULE,) = [rule for rule in RULES if rule.name == "unmatched_policy"]
COLUMNS = {
    "crm.learners": frozenset({"learner_id", "date_of_birth", "address", "address.city"}),
    "marketing.audience": frozenset({"learner_id", "email"}),
}


def found(policy: Policy, events: Iterable[Event] = (), **rest: Any) -> tuple[Finding, ...]:
    runs = read_runs(events)
    whole = {
        "policy": policy,
        "graph": graph_of(runs),
        "runs": {run.run_id: run for run in runs},
        "ended": (),
        "inventory": frozenset({"crm.learners"}),
        "sources": frozenset({"crm.learners"}),
        "pipelines": frozenset({"marketing.audience"}),
        "unreadable": {},
        "silenced": None,
        "now": datetime(2026, 10, 1, tzinfo=UTC),
        "columns": COLUMNS,
        "rules": frozenset(rule.name for rule in RULES),
    }
    return check(RULE, Known(**whole | rest)).findings


@pytest.mark.parametrize(
    ("name", "place", "fix"),
    [
        ("crm.learners.date_of_brith", ("crm.learners", "date_of_brith"), "columns.date_of_birth?"),
        ("crm.learners.Address.city", ("crm.learners", "Address.city"), 'columns."address.city"?'),
        ("marketing.audience.emial", ("marketing.audience", "emial"), "columns.email?"),
        ("marketing.audience.zzz", ("marketing.audience", "zzz"), "correct the name, or take it out"),
        ("crm.learners2.email", ("crm.learners2", None), '["crm.learners"]?'),
        ("a.b.c", ("a.b", None), "correct the name, or take it out"),
    ],
)
def test_a_declaration_of_what_there_is_not_is_red(
    policy_of: PolicyOf, name: str, place: tuple[str, str | None], fix: str
) -> None:
    (finding,) = found(policy_of({"crm.learners.learner_id": "internal", name: "personal"}))

    assert (finding.table, finding.column) == place
    assert finding.severity is Severity.ERROR
    assert (place[1] or place[0]) in finding.message
    assert fix in finding.fix
    assert finding.decided_by == "governance/metadata.toml"


def test_what_files_catalog_and_events_know_is_none(policy_of: PolicyOf, told: Told) -> None:
    names = (
        "crm.learners.address.city",
        "marketing.audience.email",
        "x.source.a",
        "x.source.z",
        "x.target.b",
        "x.bare.any",
    )
    events = told("job x.target: x.source x.bare\nb: x.source.a IDENTITY\n")

    assert found(policy_of(dict.fromkeys(names, "internal")), events) == ()


def test_a_table_whose_columns_are_not_known_yet_is_left_alone(policy_of: PolicyOf) -> None:
    policy = policy_of({"marketing.audience.next": "internal"})
    unreadable = {"marketing.audience": PipelineError("a.sql", 1, "x")}

    assert found(policy, unreadable=unreadable) == ()
    assert found(policy, columns={}) == ()
    assert len(found(policy)) == 1


def waiver(rule: str = "undeclared_metadata", table: str = "crm.learners", column: str | None = None) -> Waiver:
    return Waiver(rule, table, column, "under review", "dpo@example.com", date(2026, 12, 31))


@pytest.mark.parametrize(
    ("given", "says", "fix"),
    [
        (waiver(rule="undeclared_metdata"), "names a rule undeclared_metdata", 'rule = "undeclared_metadata"?'),
        (waiver(table="crm.lerners"), "names a table crm.lerners", 'table = "crm.learners"?'),
        (waiver(column="date_of_brith"), "names a column date_of_brith", 'column = "date_of_birth"?'),
    ],
)
def test_a_waiver_that_can_accept_nothing_is_red(policy_of: PolicyOf, given: Waiver, says: str, fix: str) -> None:
    (finding,) = found(policy_of({}, waivers=(given,)))

    assert finding.message.startswith("governance/waivers.toml: the waiver of dpo@example.com until 2026-12-31 ")
    assert says in finding.message
    assert fix in finding.fix
    assert finding.table == given.table


def test_a_waiver_may_be_of_a_table_a_column_a_job_and_the_whole_platform(policy_of: PolicyOf) -> None:
    names = ("crm.learners", "marketing.audience", "crm.export", "iceberg://platform")
    waivers = (*(waiver(table=name) for name in names), waiver(column="address.city"))
    jobs = (ExternalJob("airflow", "crm.export", timedelta(days=1)),)

    assert found(policy_of({}, waivers=waivers, external_jobs=jobs)) == ()


EDGE = "job marketing.audience: crm.learners\nemail: crm.learners.address IDENTITY\n*: crm.learners.learner_id FILTER\n"


def declassified(source: str, target: str, until: date = date(2026, 12, 31)) -> Declassified:
    return Declassified(source, target, "internal", "hashed", "dpo@example.com", until)


@pytest.mark.parametrize("target", ["marketing.audience.email", "marketing.audience"])
def test_a_declassification_of_an_edge_is_none(policy_of: PolicyOf, told: Told, target: str) -> None:
    source = "crm.learners.address" if target.endswith("email") else "crm.learners.learner_id"

    assert found(policy_of({}, declassified=(declassified(source, target),)), told(EDGE)) == ()


@pytest.mark.parametrize(
    ("source", "target", "said", "fix"),
    [
        ("crm.learners.adress", "marketing.audience.email", "a column adress", 'from = "crm.learners.address"'),
        ("crm.lerners.address", "marketing.audience.email", "a table crm.lerners", 'from = "crm.learners.…"'),
        ("crm.learners.address", "marketing.audience.emial", "a column emial", 'to = "marketing.audience.email"'),
        ("crm.learners.learner_id", "marketing.audience.email", "no standing run has", "correct from and to"),
    ],
)
def test_a_declassification_that_holds_for_nothing_is_a_warning(
    policy_of: PolicyOf, told: Told, *, source: str, target: str, said: str, fix: str
) -> None:
    (finding,) = found(policy_of({}, declassified=(declassified(source, target),)), told(EDGE))

    assert finding.severity is Severity.WARN
    assert finding.table == "marketing.audience"
    assert said in finding.message
    assert fix in finding.fix


def test_what_is_past_its_day_is_a_warning(policy_of: PolicyOf, told: Told) -> None:
    over = date(2026, 9, 30)
    edge = declassified("crm.learners.address", "marketing.audience.email", over)
    waiver = Waiver("missing_run", "crm.learners", None, "reason", "dpo@example.com", over)

    findings = found(policy_of({}, declassified=(edge,), waivers=(waiver,)), told(EDGE))

    assert {it.severity for it in findings} == {Severity.WARN}
    assert sorted(it.message.partition(": ")[2] for it in findings) == [
        "the declassification of dpo@example.com ended on 2026-09-30, so it holds for nothing any more",
        "the waiver of dpo@example.com ended on 2026-09-30, so it holds for nothing any more",
    ]


@pytest.mark.parametrize(
    ("name", "said", "fix"),
    [
        ("crm.lerners", "a table crm.lerners that nothing knows", '"crm.learners"?'),
        ("crm.lerners.email", "a table crm.lerners that nothing knows", '"crm.learners.…"?'),
        ("crm.learners.date_of_brith", "a column date_of_brith that crm.learners has", '"crm.learners.date_of_birth"?'),
    ],
)
@pytest.mark.parametrize("source", ["declared", EXPORTED])
def test_a_consumer_of_what_there_is_not_is_found(
    policy_of: PolicyOf, name: str, said: str, fix: str, source: str
) -> None:
    reads = ("crm.learners", "marketing.audience.email", name)
    declared = Declarations((Declared("Board", "dashboard", reads, source=source),))

    (finding,) = found(policy_of({}), declarations=declared)

    severity = Severity.WARN if source == EXPORTED else Severity.ERROR
    assert (finding.severity, finding.table, finding.decided_by) == (severity, ".".join(name.split(".")[:2]), FILE)
    assert f"Board reads {said}" in finding.message
    assert fix in finding.fix


@pytest.mark.parametrize(("value", "count"), [("topsecret", 1), ("INTERNAL", 0), ("none", 0)])
def test_a_tag_that_names_no_class_is_warned_of(policy_of: PolicyOf, event: Say, value: str, count: int) -> None:
    tags = {"tags": {"tags": [{"key": "Classification", "value": value, "source": "DBT", "field": "email"}]}}
    events = [event("COMPLETE", "marketing.audience", writes=[{"name": "marketing.audience", "facets": tags}])]

    findings = found(policy_of({}), events)

    assert [(it.severity, it.table) for it in findings] == [(Severity.WARN, "marketing.audience")] * count
    assert all(f"Classification={value}, which is no class here" in it.message for it in findings)


def test_a_quarantine_may_be_declared_before_a_row_is_in_it(policy_of: PolicyOf) -> None:
    assert not found(policy_of({"quarantine.marketing_audience.row": "personal"}))
    (finding,) = found(policy_of({"quarantine.marketing_audiences.row": "personal"}))
    assert finding.fix.startswith('did you mean ["quarantine.marketing_audience"]?')
