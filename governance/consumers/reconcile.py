"""Lineage and log side by side: reads that no edge explains, and edges of which the log has no read, with owners.

Neither list is a verdict. A read without an edge is a gap in lineage; an edge without a read is unused, rare, or read
where the log does not look, and the window says how much its silence is worth.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta

from governance.consumers.model import Gap
from governance.consumers.observed import Observed
from governance.consumers.records import Records
from governance.queries.model import Window


def reads_without_edge(records: Records, pairs: Iterable[Observed]) -> tuple[Gap, ...]:
    """Return what of ``pairs`` nothing explains, in their order."""
    owners = records.owners()
    return tuple(_unexplained(pair, owners.get(pair.table)) for pair in pairs if not pair.explained)


def edges_without_reads(records: Records, pairs: Iterable[Observed], tables: Collection[str]) -> tuple[Gap, ...]:
    """Return the jobs and declared consumers of ``tables`` that ``pairs`` do not have, by table and name.

    Without any log there is nothing to compare with, and none is returned.
    """
    if records.log.window is None:
        return ()
    read = {(pair.table, name) for pair in pairs for name in (pair.who.name, pair.by)}
    gaps = (*_jobs(records, records.log.window, tables), *_declared(records, records.log.window, tables))
    unread = (gap for gap in gaps if (gap.table, gap.consumer) not in read)
    return tuple(sorted(unread, key=lambda gap: (gap.table, gap.consumer)))


def silence(period: timedelta | None, window: Window | None) -> str:
    """Return what it means that the log has no read of a consumer: nothing, unless its window is long enough."""
    if window is None:
        return "no query log of that time was ingested"
    seen = f"no read in the log of {window} ({days(window.length)})"
    if period is None:
        return f"{seen}; how often it runs is not declared, so that proves nothing"
    if window.length < period:
        return f"{seen}, which is shorter than its period of {days(period)}, so that proves nothing"
    return f"{seen}, though it runs every {days(period)}: gone, or it reads where this log does not look"


def days(length: timedelta) -> str:
    """Return ``90 days`` or, for less than one, ``6 hours``."""
    count = length.total_seconds() / 86400
    return f"{count:.0f} day{'s' * (round(count) != 1)}" if count >= 1 else f"{count * 24:.0f} hours"


def _unexplained(pair: Observed, owner: str | None) -> Gap:
    times = f"{pair.reads} read{'s' * (pair.reads != 1)}, last on {pair.last:%Y-%m-%d}"
    resolve = "resolve the shared account to a person, report or job"
    ask = resolve if pair.who.shared else "declare it, or ask it to stop"
    own = pair.who.declared.owner if pair.who.declared else None
    return Gap(pair.who.name, pair.table, own or owner, f"{times}, and no edge explains it: {ask}")


def _jobs(records: Records, window: Window, tables: Collection[str]) -> Iterator[Gap]:
    owners = records.owners()
    last: dict[tuple[str, str], datetime] = {}
    for flow in records.graph.flows:
        if flow.source.name in tables and flow.source == records.dataset(flow.source.name):
            key = flow.source.name, flow.job
            last[key] = max(flow.at, last.get(key, flow.at))
    for (table, job), at in last.items():
        run = f"its last run ended {at:%Y-%m-%d}: it reads where this log does not look, or outside its window"
        yield Gap(job, table, owners.get(job) or owners.get(table), f"no read in the log of {window}, and {run}")


def _declared(records: Records, window: Window, tables: Collection[str]) -> Iterator[Gap]:
    owners = records.owners()
    for consumer in records.declarations.consumers:
        for table in consumer.tables & set(tables):
            yield Gap(consumer.name, table, consumer.owner or owners.get(table), silence(consumer.period, window))
