"""Proposed classifications as text and Markdown."""

from collections.abc import Iterator, Mapping

from governance.classification import Proposal, declared
from governance.dataset import Field
from governance.policy import Policy
from governance.report.table import markdown_table, text_table

HEAD = ("Column", "Declared", "Proposed", "Decided by")


def proposals_text(proposals: Mapping[Field, Proposal], policy: Policy) -> str:
    """Return one line a column."""
    return text_table(HEAD, _rows(proposals, policy))


def proposals_markdown(proposals: Mapping[Field, Proposal], policy: Policy) -> str:
    """Return one row a column."""
    return markdown_table(HEAD, _rows(proposals, policy))


def _rows(proposals: Mapping[Field, Proposal], policy: Policy) -> Iterator[tuple[str, ...]]:
    for field, proposal in proposals.items():
        yield str(field), declared(policy, field) or "", proposal.classification or "unknown", _reason(proposal)


def _reason(proposal: Proposal) -> str:
    if proposal.classification is None:
        return "no input that lineage tells of is classified"
    if not proposal.decided_by:
        return "from no column"
    missing = f"; {len(proposal.unclassified)} inputs have no class" if proposal.unclassified else ""
    return f"{proposal.decided_by[0]}{missing}"
