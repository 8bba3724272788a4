"""The rules: one file each, all of them listed here, and nowhere else."""

from governance.rules import (
    missing_run,
    unaccounted_table,
    undeclared_metadata,
    understated_classification,
    unreadable_lineage,
)
from governance.rules.known import EndedAttempt, Known
from governance.rules.rule import Outcome, Rule, Waived, check

RULES: tuple[Rule, ...] = (
    missing_run.RULE,
    unaccounted_table.RULE,
    understated_classification.RULE,
    undeclared_metadata.RULE,
    unreadable_lineage.RULE,
)

__all__ = ["RULES", "EndedAttempt", "Known", "Outcome", "Rule", "Waived", "check"]
