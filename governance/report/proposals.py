"""Proposed classifications as text and Markdown."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from governance.classification import Accepted, Proposal, declared, way
from governance.dataset import Field
from governance.evidence import Evidence
from governance.graph import Edge
from governance.policy import Policy
from governance.report.table import markdown_table, text_table

Proposals = Mapping[Field, Proposal]
Lapsed = Mapping[Field, str]

HEAD = ("Column", "Declared", "Proposed", "Decided by")
LONGEST = 4
"""Hops of a way that are shown whole."""

NOTHING: Lapsed = MappingProxyType({})


def proposals_text(proposals: Proposals, policy: Policy, lapsed: Lapsed = NOTHING) -> str:
    """Return one line a column."""
    return text_table(HEAD, _rows(proposals, policy, lapsed))


def proposals_markdown(proposals: Proposals, policy: Policy, lapsed: Lapsed = NOTHING) -> str:
    """Return one row a column."""
    return markdown_table(HEAD, _rows(proposals, policy, lapsed))


def _rows(proposals: Proposals, policy: Policy, lapsed: Lapsed) -> Iterator[tuple[str, ...]]:
    for field, proposal in proposals.items():
        said = declared(policy, field) or ""
        yield (
            str(field),
            said,
            proposal.classification or "unknown",
            "; ".join(_reasons(field, proposals, policy, lapsed)),
        )


def _reasons(field: Field, proposals: Proposals, policy: Policy, lapsed: Lapsed) -> Iterator[str]:
    proposal = proposals[field]
    if proposal.classification is None:
        yield "no input that lineage tells of is classified"
    else:
        yield " and ".join(
            _way(field, it, proposals, policy) for it in proposal.foremost
        ) or proposal.reason.removeprefix("from ")
    if proposal.unclassified and proposal.classification:
        count = len(proposal.unclassified)
        yield f"{count} input{'s have' if count > 1 else ' has'} no class"
    if proposal.foremost:
        yield from (str(it) for it in proposal.declassified if it.edge not in proposal.foremost)
    if field in lapsed:
        yield f"declared {declared(policy, field)} by a proposal {lapsed[field]}, which holds no longer"


def _way(field: Field, decider: Edge | Evidence, proposals: Proposals, policy: Policy) -> str:
    """Return what decided and, behind an arrow each, what decided that."""
    if isinstance(decider, Evidence):
        return str(decider)
    edges = way(decider, proposals, policy)
    passed_on = zip((field, *(edge.source for edge in edges)), edges, strict=False)
    hops = [_hop(edge, proposals[target]) for target, edge in passed_on]
    if len(hops) > LONGEST:
        hops[2:-1] = [f"{len(hops) - 3} more"]
    source = edges[-1].source
    last = proposals.get(source)
    if last and not last.decided_by and last.classification and declared(policy, source) is None:
        hops.append(last.reason.removeprefix("from "))
    return " ← ".join(hops)


def _hop(edge: Edge, proposal: Proposal) -> str:
    return next((str(it) for it in proposal.declassified if it.edge == edge), str(edge))


def proposals_dict(proposals: Proposals, policy: Policy, lapsed: Lapsed = NOTHING) -> list[dict[str, Any]]:
    """Return the public JSON form, a list in the order of ``proposals``.

    Each is ``{"field", "dataset", "namespace", "declared", "proposed", "reason", "decided_by", "ways", "tagged_by",
    "declassified", "uncounted", "unclassified", "lapsed"}``: classes or null; edges as ``{"field", "how", "masking",
    "job", "run", "learned"}``, declassified ones with ``{"classification", "reason", "who", "until"}`` too; ``ways``
    are lists of edges, of each that comes first in deciding a class back to where it is declared; tags are ``{"key",
    "value", "source", "job"}``; ``uncounted`` the types of inputs that do not count; unclassified inputs by name;
    ``lapsed`` is the reason beside a declaration that a proposal wrote and that holds no longer, or null.
    """
    return [_plain(field, proposals, policy, lapsed) for field in proposals]


def _plain(field: Field, proposals: Proposals, policy: Policy, lapsed: Lapsed) -> dict[str, Any]:
    proposal = proposals[field]
    first = (it for it in proposal.foremost if isinstance(it, Edge))
    return {
        "field": str(field),
        "dataset": field.dataset.name,
        "namespace": field.dataset.namespace,
        "declared": declared(policy, field),
        "proposed": proposal.classification,
        "reason": proposal.reason,
        "decided_by": [_edge(edge) for edge in proposal.decided_by],
        "ways": [[_edge(edge) for edge in way(it, proposals, policy)] for it in first],
        "tagged_by": [
            {"key": it.tag.key, "value": it.tag.value, "source": it.tag.source, "job": it.tag.job}
            for it in proposal.tagged_by
        ],
        "declassified": [_accepted(it) for it in proposal.declassified],
        "uncounted": list(proposal.uncounted),
        "unclassified": [str(source) for source in proposal.unclassified],
        "lapsed": lapsed.get(field),
    }


def _accepted(it: Accepted) -> dict[str, Any]:
    word = it.word
    return _edge(it.edge) | {
        "classification": word.classification,
        "reason": word.reason,
        "who": word.who,
        "until": word.until.isoformat(),
    }


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "field": str(edge.source),
        "how": edge.how,
        "masking": edge.masking,
        "job": edge.job,
        "run": edge.run_id,
        "learned": edge.learned.value,
    }
