"""The latest run that names a table or column of which nothing speaks that stands, or stood at the moment asked of."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from governance.dataset import Dataset, Field
from governance.dependencies import input_fields
from governance.errors import UnknownField
from governance.runs import Run, RunDataset, ended

Named = tuple[Run, Field | Dataset]


def last_named(runs: Iterable[Run], name: str) -> Named | None:
    """Return the latest of ``runs`` that names ``name``, spelled in any case, and what it means by it."""
    spelled = name.casefold()
    for run in sorted(runs, key=lambda run: (ended(run), run.run_id), reverse=True):
        for thing in _things(run):
            if spelled in (str(thing).casefold(), whole_name(thing).casefold()):
                return run, thing
    return None


def whole_name(thing: Field | Dataset) -> str:
    """Return the name with its namespace, which means this thing alone."""
    dataset = thing.dataset if isinstance(thing, Field) else thing
    return f"{dataset.namespace}/{thing}"


def _things(run: Run) -> Iterator[Field | Dataset]:
    for part in (*run.outputs, *run.inputs):
        yield part.dataset
        yield from _fields(part)


def _fields(part: RunDataset) -> Iterator[Field]:
    yield from (Field(part.dataset, name) for name in part.fields)
    if part.lineage:
        yield from (Field(part.dataset, name) for name in part.lineage.fields)
        yield from input_fields(part.lineage)


def not_standing(named: Named, as_of: datetime | None) -> UnknownField:
    """Return the error for a name that ``named``, and nothing that stands as of a moment, speaks of."""
    run, thing = named
    at = ended(run)
    who = f"job {run.job}, run {run.run_id}, {instant_text(at)}"
    if as_of is not None and at > as_of:
        problem = f"as of {instant_text(as_of)} no event names {thing}; the latest that does is of {who}"
        return UnknownField(problem, fix="ask as of a later time, or without --as-of")
    if run.state != "COMPLETE":
        problem = f"only runs that did not complete name {thing}; the latest is of {who}: {run.state}"
        return UnknownField(problem, fix="build it, so that a run completes; headwater history lists its runs")
    fix = f"ask --as-of {at.astimezone(UTC):%Y-%m-%dT%H:%M:%S%z} for what stood then"
    return UnknownField(f"only runs that stand no longer name {thing}; the latest is of {who}", fix=fix)


def instant_text(moment: datetime) -> str:
    """Return ``2026-11-20 00:00 UTC``, with seconds where it has some."""
    text = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return f"{text.removesuffix(':00')} UTC"
