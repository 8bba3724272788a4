"""What two revisions read of files that land: the same files, each side by its own declarations."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from governance.diff import Side
from governance.errors import LandingError
from governance.landing.model import FileSource
from governance.rebuild import statements_of
from governance.simulate import Simulated
from governance.statement import Statement
from platform_assets.engines.engine import Landing
from platform_assets.engines.room import FilesRead, Readable
from platform_assets.engines.scratch import AFTER, BEFORE
from platform_assets.runs.splice import Reading, splice

FindFiles = Callable[[FileSource], tuple[tuple[str, ...], tuple[str, ...]]]
"""A declaration → the files that there are of it now: paths on this machine, and as they may be shown.

It raises LandingError where they cannot be read.
"""


def files_of(tables: Iterable[str], base: Side, head: Side, find: FindFiles) -> Mapping[str, Landing]:
    """Return the files that there are now of each dataset that building ``tables`` reads, by its name.

    They are the same for both sides, whatever each declares of them.

    Raises:
        LandingError: some cannot be read: what needs them is named, and nothing is built of the rest.
    """
    before, after = statements_of(base), statements_of(head)
    read = {table: _read_of(before.get(table)) | _read_of(after.get(table)) for table in tables}
    wanted = {
        source: [table for table, names in read.items() if source.name in names]
        for _, source in sorted(_declared(base, head).items())
    }
    found: dict[str, Landing] = {}
    for source in (it for it, readers in wanted.items() if readers):
        try:
            found[source.name] = Landing(source, *find(source))
        except LandingError as error:
            # what does not answer for one file does not for its others
            remote = "://" in source.location.at
            lost = [
                readers for it, readers in wanted.items() if it is source or (remote and it.location == source.location)
            ]
            left_out = ", ".join(dict.fromkeys(table for readers in lost for table in readers))
            problem = f"{error.problem}; so nothing is compared: {left_out} cannot be built without it"
            raise LandingError(problem, fix=error.fix) from error
    return found


def _declared(base: Side, head: Side) -> Mapping[str, FileSource]:
    """Return each file's declaration by its name, the later side's where both have one."""
    return {it.files.name: it.files for side in (base, head) for it in side.sources if it.files is not None}


def _read_of(statement: Statement | None) -> frozenset[str]:
    """Return what a statement reads, files in place of their kinds of record."""
    return frozenset(it.partition("#")[0] for it in statement.reads) if statement else frozenset()


@dataclass(frozen=True, slots=True)
class Sides:
    """The revisions to be built, and the files that both read.

    head:     as it is built, after the ``changes`` that are simulated
    declared: the same without them, as the files lie there
    """

    base: Side
    head: Side
    declared: Side
    changes: tuple[Simulated, ...]
    files: Mapping[str, Landing]

    def landings(self, tables: Iterable[str]) -> Iterator[Landing]:
        """Yield all that building ``tables`` on either side reads of files."""
        wanted = frozenset(tables)
        for side, of in ((BEFORE, self.base), (AFTER, self.head)):
            for statement in (it for it in of.program.statements if it.pipeline.table in wanted):
                yield from (it.landing for it in self.readable(side, statement).files)

    def readable(self, side: str, statement: Statement) -> Readable:
        """Return the statement of one side with what it reads of files, by that side's declarations."""
        of, changes = (self.base, ()) if side == BEFORE else (self.declared, self.changes)
        sources = {it.table: it for it in of.sources if it.files is not None}
        spliced = splice(statement, sources)
        blocks = {it.files.name: it.files for name in statement.block_files if (it := sources[name]).files}
        readings = {it.relation: it for it in spliced.readings}
        readings |= {name: Reading(name, files, ()) for name, files in blocks.items() if name not in readings}
        files = tuple(self._read(it, changes) for it in readings.values())
        return Readable(statement, spliced.text, files, of.program.schemas)

    def _read(self, reading: Reading, changes: tuple[Simulated, ...]) -> FilesRead:
        found, source = self.files[reading.source.name], reading.source
        own = tuple(it for it in changes if it.table.partition("#")[0] == source.name)
        return FilesRead(reading.relation, Landing(source, found.paths, found.shown, reading.options), own)
