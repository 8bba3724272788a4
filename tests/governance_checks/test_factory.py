"""Rules as asset checks: where findings show, what blocks, and what a check says when its asset failed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from dagster import (
    AssetCheckKey,
    AssetCheckSeverity,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSelection,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    asset,
    define_asset_job,
    materialize,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.errors import PolicyError
from governance.graph import Graph
from governance.policy import LineagePolicy, Policy, Waiver
from governance.rules import RULES, About, Known, Rule
from governance.rules.finding import Finding, Severity
from governance_checks.factory import PLATFORM, build_checks, platform_asset

NOW = datetime(2026, 10, 24, 2, tzinfo=UTC)
# the checks of an external asset are only in a job that names them: selecting the asset does not
EVERYTHING = AssetSelection.all() | AssetSelection.all_asset_checks()
LINEAGE = LineagePolicy(("public", "personal"), frozenset({"DIRECT"}), frozenset(), "iceberg://platform", "headwater")
NOTHING = Known(
    policy=Policy({}, LINEAGE),
    graph=Graph((), (), (), {}),
    runs={},
    ended=(),
    inventory=frozenset(),
    sources=frozenset(),
    pipelines=frozenset(),
    unreadable={},
    silenced=None,
    now=NOW,
)


def says_nothing(_: DagsterInstance) -> Known:
    return NOTHING


def rule(name: str, *tables: str, severity: Severity = Severity.ERROR, blocking: bool = False) -> Rule:
    found = tuple(Finding(name, severity, table, "email", f"{name} is wrong", "mend it") for table in tables)
    return Rule(name, severity, blocking, f"{name} is asked", lambda _: found)


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    with DagsterInstance.ephemeral() as fresh:
        yield fresh


@asset(key=["shop", "first"])
def first() -> None: ...


@asset(key=["shop", "second"], deps=[first])
def second() -> None: ...


def run(
    instance: DagsterInstance,
    rules: Sequence[Rule],
    assets: Sequence[AssetsDefinition] = (first, second),
    known: Callable[[DagsterInstance], Known] = says_nothing,
) -> ExecuteInProcessResult:
    checks = build_checks(["shop.first", "shop.second"], known, rules)
    everything = [*assets, platform_asset(), *checks]
    return materialize(everything, instance=instance, raise_on_error=False, selection=EVERYTHING)


def built(result: ExecuteInProcessResult) -> set[str]:
    return {event.asset_key.path[-1] for event in result.get_asset_materialization_events() if event.asset_key}


def red(result: ExecuteInProcessResult) -> set[tuple[str, str, str]]:
    return {
        (it.asset_key.path[-1], it.check_name, it.severity.value)
        for it in result.get_asset_check_evaluations()
        if not it.passed
    }


def test_every_rule_is_a_check_of_what_it_is_about() -> None:
    checks = build_checks(["shop.first", "shop.second"], says_nothing)
    keys = {key for step in checks for key in step.check_keys}
    tables = [AssetKey(["shop", "first"]), AssetKey(["shop", "second"])]
    of_tables = {AssetCheckKey(table, one.name) for table in tables for one in RULES if one.about is About.TABLE}
    assert keys == of_tables | {AssetCheckKey(PLATFORM, one.name) for one in RULES}
    assert len(checks) == len(tables) + 1


def test_only_the_blocking_rule_blocks() -> None:
    (step, _) = build_checks(["shop.first"], says_nothing)
    assert {spec.name for spec in step.check_specs if spec.blocking} == {"understated_classification"}


def test_with_nothing_known_all_is_green(instance: DagsterInstance) -> None:
    result = run(instance, RULES)
    assert result.success
    assert built(result) == {"first", "second"}
    assert red(result) == set()


def test_n12_a_blocking_error_stops_what_is_downstream(instance: DagsterInstance) -> None:
    result = run(instance, [rule("understated", "shop.first", blocking=True)])
    assert not result.success
    assert built(result) == {"first"}
    assert red(result) == {("first", "understated", "ERROR")}


def test_n12_a_warning_and_an_error_that_does_not_block_let_it_run(instance: DagsterInstance) -> None:
    result = run(instance, [rule("undeclared", "shop.first", severity=Severity.WARN), rule("missing", "shop.first")])
    assert result.success
    assert built(result) == {"first", "second"}
    assert red(result) == {("first", "undeclared", "WARN"), ("first", "missing", "ERROR")}


def test_a_finding_on_one_table_leaves_the_others_alone(instance: DagsterInstance) -> None:
    result = run(instance, [rule("understated", "shop.second", blocking=True)])
    assert built(result) == {"first", "second"}
    assert red(result) == {("second", "understated", "ERROR")}


def test_n12_a_check_of_an_asset_that_failed_is_not_its_old_green(instance: DagsterInstance) -> None:
    @asset(key=["shop", "first"])
    def broken() -> None:
        raise ValueError("no")

    green = [rule("understated", blocking=True)]
    assert run(instance, green).success
    result = run(instance, green, (broken, second))
    assert built(result) == set()
    evaluated = {evaluation.asset_key for evaluation in result.get_asset_check_evaluations()}
    assert AssetKey(["shop", "first"]) not in evaluated
    key = AssetCheckKey(AssetKey(["shop", "first"]), "understated")
    (last,) = instance.event_log_storage.get_asset_check_execution_history(key, limit=1)
    assert (last.run_id, last.status.value) == (result.run_id, "PLANNED")  # never evaluated: the UI says "not executed"


def test_where_the_facts_cannot_be_had_nothing_downstream_runs(instance: DagsterInstance) -> None:
    def unreadable(_: DagsterInstance) -> Known:
        raise PolicyError("metadata.toml", "crm.learners", "no such class")

    result = run(instance, RULES, known=unreadable)
    assert not result.success
    assert built(result) == {"first"}


def test_a_table_that_no_asset_builds_is_red_on_the_platform(instance: DagsterInstance) -> None:
    result = run(instance, [rule("unaccounted", "shop.copy")])
    assert red(result) == {("platform", "unaccounted", "ERROR")}


@settings(max_examples=12, deadline=None)
@given(st.sets(st.sampled_from(["shop.first", "shop.second", "shop.copy", "x", "a.b.c", "shop.first.extra"])))
def test_every_finding_stands_in_exactly_one_place(tables: set[str]) -> None:
    checks = build_checks(["shop.first", "shop.second"], says_nothing, [rule("one", *sorted(tables))])
    with DagsterInstance.ephemeral() as fresh:
        everything = [first, second, platform_asset(), *checks]
        result = materialize(everything, instance=fresh, raise_on_error=False, selection=EVERYTHING)
    counts = [it.metadata["findings"].value for it in result.get_asset_check_evaluations()]
    assert sum(int(str(count)) for count in counts) == len(tables)


def test_n13_a_job_over_an_external_asset_runs_its_check_once(instance: DagsterInstance) -> None:
    checks = build_checks(["shop.first"], says_nothing, [rule("unaccounted", "shop.copy")])
    downstream = define_asset_job(
        "n13", AssetSelection.assets(["shop", "first"]) | AssetSelection.checks_for_assets(PLATFORM)
    )
    defs = Definitions(assets=[first, platform_asset()], asset_checks=checks, jobs=[downstream])
    result = defs.resolve_job_def("n13").execute_in_process(instance=instance, raise_on_error=False)
    on_platform = [it for it in result.get_asset_check_evaluations() if it.asset_key == PLATFORM]
    assert [(it.check_name, it.passed) for it in on_platform] == [("unaccounted", False)]
    assert built(result) == {"first"}


def test_the_governance_selection_builds_nothing(instance: DagsterInstance) -> None:
    checks = build_checks(["shop.first"], says_nothing)
    job = define_asset_job("all_checks", AssetSelection.all_asset_checks())
    defs = Definitions(assets=[first, platform_asset()], asset_checks=checks, jobs=[job])
    result = defs.resolve_job_def("all_checks").execute_in_process(instance=instance)
    assert built(result) == set()
    of_tables = sum(rule.about is About.TABLE for rule in RULES)
    assert len(result.get_asset_check_evaluations()) == of_tables + len(RULES)
    assert of_tables < len(RULES)


def test_one_check_can_be_run_alone(instance: DagsterInstance) -> None:
    checks = build_checks(["shop.first"], says_nothing)
    key = AssetCheckKey(AssetKey(["shop", "first"]), "missing_run")
    job = define_asset_job("one", AssetSelection.checks(key))
    defs = Definitions(assets=[first, platform_asset()], asset_checks=checks, jobs=[job])
    result = defs.resolve_job_def("one").execute_in_process(instance=instance)
    assert [it.check_name for it in result.get_asset_check_evaluations()] == ["missing_run"]


def test_the_result_says_what_is_wrong_and_what_to_do(instance: DagsterInstance) -> None:
    result = run(instance, [rule("understated", "shop.first")])
    (it,) = [one for one in result.get_asset_check_evaluations() if not one.passed]
    assert it.description == "shop.first.email: understated is wrong. What to do: mend it"
    assert it.severity is AssetCheckSeverity.ERROR
    table = str(it.metadata["what to do"].value)
    assert "understated is wrong" in table
    assert "mend it" in table


def test_a_long_list_is_cut_and_says_so(instance: DagsterInstance) -> None:
    result = run(instance, [rule("understated", *["shop.first"] * 60)])
    (it,) = [one for one in result.get_asset_check_evaluations() if not one.passed]
    table = str(it.metadata["what to do"].value)
    assert table.count("understated is wrong") == 50
    assert "10 more are not shown here" in table


def test_a_waived_finding_is_green_and_still_listed(instance: DagsterInstance) -> None:
    waiver = Waiver("understated", "shop.first", "email", "agreed with legal", "ada@example.com", date(2026, 12, 31))
    facts = replace(NOTHING, policy=Policy({}, LINEAGE, waivers=(waiver,)))
    result = run(instance, [rule("understated", "shop.first")], known=lambda _: facts)
    assert red(result) == set()
    (it,) = [one for one in result.get_asset_check_evaluations() if one.asset_key.path[-1] == "first"]
    assert it.description == "nothing found, 1 waived"
    assert "agreed with legal" in str(it.metadata["what to do"].value)


@pytest.mark.parametrize(
    "name", ["shop.a|b", "shop.<img src=x onerror=alert(1)>", "shop.[click](javascript:x)", "shop.`x`"]
)
def test_a_hostile_name_stays_text(instance: DagsterInstance, name: str) -> None:
    result = run(instance, [rule("unaccounted", name)])
    (it,) = [one for one in result.get_asset_check_evaluations() if not one.passed]
    row = str(it.metadata["what to do"].value).splitlines()[2]
    assert "<" not in row
    assert "[click](" not in row
    assert row.replace("\\|", "").count("|") == 7  # a table of six columns


def test_the_check_sees_the_run_it_stands_in(instance: DagsterInstance) -> None:
    asked: list[str] = []

    def known(given: DagsterInstance) -> Known:
        asked.extend(record.dagster_run.run_id for record in given.get_run_records())
        return NOTHING

    @asset(key=["shop", "first"])
    def looks(context: AssetExecutionContext) -> None:
        assert context.instance is not None

    result = run(instance, RULES, (looks, second), known)
    assert set(asked) == {result.run_id}
