"""The latest run that names a table or column of which nothing speaks that stands, or stood at the moment asked of."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from governance.dataset import Dataset, Field
from governance.dependencies import input_fields
from governance.errors import UnknownField
from governance.runs import Run, RunDataset, ended

if TYPE_CHECKING:
    from governance.events.arrays import Saying
    from governance.events.light_store import Light

Named = tuple[Run, Field | Dataset]


def last_named(runs: Iterable[Run], name: str, light: "Light | None" = None) -> Named | None:
    """Return the latest of ``runs`` that names ``name``, spelled in any case, and what it means by it.

    light: where the edges of light events stand, which ``runs`` do not have

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    latest = sorted(runs, key=lambda run: (ended(run), run.run_id), reverse=True)
    found = [_naming(latest, name.casefold()), _reading(latest, name.casefold(), light) if light else None]
    return max((it for it in found if it), key=lambda it: ended(it[0]), default=None)


def _naming(latest: Iterable[Run], spelled: str) -> Named | None:
    for run in latest:
        for thing in _things(run):
            if spelled in _spellings(thing):
                return run, thing
    return None


def _reading(latest: Sequence[Run], spelled: str, light: "Light") -> Named | None:
    """Return the latest run that reads the column, asking the store for as few edges as need be."""
    tables = {it.dataset for run in latest for it in run.inputs}
    for table in sorted(it for it in tables if any(spelled.startswith(f"{own}.") for own in _spellings(it))):
        readers = [
            (run, saying)
            for run in latest
            if any(it.dataset == table for it in run.inputs)
            for output in run.outputs
            if (saying := light.said.get((run.run_id, run.job, output.dataset)))
        ]

        def among(count: int, table: Dataset = table, readers: list[tuple[Run, "Saying"]] = readers) -> list[Field]:
            read = light.sources([saying for _, saying in readers[:count]], [table])
            return [field for field in read if spelled in _spellings(field)]

        if readers and among(len(readers)):
            place = bisect_left(range(1, len(readers)), x=True, key=lambda count: bool(among(count)))
            return readers[place][0], among(place + 1)[0]
    return None


def _spellings(thing: Field | Dataset) -> tuple[str, str]:
    return str(thing).casefold(), whole_name(thing).casefold()


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
