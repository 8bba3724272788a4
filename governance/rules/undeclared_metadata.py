"""Undeclared metadata: an output without owner, or an output or source with columns that nobody classified."""

from collections.abc import Iterator

from governance.classification import Proposal, declared, propose
from governance.dataset import Dataset, Field
from governance.policy import TablePolicy
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule
from governance.toml_key import toml_column, toml_table

NAME = "undeclared_metadata"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each output without owner and for each column without class, an output's with its proposal.

    A source's class is what all proposals begin with, so its columns are asked for too.
    """
    return (*_without_owner(known), *_without_class(known), *_sources_without_class(known))


def _without_owner(known: Known) -> Iterator[Finding]:
    sent = {write.dataset for write in known.graph.writes if write.owners}
    for dataset in _outputs(known):
        # rows that a pipeline rejected are its owner's
        names = (dataset.name, known.quarantines.get(dataset.name, dataset.name))
        declared_owner = any(known.policy.tables.get(name, TablePolicy()).owner for name in names)
        if sent.isdisjoint(map(known.policy.lineage.dataset, names)) and not declared_owner:
            yield Finding(
                rule=NAME,
                severity=Severity.WARN,
                table=dataset.name,
                column=None,
                message="no owner is declared, so nobody gets a change notice",
                fix=f'write owner = "team:…" {_place(dataset.name)}',
            )


def _without_class(known: Known) -> Iterator[Finding]:
    outputs = frozenset(_outputs(known))
    for field, proposal in propose(known.graph, known.policy, today=known.now.date()).items():
        if field.dataset in outputs and declared(known.policy, field) is None and not _is_ours(field, proposal, known):
            yield _unclassified(field, proposal)


def _is_ours(field: Field, proposal: Proposal, known: Known) -> bool:
    """Whether the column is one that says where a rejected row lies, and holds nothing of it."""
    return field.dataset.name in known.quarantines and not proposal.decided_by and not proposal.unclassified


def _sources_without_class(known: Known) -> Iterator[Finding]:
    for table in sorted(known.sources):
        columns = known.columns.get(table, frozenset())
        for column in sorted(set(_unclassed(known, table, columns))):
            yield Finding(
                rule=NAME,
                severity=Severity.WARN,
                table=table,
                column=column,
                message="no classification is declared of this source column, so what is derived from it may be "
                "proposed too low",
                fix=f'write {toml_column(column)} = {{ classification = "…" }} {_place(table)}',
            )


def _unclassed(known: Known, table: str, columns: frozenset[str]) -> Iterator[str]:
    """Yield the columns that hold a value without a class: neither it nor what it is nested in has one."""
    nesting = {path.rpartition(".")[0] for path in columns}
    for path in columns - nesting:
        parts = path.split(".")
        around = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
        if not any(known.policy.column(table, name).classification for name in around):
            yield next(name for name in around if name in columns)


def _place(table: str) -> str:
    return f"under {toml_table(table)} in governance/metadata.toml"


def _outputs(known: Known) -> list[Dataset]:
    """Return the tables that jobs wrote and the catalog still has: one that is gone needs no owner."""
    own = (it for it in known.graph.written if it.namespace == known.policy.lineage.namespace)
    return sorted(it for it in own if it.name in known.inventory)


def _unclassified(field: Field, proposal: Proposal) -> Finding:
    where = _place(field.dataset.name)
    said = f'{toml_column(field.name)} = {{ classification = "{proposal.classification}" }}'
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=field.dataset.name,
        column=field.name,
        message=f"no classification is declared, {_proposed(proposal)}",
        fix=f"review the proposal, then write {said} {where}"
        if proposal.classification
        else f"classify its inputs first, or write {toml_column(field.name)} {where}",
        decided_by=proposal.reason.removeprefix("from "),
    )


def _proposed(proposal: Proposal) -> str:
    if proposal.classification is None:
        return "and lineage proposes none: no input that it tells of is classified"
    return f"lineage proposes {proposal.classification}, {proposal.reason}"


RULE = Rule(
    name=NAME,
    severity=Severity.WARN,
    blocking=False,
    description="Every table that a job writes has an owner, and every column of it and of sources a classification.",
    find=find,
)
