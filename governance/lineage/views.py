"""What the views of a prelude yield, each read when a text first names it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from governance.block import Block, BlockKind
from governance.errors import LineageError
from governance.lineage.columns import Query
from governance.lineage.environment import Environment
from governance.lineage.inlining import inlined
from governance.lineage.session import Session, View


def view_of(session: Session, names: tuple[str, ...]) -> Query | None:
    """Return what the block yields that ``names`` mean where it is read, None where they mean none.

    Raises:
        LineageError: the block cannot be read.
    """
    name = ".".join(names)
    view = session.views.get(name) or session.views.get(name.lower())
    if view is None or view.number >= session.seen:
        return None
    found = session.viewed.get(view.block.name)
    if found is None:
        found = session.viewed[view.block.name] = _read(view, session)
    return found


def _read(view: View, session: Session) -> Query:
    block = view.block
    seen = 0 if block.kind is BlockKind.FILE else view.number
    inner = replace(session, sql=block.sql, mark=None, made={}, seen=seen)
    with within(block):
        return inner.read(inlined(view.query, inner), inner, Environment({}), None)


@contextmanager
def within(block: Block) -> Iterator[None]:
    """Let what goes wrong say where in the block's file.

    Raises:
        LineageError: as within, with the block's file and line.
    """
    try:
        yield
    except LineageError as error:
        if not error.pipeline:
            error.pipeline = block.file
            error.line = block.at(error.line or 1)
        raise
