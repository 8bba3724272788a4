"""What two revisions have to build to be compared: what changed, all below it, and what that reads."""

from collections.abc import Iterable, Mapping

from governance.diff.model import Side
from governance.statement import Statement


def to_rebuild(base: Side, head: Side, changed: Iterable[str]) -> tuple[str, ...]:
    """Return the tables to build on both sides, in an order in which they can be: what changed and all below it.

    A pipeline that one side lacks or cannot read is in it, for the other side's sake; one that is new and cannot be
    read comes last, to be told.
    """
    reads: dict[str, set[str]] = {}
    order: list[str] = []
    for side in (base, head):
        for statement in side.program.statements:
            reads.setdefault(statement.pipeline.table, set()).update(statement.upstream)
    for statement in (*head.program.statements, *base.program.statements):
        if statement.pipeline.table not in order:
            order.append(statement.pipeline.table)
    affected = set(changed)
    growing = True
    while growing:
        fresh = {table for table, upstream in reads.items() if upstream & affected} - affected
        affected |= fresh
        growing = bool(fresh)
    unread = sorted((head.program.unreadable.keys() & affected) - set(order))
    return (*(table for table in _sorted(order, reads) if table in affected), *unread)


def _sorted(order: list[str], reads: Mapping[str, set[str]]) -> list[str]:
    """Return ``order`` with each table behind what either side reads for it; circles of the two sides stay."""
    done: list[str] = []
    waiting = list(order)
    while waiting:
        ready = [table for table in waiting if not (reads[table] & set(waiting)) - {table}] or waiting[:1]
        done += ready
        waiting = [table for table in waiting if table not in ready]
    return done


def inputs_of(tables: Iterable[str], side: Side) -> frozenset[str]:
    """Return the tables that building ``tables`` reads and that are not among them."""
    wanted = frozenset(tables)
    statements = (it for it in side.program.statements if it.pipeline.table in wanted)
    return frozenset(read for it in statements for read in it.upstream) - wanted


def statements_of(side: Side) -> Mapping[str, Statement]:
    """Return the readable statements by table."""
    return {it.pipeline.table: it for it in side.program.statements}
