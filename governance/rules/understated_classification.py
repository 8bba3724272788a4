"""Understated classification: a column declared less protected than its lineage proposes."""

from governance.classification import Understated, propose, understated
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule
from governance.suspects import suspects
from governance.toml_key import toml_column, toml_table

NAME = "understated_classification"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each column whose declared class is lower than proposed."""
    graph = suspects(known.graph, known.policy)
    return tuple(map(_finding, understated(propose(graph, known.policy, today=known.now.date()), known.policy)))


def _finding(found: Understated) -> Finding:
    proposal = found.proposal
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        table=found.field.dataset.name,
        column=found.field.name,
        message=f"declared {found.declared}, lineage proposes {proposal.classification}, {proposal.reason}",
        fix=f'set {toml_column(found.field.name)}.classification to "{proposal.classification}" under '
        f"{toml_table(found.field.dataset.name)} in governance/metadata.toml, or take the input out of the pipeline: "
        "classify by what a table holds",
        decided_by=proposal.reason.removeprefix("from "),
    )


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=True,
    description="No column is declared less protected than the strictest of its inputs, as lineage follows them.",
    find=find,
)
