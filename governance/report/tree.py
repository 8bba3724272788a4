"""Trace and impact as the same kind of tree, for whoever draws it: a terminal in colour, or a page.

The lines are in the order in which they are printed, each with its depth, not nested: a chain of tables may be longer
than a stack.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from governance.dataset import Dataset, Field
from governance.graph import Edge
from governance.impact import Hop, Impact, Reached
from governance.report.trace import told_by, use_text, what_text, word_text
from governance.trace import Trace

KINDS = ("start", "value", "population", "rows", "unknown")
"""What a line tells: what was asked, whose values flow, what is steered, which rows there are, what is not known."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a tree.

    depth:  0 for what was asked
    kind:   one of ``KINDS``
    name:   of a column or table
    note:   how it hangs together with the line that is one less deep
    detail: who said so, for who wants to know more
    """

    depth: int
    kind: str
    name: str
    note: str = ""
    detail: str = ""


def trace_lines(trace: Trace) -> Iterator[Line]:
    """Yield what ``trace`` found, a line a step."""
    for step in trace.steps:
        note = "  ".join(filter(None, (word_text(step, trace), ", ".join(dict.fromkeys(map(use_text, step.by))))))
        yield Line(step.depth, _kind(step.depth, step.word, step.by), what_text(step), note, told_by(step))


def impact_lines(impact: Impact) -> Iterator[Line]:
    """Yield what ``impact`` reaches, each under what it is reached from by the shortest way, once."""
    reached = _by_path(impact)
    below: dict[tuple[Hop, ...], list[tuple[Hop, ...]]] = defaultdict(list)
    for path in sorted(_prefixes(reached), key=_path_order):
        below[path[:-1]].append(path)
    yield Line(0, "start", str(impact.start))
    waiting = list(reversed(below[()]))
    while waiting:
        path = waiting.pop()
        yield from _reached_lines(path, reached.get(path, []), impact)
        waiting.extend(reversed(below.get(path, [])))


def _kind(depth: int, word: str, by: tuple[Hop, ...]) -> str:
    if depth == 0:
        return "start"
    if word in ("rows", "unknown"):
        return word
    direct = not by or any(isinstance(hop, Edge) and hop.transformation.direct for hop in by)
    return "value" if direct else "population"


Told = tuple[str, Reached]


def _by_path(impact: Impact) -> dict[tuple[Hop, ...], list[Told]]:
    found: dict[tuple[Hop, ...], list[Told]] = defaultdict(list)
    lists = (
        ("value", impact.values),
        ("rows", impact.tables),
        ("population", impact.population),
        ("unknown", impact.unknown),
    )
    for kind, reached in lists:
        for it in reached:
            found[it.path].append((kind, it))
    return found


def _prefixes(reached: Iterable[tuple[Hop, ...]]) -> set[tuple[Hop, ...]]:
    return {path[:end] for path in reached for end in range(1, len(path) + 1)}


def _path_order(path: tuple[Hop, ...]) -> tuple[object, ...]:
    return len(path), *((str(hop.target), hop.how, str(hop.source)) for hop in path)


def _reached_lines(path: tuple[Hop, ...], told: list[Told], impact: Impact) -> Iterator[Line]:
    depth, hop = len(path), path[-1]
    own = next((it for it in told if it[1].what == hop.target), None)
    kind = own[0] if own else "unknown"
    stale = " (stale: dropped)" if _dataset(hop.target) in impact.stale else ""
    by = f"job {hop.job}, run {hop.run_id or 'none'}, {hop.learned.value}"
    yield Line(depth, kind, f"{hop.target}{stale}", _note(hop), by)
    for kind, it in told:
        # the columns of a table whose rows change stand as near as the table
        if it.what != hop.target:
            yield Line(depth + 1, kind, str(it.what), "with its rows" if kind == "population" else kind)


def _note(hop: Hop) -> str:
    on_rows = isinstance(hop, Edge) and isinstance(hop.target, Dataset)
    return f"every row, {hop.how}" if on_rows else hop.how


def _dataset(thing: Field | Dataset) -> Dataset:
    return thing.dataset if isinstance(thing, Field) else thing
