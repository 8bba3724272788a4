"""Coverage as a page, and its history as another."""

from collections.abc import Iterable, Iterator

from governance.coverage.history import Measured
from governance.coverage.model import Coverage, Share, Table, Weighted
from governance.report.page import Figures, Listing, Part

TABLE_HEAD = ("Table", "Known of its columns", "Owner", "Reads")
EDGE_HEAD = ("Consumer", "Table", "Table's owner", "Reads", "Last read")
UNREAD_HEAD = ("Consumer", "Table", "Owner", "What the records say")
HISTORY_HEAD = ("When", "Tables in the graph", "With column lineage", "Reads explained", "Days of log", "Unreadable")


def coverage_page(coverage: Coverage) -> Iterator[Part]:
    """Yield the measures, what they are measured against, and the lists of what is missing with its owners."""
    rows = [
        _row("tables in the graph", coverage.nodes),
        _row("tables with column lineage", coverage.columns),
        _row("reads that lineage explains", coverage.edges),
    ]
    yield Figures("Coverage", ("Share of", "Plain", "By reads", "By criticality"), rows)
    yield _against(coverage)
    yield _granularity(coverage)
    yield Listing("Tables that the graph lacks", TABLE_HEAD, _tables(coverage.missing_tables))
    yield Listing("Tables whose columns are not all known", TABLE_HEAD, _tables(coverage.untraced_tables))
    owners = {table.name: table.owner or "nobody" for table in coverage.tables}
    edges = [
        (pair.who.name, pair.table, owners[pair.table], f"{pair.reads:,}", f"{pair.last:%Y-%m-%d}")
        for pair in coverage.missing_edges
    ]
    yield Listing("Reads that nothing explains", EDGE_HEAD, edges)
    unread = [(gap.consumer, gap.table, gap.owner or "nobody", gap.said) for gap in coverage.unread]
    yield Listing("Edges with no read in the window", UNREAD_HEAD, unread)


def history_page(history: Iterable[Measured]) -> Iterator[Part]:
    """Yield the measures of each run of ``headwater coverage``, oldest first."""
    rows = [
        (
            f"{it.at:%Y-%m-%d %H:%M}",
            *(str(Share(*it.measures[name])) for name in ("nodes", "columns", "edges")),
            "none" if it.window_days is None else f"{it.window_days:g}",
            f"{it.unreadable:,}",
        )
        for it in history
    ]
    yield Listing("Coverage over time", HISTORY_HEAD, rows)


def _row(what: str, measure: Weighted) -> tuple[str, ...]:
    return what, str(measure.plain), str(measure.by_reads), str(measure.by_criticality)


def _against(coverage: Coverage) -> str:
    count = len(coverage.tables)
    tables = f"Measured against {count:,} table{'s' * (count != 1)} of the inventory"
    if coverage.window is None and not coverage.observed:
        ended = coverage.log_ended
        no_log = f"the query log ends {ended:%Y-%m-%d}, before that window" if ended else "no query log was ingested"
        return f"{tables}; {no_log}, so reads are not measured."
    kinds = ", ".join(f"{how} {count:,}" for how, count in sorted(coverage.explained_by.items())) or "nothing"
    return (
        f"{tables} and the query log of {_windows(coverage)}: {len(coverage.observed):,} pairs of consumer and table, "
        f"explained by {kinds}; pairs on tables that it lacks: {coverage.outside:,}; "
        f"unreadable queries: {coverage.unreadable:,}. A reader outside that window or that log is not seen."
    )


def _windows(coverage: Coverage) -> str:
    return " and ".join(f"{window} ({window.log})" if window.log else str(window) for window in coverage.windows)


def _granularity(coverage: Coverage) -> str:
    columns = ", ".join(f"{count:,} {what}" for what, count in coverage.columns_of.items())
    typed = f" Column-level inputs with type and subtype: {coverage.typed}." if coverage.typed else ""
    return (
        f"Edges between tables that carry column lineage: {coverage.flows}. "
        f"Columns of tables that jobs write: {columns}.{typed}"
    )


def _tables(tables: Iterable[Table]) -> list[tuple[str, ...]]:
    return [(table.name, table.told.value, table.owner or "nobody", f"{table.reads:,}") for table in tables]
