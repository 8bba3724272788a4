"""The rules: one file each, all of them listed here, and nowhere else."""

from governance.rules import (
    coverage_below_threshold,
    dangling_run,
    missing_run,
    stale_lineage,
    unaccounted_table,
    undeclared_metadata,
    understated_classification,
    unmatched_policy,
    unreadable_lineage,
    unregistered_consumer,
)
from governance.rules.known import EndedAttempt, Head, Known
from governance.rules.rule import About, Outcome, Outcomes, Rule, Waived, check

RULES: tuple[Rule, ...] = (
    missing_run.RULE,
    unaccounted_table.RULE,
    understated_classification.RULE,
    undeclared_metadata.RULE,
    unreadable_lineage.RULE,
    unmatched_policy.RULE,
    stale_lineage.RULE,
    dangling_run.RULE,
    coverage_below_threshold.RULE,
    unregistered_consumer.RULE,
)

__all__ = ["RULES", "About", "EndedAttempt", "Head", "Known", "Outcome", "Outcomes", "Rule", "Waived", "check"]
