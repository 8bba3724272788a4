"""Rules as Dagster asset checks: one step per asset, one check per rule.

Each finding stands in exactly one place: on the asset that builds its table, or else on the external asset
``governance/platform``. So a table that no asset owns, and a failed run of an asset that is gone, are still seen.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from dagster import (
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    AssetSpec,
    DagsterInstance,
    MetadataValue,
    multi_asset_check,
)

from governance.impact.facts import facts_of
from governance.report.asset import impact_page, proposal_page
from governance.report.findings import outcome_markdown
from governance.rules import (
    RULES,
    About,
    Known,
    Outcome,
    Outcomes,
    Rule,
    understated_classification,
    unregistered_consumer,
)
from governance.rules.finding import Severity
from governance.uncollected import uncollected
from governance_checks.steps import Alike

PLATFORM = AssetKey(["governance", "platform"])

SHOWN = 50
"""Findings in a check's table at most: its metadata is kept for every run, and read by people."""


@uncollected()
def build_checks(
    tables: Iterable[str], known: Callable[[DagsterInstance], Known], rules: Sequence[Rule] = RULES
) -> tuple[AssetChecksDefinition, ...]:
    """Return one check step for each table that an asset builds, and one for ``governance/platform``.

    A rule about the platform as a whole is a check of the latter alone.

    ``known`` is asked once a step, while the step runs: policy, events and catalog are read as they are then.
    """
    owned = frozenset(tables)
    platform = _platform_step(owned, known, rules)
    of_tables = [rule for rule in rules if rule.about is About.TABLE]
    alike = Alike(platform, (rule.name for rule in of_tables))
    keys = (AssetKey(table.split(".")) for table in sorted(owned))
    return (*(alike.step(key, _specs(key, of_tables)) for key in keys), platform)


def platform_asset() -> AssetSpec:
    """Return the external asset that carries the findings of no asset."""
    return AssetSpec(
        PLATFORM,
        group_name="governance",
        description="The platform as a whole. Its checks show the findings that belong to no asset: a table that "
        "nothing here builds, a run of an asset that is gone, a job that runs elsewhere and went silent.",
    )


def _platform_step(
    owned: frozenset[str], known: Callable[[DagsterInstance], Known], rules: Sequence[Rule]
) -> AssetChecksDefinition:
    """Return the step of ``governance/platform``; what it runs is what the step of any table runs."""
    by_name, outcomes = {rule.name: rule for rule in rules}, Outcomes()

    @multi_asset_check(name=PLATFORM.to_python_identifier("governance"), specs=_specs(PLATFORM, rules), can_subset=True)
    def governance(context: AssetCheckExecutionContext) -> Iterator[AssetCheckResult]:
        facts = known(context.instance)
        for key in sorted(context.selected_asset_check_keys, key=lambda key: key.name):
            outcome = outcomes.of(by_name[key.name], facts)
            yield _result(key.asset_key, outcome.where(_belongs(key.asset_key, owned)), facts)

    return governance


def _belongs(asset: AssetKey, owned: frozenset[str]) -> Callable[[str], bool]:
    """Return which tables' findings stand on ``asset``."""
    return (lambda table: table not in owned) if asset == PLATFORM else ".".join(asset.path).__eq__


def _specs(asset: AssetKey, rules: Iterable[Rule]) -> list[AssetCheckSpec]:
    return [
        AssetCheckSpec(rule.name, asset=asset, description=rule.description, blocking=rule.blocking) for rule in rules
    ]


def _shown(outcome: Outcome, table: str, known: Known) -> str:
    """Return the picture and table that explain the findings of the rules about classes and about consumers.

    Only where something was found: each hourly check keeps its metadata for good.
    """
    if outcome.passed or table not in known.pipelines:
        return ""
    if outcome.rule.name == understated_classification.NAME:
        return proposal_page(known.graph, known.policy, table, known.now.date()).whole
    if outcome.rule.name == unregistered_consumer.NAME:
        facts = facts_of(known.graph, known.policy, known.declarations, known.log)
        return impact_page(known.graph, known.policy, facts, table).whole
    return ""


def _result(asset: AssetKey, outcome: Outcome, known: Known) -> AssetCheckResult:
    shown = _shown(outcome, ".".join(asset.path), known)
    errors = any(finding.severity is Severity.ERROR for finding in outcome.findings)
    return AssetCheckResult(
        asset_key=asset,
        check_name=outcome.rule.name,
        passed=outcome.passed,
        # a rule that passed keeps its own severity, so that its colour in the history says what it would have been
        severity=AssetCheckSeverity.ERROR if errors else AssetCheckSeverity[outcome.rule.severity.value],
        description=_sentence(outcome),
        metadata={
            "findings": len(outcome.findings),
            "waived": len(outcome.waived),
            "what to do": MetadataValue.md(_table(outcome)),
            **({"lineage": MetadataValue.md(shown)} if shown else {}),
        },
    )


def _sentence(outcome: Outcome) -> str:
    if outcome.passed:
        return f"nothing found{f', {len(outcome.waived)} waived' if outcome.waived else ''}"
    first, more = outcome.findings[0], len(outcome.findings) - 1
    place = f"{first.table}.{first.column}" if first.column else first.table
    return f"{place}: {first.message}. What to do: {first.fix}{f' (and {more} more)' if more else ''}"


def _table(outcome: Outcome) -> str:
    more = len(outcome.findings) - SHOWN
    shown = outcome_markdown(replace(outcome, findings=outcome.findings[:SHOWN]))
    return f"{shown}\n\n{more} more are not shown here; `headwater check` shows all." if more > 0 else shown
