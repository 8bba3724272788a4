"""A few of the runs that stand, with all that their events said: what columns come from, texts and types."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from governance.dataset import Dataset
from governance.dependencies import input_fields
from governance.graph.build import Said, datasets_of, names_of
from governance.graph.known import Known
from governance.runs import Job, Run, RunDataset, read_runs

_Key = tuple[str, Job]


def whole_runs(known: Known, said: Iterable[Said]) -> tuple[Run, ...]:
    """Return the runs of what is ``said``, each with those of its outputs.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    outputs: dict[_Key, list[Said]] = defaultdict(list)
    for run, output in said:
        outputs[run.run_id, run.job].append((run, output))
    sayings = [(it[0].run_id, place) for of_run in outputs.values() for it in of_run if (place := known.saying(it))]
    told = read_runs(known.light.events_of(sayings)) if known.light and sayings else ()
    whole = {(run.run_id, run.job): run for run in told}
    return tuple(_whole(known, of_run, whole.get(key)) for key, of_run in outputs.items())


def columns_known(known: Known) -> dict[Dataset, tuple[str, ...]]:
    """Return the columns of all datasets, of what is only read those in no order; no edge is made for it.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    standing = known.standing
    found = {
        it: dict.fromkeys(names) for it, names in names_of(standing, standing.writes, datasets_of(standing)).items()
    }
    placed = [(output, known.saying((run, output))) for run, output in standing.said]
    stored = known.light.all_sources(it for _, it in placed if it) if known.light else {}
    for dataset, names in stored.items():
        found[dataset].update(dict.fromkeys(names))
    for it in (
        it for output, place in placed if place is None and output.lineage for it in input_fields(output.lineage)
    ):
        found[it.dataset].setdefault(it.name)
    return {dataset: tuple(names) for dataset, names in found.items()}


def _whole(known: Known, said: Iterable[Said], told: Run | None) -> Run:
    (run, _), *_ = read = tuple(said)
    if told is None:
        return replace(run, outputs=tuple(output for _, output in read))
    inputs = {it.dataset: it for it in told.inputs}
    outputs = {it.dataset: it for it in told.outputs}
    return replace(
        run,
        inputs=tuple(_described(it, inputs) for it in run.inputs),
        # what is not light has all of it already
        outputs=tuple(_described(it, outputs) if known.saying((run, it)) else it for _, it in read),
    )


def _described(light: RunDataset, told: dict[Dataset, RunDataset]) -> RunDataset:
    """Return what the event says beside what its light form does, in the names of the latter."""
    whole = told.get(light.dataset)
    if whole is None:
        return light
    return replace(
        light,
        lineage=whole.lineage,
        schema=whole.schema,
        description=whole.description,
        expressions=whole.expressions,
        format=whole.format,
        files=whole.files,
    )
