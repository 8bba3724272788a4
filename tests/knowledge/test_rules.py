"""What each rule finds, says and lets pass."""

import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from governance.errors import UnknownColumn
from governance.events.model import Event
from governance.events.run import Attempt
from governance.graph import graph_of
from governance.policy import ExternalJob, Policy, Waiver
from governance.rules import RULES, EndedAttempt, Known, Rule, check
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
PolicyOf = Callable[..., Policy]
Tell = Callable[..., Known]

NIGHT = datetime(2026, 10, 1, 2, tzinfo=UTC)
MORNING = NIGHT + timedelta(hours=6)
BY_NAME = {rule.name: rule for rule in RULES}


@pytest.fixture
def known(policy_of: PolicyOf) -> Tell:
    def make(events: Iterable[Event] = (), classes: dict[str, str] | None = None, **rest: Any) -> Known:
        runs = read_runs(events)
        whole = {
            "policy": policy_of(classes or {}),
            "graph": graph_of(runs),
            "runs": {run.run_id: run for run in runs},
            "ended": (),
            "inventory": frozenset(),
            "sources": frozenset(),
            "pipelines": frozenset(),
            "unreadable": {},
            "silenced": None,
            "now": MORNING,
        }
        return Known(**whole | rest)

    return make


def ended(status: str = "SUCCESS", number: int = 0) -> EndedAttempt:
    return EndedAttempt(Attempt("b.b", NIGHT, "0123456789ab", number), "b.b", status)


def found(name: str, known: Known) -> tuple[Finding, ...]:
    return check(BY_NAME[name], known).findings


def test_the_rules_are_registered_and_only_understatement_blocks() -> None:
    assert [(rule.name, rule.severity.value, rule.blocking) for rule in RULES] == [
        ("missing_run", "ERROR", False),
        ("unaccounted_table", "ERROR", False),
        ("understated_classification", "ERROR", True),
        ("undeclared_metadata", "WARN", False),
        ("unreadable_lineage", "ERROR", False),
        ("unmatched_policy", "ERROR", False),
        ("stale_lineage", "WARN", False),
        ("dangling_run", "WARN", False),
        ("coverage_below_threshold", "ERROR", False),
        ("unregistered_consumer", "WARN", False),
    ]


@pytest.mark.parametrize(
    ("status", "mended_by"),
    [("SUCCESS", "repair"), ("FAILURE", "end_failed_runs"), ("CANCELED", "end_terminated_runs")],
)
def test_an_ended_attempt_without_any_event_is_missing(known: Tell, status: str, mended_by: str) -> None:
    (finding,) = found("missing_run", known(ended=(ended(status),)))

    assert (finding.table, finding.column, finding.severity) == ("b.b", None, Severity.ERROR)
    assert finding.message == f"attempt 0 of Dagster run 01234567 ended in {status}, and the store holds no event of it"
    assert finding.decided_by == f"run {ended().attempt.run_id}"
    assert mended_by in finding.fix
    assert finding.fix.startswith("run `headwater events repair`: ")


def test_the_reason_for_the_silence_is_named(known: Tell) -> None:
    (finding,) = found("missing_run", known(ended=(ended(),), silenced="OPENLINEAGE_DISABLED=true in the environment"))

    assert finding.message.endswith("no event of it: OPENLINEAGE_DISABLED=true in the environment")
    assert finding.fix.startswith("remove the cause (OPENLINEAGE_DISABLED=true in the environment), then run")


def test_a_run_whose_end_arrived_was_not_silenced(known: Tell, event: Say) -> None:
    events = [event("FAIL", "b.b", run=ended().attempt.run_id)]

    (finding,) = found("missing_run", known(events, ended=(ended(),), silenced="OPENLINEAGE_DISABLED=true"))

    assert "OPENLINEAGE_DISABLED" not in finding.message + finding.fix


@pytest.mark.parametrize(
    ("status", "states", "says"),
    [
        ("SUCCESS", ["START", "COMPLETE"], None),
        ("SUCCESS", ["START"], "the store holds its START of 2026-10-01 02:00 UTC and no end"),
        ("SUCCESS", ["START", "FAIL"], "the store holds FAIL as its end, not COMPLETE"),
        ("FAILURE", ["START", "FAIL"], None),
        ("FAILURE", ["START", "COMPLETE"], None),
        ("CANCELED", ["START", "ABORT"], None),
        ("CANCELED", ["START", "RUNNING"], "the store holds its RUNNING of 2026-10-01 02:00 UTC and no end"),
    ],
)
def test_every_end_has_its_terminal_event_and_every_success_its_complete(
    known: Tell, event: Say, status: str, states: list[str], says: str | None
) -> None:
    events = [event(state, "b.b", run=ended().attempt.run_id) for state in states]

    messages = [finding.message for finding in found("missing_run", known(events, ended=(ended(status),)))]

    assert [message.partition(", and ")[2] for message in messages] == ([says] if says else [])


def test_a_retry_is_a_run_of_its_own(known: Tell, event: Say) -> None:
    events = [event("COMPLETE", "b.b", run=ended(number=1).attempt.run_id)]

    (finding,) = found("missing_run", known(events, ended=(ended("FAILURE"), ended("SUCCESS", number=1))))

    assert "attempt 0 " in finding.message


def test_a_job_that_runs_elsewhere_is_missed_when_silent(known: Tell, policy_of: PolicyOf) -> None:
    job = ExternalJob("airflow", "crm.export", timedelta(days=1), owner="team:crm")
    policy = policy_of({}, external_jobs=(job,))
    (silent,) = found("missing_run", known(policy=policy))

    assert silent.message == (
        "job crm.export runs elsewhere, at least every 1 day, and the store has no COMPLETE of it"
    )
    assert "team:crm" in silent.fix


@pytest.mark.parametrize(("at", "count"), [("2026-09-29T02:00:00Z", 1), ("2026-09-30T09:00:00Z", 0)])
def test_its_cadence_is_counted_from_its_last_complete(
    known: Tell, event: Say, policy_of: PolicyOf, at: str, count: int
) -> None:
    policy = policy_of({}, external_jobs=(ExternalJob("headwater", "crm.export", timedelta(days=1)),))

    messages = [
        it.message for it in found("missing_run", known([event("COMPLETE", "crm.export", at=at)], policy=policy))
    ]

    assert len(messages) == count
    assert all("its last COMPLETE is of 2026-09-29 02:00 UTC, 2 days 6 hours ago" in it for it in messages)


def test_a_table_written_behind_lineage_is_unaccounted(known: Tell, told: Told) -> None:
    events = told("job b.b: a.a\nx: a.a.x IDENTITY\n")

    (finding,) = found(
        "unaccounted_table", known(events, inventory=frozenset({"a.a", "b.b", "x.copy"}), sources=frozenset({"a.a"}))
    )

    assert finding.table == "x.copy"
    assert finding.message == (
        "the catalog has it, and no job's lineage accounts for it: no event names it as an output"
    )
    assert "find the job that writes it" in finding.fix


def test_table_lineage_accounts_for_a_table_and_a_bare_output_does_not(known: Tell, event: Say) -> None:
    events = [event("COMPLETE", "one", reads=["a.a"], writes=["b.b"]), event("COMPLETE", "two", writes=["b.c"])]

    (finding,) = found("unaccounted_table", known(events, inventory=frozenset({"b.b", "b.c"})))

    assert finding.table == "b.c"
    assert "job two wrote it and told neither inputs nor column lineage (run run of two)" in finding.message


def test_a_table_whose_run_failed_is_unaccounted_and_says_so(known: Tell, event: Say) -> None:
    events = [event("START", writes=["b.b"]), event("FAIL", at="2026-10-01T03:00:00Z")]

    (finding,) = found("unaccounted_table", known(events, inventory=frozenset({"b.b"}), pipelines=frozenset({"b.b"})))

    assert "job j names it as output, and its last run is FAIL, not COMPLETE" in finding.message
    assert finding.fix == "materialize it, so that its run sends lineage"


def test_a_table_named_in_another_namespace_is_unaccounted_and_says_so(known: Tell, event: Say) -> None:
    events = [event("COMPLETE", reads=["a.a"], writes=[{"namespace": "s3://lake", "name": "b.b"}])]

    (finding,) = found("unaccounted_table", known(events, inventory=frozenset({"b.b"})))

    assert "only in namespace s3://lake, not in iceberg://platform" in finding.message


def test_a_copy_declared_internal_is_understated(known: Tell, told: Told) -> None:
    events = told("job b.b: a.a\nemail: a.a.email IDENTITY\n")

    (finding,) = found("understated_classification", known(events, {"a.a.email": "personal", "b.b.email": "internal"}))

    assert (finding.table, finding.column) == ("b.b", "email")
    assert finding.message == "declared internal, lineage proposes personal, from a.a.email (DIRECT IDENTITY)"
    assert 'set columns.email.classification to "personal" under ["b.b"] in governance/metadata.toml' in finding.fix
    assert finding.decided_by == "a.a.email (DIRECT IDENTITY)"


def test_outputs_without_owner_and_class_are_warned_of_with_the_proposal(known: Tell, told: Told) -> None:
    events = told("job b.b: a.a\nemail: a.a.email IDENTITY\nn:\nz: a.a.z IDENTITY\n")

    owner, email, n, z = found(
        "undeclared_metadata", known(events, {"a.a.email": "personal"}, inventory=frozenset({"b.b"}))
    )

    assert {it.severity for it in (owner, email, n, z)} == {Severity.WARN}
    assert (owner.column, owner.message) == (None, "no owner is declared, so nobody gets a change notice")
    assert email.message == (
        "no classification is declared, lineage proposes personal, from a.a.email (DIRECT IDENTITY)"
    )
    assert 'columns.email = { classification = "personal" } under ["b.b"]' in email.fix
    assert n.message == "no classification is declared, lineage proposes public, from no column"
    assert "lineage proposes none" in z.message


def test_a_declared_table_an_owner_sent_by_the_job_and_a_dropped_table_are_no_finding(
    known: Tell, told: Told, event: Say, policy_of: PolicyOf
) -> None:
    events = told("job b.b: a.a\nx: a.a.x IDENTITY\n")
    declared = policy_of({"a.a.x": "public", "b.b.x": "public"}, owners={"b.b": "team:b"})
    owned = {"name": "c.c", "facets": {"ownership": {"owners": [{"name": "team:c"}]}}}

    events += (event("COMPLETE", writes=[owned]), event("COMPLETE", "gone", writes=["d.dropped"]))
    assert found("undeclared_metadata", known(events, policy=declared, inventory=frozenset({"b.b", "c.c"}))) == ()


def test_a_pipeline_that_cannot_be_read_is_red(known: Tell) -> None:
    error = UnknownColumn(
        "crm.learners has no column emial", fix="did you mean email?", pipeline="m/audience.sql", line=3, column=8
    )

    (finding,) = found("unreadable_lineage", known(unreadable={"marketing.audience": error}))

    assert finding.table == "marketing.audience"
    assert finding.message == "its lineage cannot be read, so it does not run: crm.learners has no column emial"
    assert (finding.fix, finding.decided_by) == ("did you mean email?", "m/audience.sql:3:8")


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


def test_a_source_column_without_class_is_warned_of_where_it_holds_a_value(known: Tell) -> None:
    columns = frozenset({"id", "email", "address", "address.city", "address.zip", "tags", "tags.element"})
    classes = {"a.a.id": "internal", "a.a.address.city": "personal", "a.a.tags": "public"}

    findings = found(
        "undeclared_metadata", known((), classes, sources=frozenset({"a.a"}), columns={"a.a": columns, "b.b": columns})
    )

    assert [(it.table, it.column, it.severity) for it in findings] == [
        ("a.a", "address", Severity.WARN),
        ("a.a", "email", Severity.WARN),
    ]
    assert "may be proposed too low" in findings[0].message


ODD = 'a "b" c'


def test_a_fix_for_an_odd_name_is_toml(known: Tell, event: Say, output: Callable[..., dict[str, Any]]) -> None:
    events = [event("COMPLETE", reads=["a.a"], writes=[output("b.b", f"{ODD}: a.a.x IDENTITY")])]

    _, column = found("undeclared_metadata", known(events, {"a.a.x": "personal"}, inventory=frozenset({"b.b"})))

    line, _, head = column.fix.removeprefix("review the proposal, then write ").partition(" under ")
    text = f"{head.removesuffix(' in governance/metadata.toml')}\n{line}"
    assert tomllib.loads(text) == {"b.b": {"columns": {ODD: {"classification": "personal"}}}}


def broken(_: Known) -> tuple[Finding, ...]:
    raise KeyError("x.y")


def test_a_rule_that_fails_says_so_on_every_table_and_passes_none(known: Tell) -> None:
    outcome = check(
        Rule("broken", Severity.WARN, blocking=True, description="A rule with a fault.", find=broken), known()
    )

    (finding,) = outcome.findings
    assert finding.severity is Severity.ERROR
    assert finding.message == "the rule broken itself failed, so nothing was looked at: KeyError: 'x.y'"
    assert finding.decided_by.startswith("test_rules.py:")
    assert finding.fix
    assert outcome.where(lambda table: table == "b.b").findings == (finding,)


def test_an_outcome_can_be_cut_to_some_tables(known: Tell) -> None:
    outcome = check(BY_NAME["unaccounted_table"], known(inventory=frozenset({"b.b", "b.c"})))

    assert [it.table for it in outcome.where(lambda table: table == "b.c").findings] == ["b.c"]


def test_a_platform_without_faults_passes_every_rule(
    known: Tell, file_events: Told, platform_classes: dict[str, str], policy_of: PolicyOf
) -> None:
    events = file_events("platform")
    graph = graph_of(read_runs(events))
    outputs = {str(field): "internal" for write in graph.writes for field in graph.fields[write.dataset]}
    personal = {"marketing.audience.full_name", "marketing.audience.email", "ai.review_corpus.body"}
    policy = policy_of(
        platform_classes | outputs | dict.fromkeys(personal, "personal"),
        owners={write.dataset.name: "team:x" for write in graph.writes},
    )
    tables = frozenset(str(it) for it in graph.fields)
    outputs_only = frozenset(str(it) for it in graph.written)
    facts = known(events, policy=policy, inventory=tables, sources=tables - outputs_only, pipelines=outputs_only)

    assert [outcome.findings for outcome in (check(rule, facts) for rule in RULES)] == [()] * len(RULES)
