"""The collector tested on seeded changes: exactly the edges that a construct must add appear, or it is a blind spot.

The technique of the lineage document's "Validating the graph itself". A passing result supports the claim for these
constructs in these queries, and not for all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from governance.block import Block
from governance.errors import LineageError
from governance.lineage.model import ColumnLineage, InputField
from governance.pipeline import Pipeline
from governance.statement import Kind, Program, Statement
from governance.statement.seeded import PLANTS, Edge, Seed, seeds

UNSEEDED = "what a MERGE must add to its edges is not known without reading it"

Collect = Callable[[str, Mapping[str, Mapping[str, str]], tuple[Block, ...]], ColumnLineage]
"""SQL of a query, the tables' columns and the blocks before it → its lineage, by whatever way lineage is collected."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One construct in one pipeline.

    missing, extra: edges that should be there, and that should not
    skipped: why the construct has no place in the query; empty where it was tried
    problem: why the collector refused the changed query
    """

    pipeline: str
    construct: str
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    skipped: str = ""
    problem: str = ""

    @property
    def exact(self) -> bool:
        """Whether exactly the new edges appeared."""
        return not (self.missing or self.extra or self.skipped or self.problem)

    @property
    def blind(self) -> bool:
        """Whether the collector did not tell what it should."""
        return bool(self.missing or self.extra or self.problem)

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form."""
        return {
            "pipeline": self.pipeline,
            "construct": self.construct,
            "exact": self.exact,
            "missing": list(self.missing),
            "extra": list(self.extra),
            "skipped": self.skipped or None,
            "problem": self.problem or None,
        }


def selftest(program: Program, collect: Collect) -> tuple[Tried, ...]:
    """Return what came of each construct in each pipeline, in that order; in one that cannot be read none has a place.

    Raises:
        LineageError: the collector refuses a query that no seed has changed.
    """
    tried = (it for statement in program.statements for it in _tried(statement, program, collect))
    refused = (
        Tried(table, construct, skipped=f"it cannot be read: {error}")
        for table, error in program.unreadable.items()
        for construct in PLANTS
    )
    return (*tried, *refused)


def by_construct(tried: Iterable[Tried]) -> Mapping[str, tuple[int, int, int]]:
    """Return, by construct, how often it was exact, how often not, and how often it had no place."""
    found = tuple(tried)
    return {
        construct: (
            sum(it.exact for it in found if it.construct == construct),
            sum(it.blind for it in found if it.construct == construct),
            sum(bool(it.skipped) for it in found if it.construct == construct),
        )
        for construct in PLANTS
    }


def _tried(statement: Statement, program: Program, collect: Collect) -> Iterator[Tried]:
    if statement.kind is Kind.MERGE:
        yield from (Tried(statement.pipeline.table, it, skipped=UNSEEDED) for it in PLANTS)
        return
    before = collect(statement.query, program.schemas, statement.pipeline.blocks)
    for seed in seeds(statement, before, program.schemas):
        yield _one(statement.pipeline, seed, before, program, collect)


def _one(pipeline: Pipeline, seed: Seed, before: ColumnLineage, program: Program, collect: Collect) -> Tried:
    table = pipeline.table
    if seed.why:
        return Tried(table, seed.construct, skipped=seed.why)
    try:
        after = collect(seed.sql, program.schemas, pipeline.blocks)
    except LineageError as error:
        return Tried(table, seed.construct, problem=str(error))
    old, new = _edges(before), _edges(after)
    wanted = old | seed.more
    reads = {*before.inputs, *seed.reads}
    return Tried(
        table,
        seed.construct,
        missing=(*_told(wanted - new), *sorted(f"read of {name}" for name in reads - {*after.inputs})),
        extra=(*_told(new - wanted), *sorted(f"read of {name}" for name in {*after.inputs} - reads)),
    )


def _edges(lineage: ColumnLineage) -> frozenset[Edge]:
    own = ((out.name, it) for out in lineage.fields for it in out.inputs)
    return frozenset((*own, *((None, it) for it in lineage.dataset)))


def _told(edges: Iterable[Edge]) -> tuple[str, ...]:
    return tuple(sorted(f"{out or 'every row'} from {it.dataset}.{it.field} ({_how(it)})" for out, it in edges))


def _how(used: InputField) -> str:
    return f"{used.transformation.type} {used.transformation.subtype}{', masked' if used.masking else ''}"
