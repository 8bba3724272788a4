"""The rules there are; what those about tables, classes, owners and pipelines find, say and let pass."""

import tomllib
from collections.abc import Callable
from typing import Any

from governance.errors import UnknownColumn
from governance.graph import graph_of
from governance.rules import RULES, Known, Rule, check
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs
from tests.knowledge.findings import BY_NAME, PolicyOf, Say, Tell, Told, found


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
