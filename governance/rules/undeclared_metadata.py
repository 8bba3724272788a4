"""Undeclared metadata: an output without owner, or with columns that nobody classified."""

from collections.abc import Iterator

from governance.classification import Proposal, declared, propose
from governance.dataset import Dataset, Field
from governance.policy import TablePolicy
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule

NAME = "undeclared_metadata"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each output without owner and for each of its columns without class, with its proposal."""
    return (*_without_owner(known), *_without_class(known))


def _without_owner(known: Known) -> Iterator[Finding]:
    sent = {write.dataset for write in known.graph.writes if write.owners}
    for dataset in _outputs(known):
        if dataset not in sent and not known.policy.tables.get(dataset.name, TablePolicy()).owner:
            yield Finding(
                rule=NAME,
                severity=Severity.WARN,
                table=dataset.name,
                column=None,
                message="no owner is declared, so nobody gets a change notice",
                fix=f'write owner = "team:…" under ["{dataset}"] in governance/metadata.toml',
            )


def _without_class(known: Known) -> Iterator[Finding]:
    outputs = frozenset(_outputs(known))
    for field, proposal in propose(known.graph, known.policy, today=known.now.date()).items():
        if field.dataset in outputs and declared(known.policy, field) is None:
            yield _unclassified(field, proposal)


def _outputs(known: Known) -> list[Dataset]:
    """Return the tables that jobs wrote and the catalog still has: one that is gone needs no owner."""
    own = (it for it in known.graph.written if it.namespace == known.policy.lineage.namespace)
    return sorted(it for it in own if it.name in known.inventory)


def _unclassified(field: Field, proposal: Proposal) -> Finding:
    where = f'under ["{field.dataset}"] in governance/metadata.toml'
    said = f'columns.{field.name} = {{ classification = "{proposal.classification}" }}'
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=field.dataset.name,
        column=field.name,
        message=f"no classification is declared, {_proposed(proposal)}",
        fix=f"review the proposal, then write {said} {where}"
        if proposal.classification
        else f"classify its inputs first, or write columns.{field.name} {where}",
        decided_by=proposal.reason.removeprefix("from "),
    )


def _proposed(proposal: Proposal) -> str:
    if proposal.classification is None:
        return "and lineage proposes none: no input that it tells of is classified"
    return f"lineage proposes {proposal.classification}, {proposal.reason or 'from no column'}"


RULE = Rule(
    name=NAME,
    severity=Severity.WARN,
    blocking=False,
    description="Every table that a job writes has an owner, and every column of it a classification.",
    find=find,
)
