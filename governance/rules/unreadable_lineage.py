"""Unreadable lineage: a pipeline whose file or SQL cannot be read, so that it cannot run."""

from governance.errors import HeadwaterError
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule

NAME = "unreadable_lineage"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each pipeline that cannot be read."""
    return tuple(_finding(table, known.unreadable[table]) for table in sorted(known.unreadable))


def _finding(table: str, error: HeadwaterError) -> Finding:
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        table=table,
        column=None,
        message=f"its lineage cannot be read, so it does not run: {error.problem}",
        fix=error.fix or "correct the pipeline's SQL",
        decided_by=error.where(),
    )


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=False,
    description="The lineage of every pipeline can be read from its SQL before it runs.",
    find=find,
)
