"""The consumers of a table as a page."""

from collections.abc import Iterable, Iterator

from governance.consumers.model import GRAPH, LOG, Consumer, Consumers, Evidence, Gap
from governance.queries.model import Window
from governance.report.page import Listing, Part

HEAD = ("Consumer", "Kind", "Owner", "Criticality", "Known from", "Reads", "Last read", "Columns", "Notes")
GAP_HEAD = ("Consumer", "Owner", "What the records say")


def consumers_page(consumers: Consumers) -> Iterator[Part]:
    """Yield who reads the table, what was asked, and the reconciliation of lineage and log."""
    yield f"{consumers.asked}: {consumers.statement}."
    if consumers.consumers:
        yield Listing("Consumers", HEAD, [_row(consumer, consumers) for consumer in consumers.consumers])
    yield f"Sources: {'; '.join(_source(name, window) for name, window in consumers.sources)}."
    if consumers.unreadable:
        yield f"Logged queries that could not be read: {consumers.unreadable:,}. Any of them may read it."
    if consumers.derived:
        yield f"Tables derived from it, whose consumers a change may reach: {', '.join(consumers.derived)}."
    yield Listing("Reads with no edge", GAP_HEAD, _gaps(consumers.log_only))
    yield Listing("Edges with no read in the window", GAP_HEAD, _gaps(consumers.graph_only))


def _row(consumer: Consumer, consumers: Consumers) -> tuple[str, ...]:
    notes = [
        *(["not registered"] if not consumer.registered else []),
        *(["shared account, not resolved to a person or report"] if consumer.shared else []),
        *(["its columns are not known: it may read this one"] if consumer.name in consumers.unplaced else []),
        *consumer.notes,
    ]
    contact = f" ({consumer.contact})" if consumer.contact and consumer.contact != consumer.owner else ""
    return (
        consumer.name,
        consumer.kind,
        f"{consumer.owner or 'nobody'}{contact}",
        consumer.criticality or "not stated",
        ", ".join(dict.fromkeys(it.source for it in consumer.evidence)),
        f"{consumer.reads:,}" if consumer.last_read else "",
        f"{consumer.last_read:%Y-%m-%d}" if consumer.last_read else "",
        _columns(consumer.evidence),
        "; ".join(notes),
    )


def _columns(evidence: Iterable[Evidence]) -> str:
    told = tuple(evidence)
    known = sorted({column.rpartition(".")[2] for it in told for column in it.columns or ()})
    untold = {it.source for it in told if it.columns is None}
    seen = ["some unknown"] if untold & {GRAPH, LOG} else []
    promised = ["the table as a whole"] if untold - {GRAPH, LOG} else []
    return ", ".join((*known, *seen, *promised)) or "none"


def _source(name: str, window: Window | None) -> str:
    if window:
        return f"{name} of {window}"
    return f"{name}: empty" if name in ("lineage graph", "query log") else name


def _gaps(gaps: Iterable[Gap]) -> list[tuple[str, ...]]:
    return [(gap.consumer, gap.owner or "nobody", gap.said) for gap in gaps]
