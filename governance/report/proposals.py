"""Proposed classifications as text and Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

from governance.classification import Proposal, declared
from governance.dataset import Field
from governance.graph import Edge
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
    if not proposal.reason:
        return "from no column"
    missing = f"; {len(proposal.unclassified)} inputs have no class" if proposal.unclassified else ""
    accepted = f"; declassified: {', '.join(map(str, proposal.declassified))}" if proposal.declassified else ""
    return f"{proposal.reason.removeprefix('from ')}{missing}{accepted}"


def proposals_dict(proposals: Mapping[Field, Proposal], policy: Policy) -> list[dict[str, Any]]:
    """Return the public JSON form, a list in the order of ``proposals``.

    Each is ``{"field", "dataset", "namespace", "declared", "proposed", "decided_by", "tagged_by", "declassified",
    "unclassified"}``: classes or null; edges as ``{"field", "how", "masking", "job", "run", "learned"}``, tags as
    ``{"key", "value", "source", "job"}``, unclassified inputs by name.
    """
    return [
        {
            "field": str(field),
            "dataset": field.dataset.name,
            "namespace": field.dataset.namespace,
            "declared": declared(policy, field),
            "proposed": proposal.classification,
            "decided_by": [_edge(edge) for edge in proposal.decided_by],
            "tagged_by": [
                {"key": it.tag.key, "value": it.tag.value, "source": it.tag.source, "job": it.tag.job}
                for it in proposal.tagged_by
            ],
            "declassified": [_edge(edge) for edge in proposal.declassified],
            "unclassified": [str(source) for source in proposal.unclassified],
        }
        for field, proposal in proposals.items()
    ]


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "field": str(edge.source),
        "how": edge.how,
        "masking": edge.masking,
        "job": edge.job,
        "run": edge.run_id,
        "learned": edge.learned.value,
    }
