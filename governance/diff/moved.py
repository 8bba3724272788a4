"""Pipelines that one revision has and the other lacks: which of them is the same under another table's name."""

from collections.abc import Hashable, Iterable

from governance.diff.version import Version, named
from governance.statement.meaning import meaning
from governance.statement.respelt import AS_HERE, Respelt

ITSELF = "the table itself"
"""What stands for a table that reads itself, in place of either name."""


class Moved:
    """The pipelines that are gone, each to be taken once by the one that is the same."""

    def __init__(self, gone: Iterable[Version]) -> None:
        self._gone = {it.pipeline.table: it for it in gone}

    def take(self, new: Version, respelt: Respelt) -> Version | None:
        """Return the pipeline that ``new`` was, and forget it; None where there is none.

        It has the same columns of the same types, computed alike of the same rows, its inputs called by ``respelt``.
        """
        alike = [it for it in self._gone.values() if it.lineage and _declared(it) == _declared(new)]
        if not alike or new.lineage is None:
            return None
        wanted = _said(new, AS_HERE)
        found = next((it for it in alike if _said(it, respelt) == wanted), None)
        return self._gone.pop(found.pipeline.table) if found else None

    @property
    def left(self) -> tuple[Version, ...]:
        """Those that nobody took, by table."""
        return tuple(self._gone[table] for table in sorted(self._gone))


def _declared(of: Version) -> Hashable:
    return tuple(of.side.program.schemas.get(of.pipeline.table, {}).items())


def _said(of: Version, respelt: Respelt) -> Hashable:
    assert of.statement is not None  # noqa: S101  what has lineage was parsed
    found = meaning(of.statement, of.side.program.schemas, respelt.moved(of.pipeline.table, ITSELF))
    # what was not taken apart is told by its text, which names its own table
    return of.statement.kind, found.rows, tuple(named(of, found).items())
