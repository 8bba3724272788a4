"""Both revisions rebuilt mechanically over one fixed set of data, compared, and put beside what was predicted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from governance.block import BlockKind
from governance.diff import Difference, Known, Side, compare, judge
from governance.errors import HeadwaterError
from governance.graph import Graph, graph_of
from governance.graph.stated import stated
from governance.landing.views import file_blocks
from governance.rebuild import inputs_of, statements_of, to_rebuild
from governance.simulate import Simulated, changed_source
from governance.statement import Kind, read_program
from governance.validation import ABSENT, Compared, Evidence, Predicted, evidence, excused, predict
from platform_assets.changes.sides import FindFiles, Sides, files_of
from platform_assets.engines.engine import QueryError, Relation
from platform_assets.engines.patience import SECONDS
from platform_assets.engines.scratch import AFTER, BEFORE, Scratch, scratch

Find = Callable[[Iterable[str]], Mapping[str, Relation]]
"""Tables → the rows that both sides read of them; a table that has none is left out."""


@dataclass(frozen=True, slots=True)
class Given:
    """What both sides are built on."""

    tables: Find
    files: FindFiles


@dataclass(frozen=True, slots=True)
class Asked:
    """What to validate.

    changes:   of sources, to be simulated on the later side
    sample:    rows of each input at the most; None for all
    tolerance: by which numbers with a point may differ, as a part of the larger
    seconds:   that each build and each comparison may take
    """

    base: Side
    head: Side
    changes: tuple[Simulated, ...] = ()
    sample: int | None = None
    tolerance: float = 0.0
    seconds: float = SECONDS


def validate(asked: Asked, known: Known, given: Given) -> tuple[Evidence, ...]:
    """Return the evidence for each table that the change can touch, in the order in which they are built.

    Raises:
        HeadwaterError: an input that nothing has, or a change that the rows do not allow.
    """
    base, head = asked.base, simulated(asked.head, asked.changes)
    differences = compare(base, head)
    diff = judge(differences, base, head, known)
    own = {it.table for it in differences}
    tables = to_rebuild(base, head, own | {it.table for it in asked.changes})
    graph = _graph(base, head)
    predicted = predict(diff.changes, asked.changes, graph, head.policy.lineage)
    built, relations = _inputs(tables, base, head, given.tables)
    begun = given.tables(_merged(built, base, head))
    sides = Sides(base, head, asked.head, asked.changes, files_of(built, base, asked.head, given.files))
    facts, named = known.facts(graph), head.policy.lineage.dataset
    with (
        TemporaryDirectory(prefix="headwater-") as folder,
        scratch(
            Path(folder),
            (*relations.values(), *begun.values()),
            asked.seconds,
            landings=sides.landings(built),
            rows=asked.sample,
        ) as room,
    ):
        for table, relation in relations.items():
            room.give(table, relation, asked.sample, [it for it in asked.changes if it.table == table])
        for table, relation in begun.items():
            room.begin(table, relation, asked.sample)
        found: list[Evidence] = []
        broken: dict[str, frozenset[str]] = {BEFORE: frozenset(), AFTER: frozenset()}
        for table in built:
            both = _Built.build(room, table, sides, broken)
            for side in both.sides:
                broken[side] |= frozenset((table,) if both.sides[side] else ())
            found.append(_shown(both, differences, predicted, asked.tolerance, facts.owners.get(named(table))))
    return tuple(it for it in found if it.table in tables)


def _shown(
    both: "_Built", differences: Iterable[Difference], predicted: Predicted, tolerance: float, owner: str | None
) -> Evidence:
    """Return what both builds of a table show; a fault that is none of the change's is excused."""
    compared = both.compared({it.table: it for it in differences}, tolerance)
    shown = evidence(
        both.table, compared, predicted, before=both.before, after=both.after, checks=both.checks(), owner=owner
    )
    return excused(shown, predicted, both.unsteady(tolerance)) if shown.faults else shown


def _merged(tables: Iterable[str], base: Side, head: Side) -> list[str]:
    """Return those of ``tables`` that a MERGE of either side changes: it begins on the rows that there are."""
    kinds = [{table: it.kind for table, it in statements_of(side).items()} for side in (base, head)]
    return sorted(table for table in tables if Kind.MERGE in (kind.get(table) for kind in kinds))


def simulated(side: Side, changes: Sequence[Simulated]) -> Side:
    """Return ``side`` with its sources as they would be after ``changes``."""
    sources = side.sources
    for change in changes:
        sources = tuple(changed_source(source, change) for source in sources)
    if sources == side.sources:
        return side
    # what a text reads of a file is made of the file's declaration
    views = {it.name: it for it in file_blocks(sources)}
    pipelines = tuple(
        replace(it, blocks=tuple(views.get(of.name, of) if of.kind is BlockKind.FILE else of for of in it.blocks))
        for it in side.pipelines
    )
    program = read_program(pipelines, sources, masking_functions=side.policy.lineage.masking_functions)
    return replace(side, pipelines=pipelines, sources=sources, program=program)


def _graph(base: Side, head: Side) -> Graph:
    """Return what both texts say: an edge that either has can carry a change."""
    # jobs of two names, so that the edges of the one do not take the place of the other's
    sides = (("before", base), ("after", head))
    told = (
        stated(side.program.lineages.values(), replace(side.policy.lineage, job_namespace=which), side.owners)
        for which, side in sides
    )
    return graph_of(run for runs in told for run in runs)


def _inputs(
    tables: Sequence[str], base: Side, head: Side, find: Find
) -> tuple[tuple[str, ...], Mapping[str, Relation]]:
    """Return what to build, and the rows that it is built on: what has no rows and has a pipeline is built too."""
    wanted = frozenset(tables)
    pipelines = statements_of(base).keys() | statements_of(head).keys()
    landed = base.policy.lineage.files.keys() | head.policy.lineage.files.keys()
    while True:
        read = (inputs_of(wanted, base) | inputs_of(wanted, head)) - landed
        found = find(sorted(read))
        missing = read - found.keys()
        if missing - pipelines:
            raise HeadwaterError(
                f"there is nothing to build on: no rows here for {', '.join(sorted(missing - pipelines))}",
                fix="put files of these names into the folder of --fixtures; without it, run `headwater demo` or "
                "`headwater run` first",
            )
        if not missing:
            return tuple(it for it in to_rebuild(base, head, wanted) if it in wanted), found
        wanted |= missing


@dataclass(frozen=True, slots=True)
class _Built:
    """One table, built on both sides as far as it can be."""

    room: Scratch
    table: str
    of: Sides
    sides: Mapping[str, str]

    @classmethod
    def build(cls, room: Scratch, table: str, of: Sides, broken: Mapping[str, frozenset[str]]) -> "_Built":
        """Build ``table`` on both sides; ``broken`` are, by side, the tables that could not be built before it."""
        return cls(room, table, of, {side: cls._try(room, table, of, side, broken[side]) for side in (BEFORE, AFTER)})

    @staticmethod
    def _try(room: Scratch, table: str, of: Sides, side: str, broken: frozenset[str]) -> str:
        """Build one side and return what is wrong; empty where nothing is."""
        revision = of.base if side == BEFORE else of.head
        statement, problem = statements_of(revision).get(table), revision.program.unreadable.get(table)
        if statement is None:
            return str(problem) if problem else ABSENT
        missing = sorted(statement.upstream & broken)
        if missing:
            return f"it reads {', '.join(missing)}, which could not be rebuilt"
        try:
            room.build(side, of.readable(side, statement))
        except QueryError as error:
            return str(error)
        return ""

    @property
    def before(self) -> str:
        """Why the earlier side could not be built; empty where it was."""
        return self.sides[BEFORE]

    @property
    def after(self) -> str:
        """The same of the later side."""
        return self.sides[AFTER]

    def compared(self, differences: Mapping[str, Difference], tolerance: float) -> Compared | None:
        if self.before or self.after:
            return None
        difference = differences.get(self.table)
        renamed = difference.renamed if difference else ()
        return self.room.revisions.compare(self.table, self._grain(), renamed, tolerance=tolerance)

    def unsteady(self, tolerance: float) -> Compared | None:
        """Return how the earlier revision differs from itself when it is built twice; None where it cannot be."""
        statement = statements_of(self.of.base).get(self.table)
        if statement is None or self.before or self.after:
            return None
        try:
            self.room.build_again(self.of.readable(BEFORE, statement))
        except QueryError:
            # what was seen stands: a second build that fails or runs over its time excuses nothing
            return None
        return self.room.repeats.compare(self.table, self._grain(), (), tolerance=tolerance)

    def checks(self) -> Mapping[str, str]:
        """Return what the later side's own promises come to."""
        grain = self._grain()
        if not grain or self.sides[AFTER]:
            return {}
        twice = self.room.revisions.duplicated(AFTER, self.table, grain)
        return {f"grain {', '.join(grain)} unique": f"{twice} keys occur more than once" if twice else ""}

    def _grain(self) -> tuple[str, ...]:
        return next((it.grain for it in self.of.head.pipelines if it.table == self.table), ())
