"""Blocks in the order in which each stands after those that it builds on."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from governance.block import Block, BlockKind
from governance.errors import LineageError, PipelineError
from governance.statement.blocks import as_pipeline_error
from governance.statement.through import functions_of, read_block


def in_order(
    blocks: Iterable[Block], wrong: Mapping[str, PipelineError] = MappingProxyType({})
) -> tuple[tuple[Block, ...], Mapping[str, PipelineError]]:
    """Return the blocks that stand, in order, and why each other one does not; ``wrong`` are known not to, by name.

    One that cannot be read does not stand, nor does what builds on it, nor what builds on itself.
    """
    by_name = {block.name: block for block in blocks}
    functions = functions_of(by_name.values())
    builds_on: dict[str, frozenset[str]] = {}
    broken = dict(wrong)
    for name, block in by_name.items():
        try:
            # what is made of a file builds on none; a name within its own view is of the table that it hides
            names = frozenset() if block.kind is BlockKind.FILE else read_block(block, functions).named.all
            own = frozenset({name}) if block.kind is BlockKind.VIEW else frozenset()
            builds_on[name] = (names & (by_name.keys() | wrong.keys())) - own
        except LineageError as error:
            broken[name] = as_pipeline_error(error)
    _spread(broken, builds_on)
    order = _sorted(by_name, {name: on for name, on in builds_on.items() if name not in broken}, broken)
    _spread(broken, builds_on)
    return tuple(by_name[name] for name in order if name not in broken), broken


def _spread(broken: dict[str, PipelineError], builds_on: Mapping[str, frozenset[str]]) -> None:
    """Let what builds on something broken be broken by the same error."""
    while True:
        more = {
            name: broken[min(on & broken.keys())]
            for name, on in builds_on.items()
            if name not in broken and on & broken.keys()
        }
        if not more:
            return
        broken |= more


def _sorted(
    by_name: Mapping[str, Block], builds_on: Mapping[str, frozenset[str]], broken: dict[str, PipelineError]
) -> list[str]:
    """Return the names in order, those in circles left out and noted."""
    sorter = TopologicalSorter({name: on - broken.keys() for name, on in builds_on.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        circle = error.args[1]
        first = by_name[min(circle)]
        problem = f"blocks build on each other in a circle: {' → '.join(circle)}"
        wrong = PipelineError(first.file, first.line, problem, fix="take one of these uses out")
        broken |= dict.fromkeys(circle, wrong)
        return _sorted(by_name, {name: on for name, on in builds_on.items() if name not in broken}, broken)
    place = {name: number for number, name in enumerate(by_name)}
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=place.__getitem__)
        found += ready
        sorter.done(*ready)
    return found
