"""Runs → Graph.

For each job and output the latest COMPLETE run stands, several jobs that write one table add up, and a run that failed
or was aborted adds nothing. What jobs and datasets declare of themselves stands beside the runs.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from governance.dataset import Dataset, Field
from governance.dependencies import Sources, dependencies, input_datasets
from governance.events.model import Event
from governance.graph.model import RANK, Edge, Flow, Graph, Tagged, Write
from governance.learned import Learned
from governance.lineage.model import Transformation
from governance.runs import Job, Run, RunDataset, ended, read_declared, read_runs

Said = tuple[Run, RunDataset]


def build_graph(events: Iterable[Event]) -> Graph:
    """Return the graph of ``events``, the same for every order of them."""
    read = tuple(events)
    return graph_of(read_runs(read), read_declared(read))


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands, before any edge of it is made: ``writes[n]`` is the write of ``said[n]``.

    seen: every description of a dataset, the latest first
    """

    said: tuple[Said, ...]
    writes: tuple[Write, ...]
    seen: tuple[Said, ...]

    @property
    def dropped(self) -> frozenset[Dataset]:
        """The datasets of which the last thing said is that they were dropped."""
        return _dropped(self.seen)


def standing_of(runs: Iterable[Run], declared: Iterable[Run] = ()) -> Standing:
    """Return what stands of ``runs`` and ``declared``: the latest COMPLETE of each job and output."""
    completed = [run for run in runs if run.state == "COMPLETE" and run.ended]
    declarations = tuple(declared)
    ran = _standing(completed)
    beside = _beside(ran, _standing(run for run in declarations if run.learned is Learned.DECLARED))
    said = tuple(sorted((*ran, *beside), key=_place))
    writes = tuple(_write(run, output) for run, output in said)
    return Standing(said, writes, tuple(_seen((*completed, *declarations))))


def graph_of(runs: Iterable[Run], declared: Iterable[Run] = ()) -> Graph:
    """Return the graph of ``runs`` and of what is ``declared``: the latest COMPLETE of each job and output stands."""
    standing = standing_of(runs, declared)
    edges = tuple(edges_of(standing.said))
    return Graph(
        edges=edges,
        flows=tuple(flows_of(standing.writes)),
        writes=standing.writes,
        fields=fields_of(standing, standing.writes, (edge.source for edge in edges), datasets_of(standing)),
        tags=tags_of(standing.seen),
        dropped=standing.dropped,
    )


def _standing(runs: Iterable[Run]) -> list[Said]:
    latest: dict[tuple[Dataset, Job], Said] = {}
    for run in sorted(runs, key=lambda run: (ended(run), run.run_id)):
        for output in run.outputs:
            latest[output.dataset, run.job] = run, output
    return [latest[key] for key in sorted(latest)]


def _place(said: Said) -> tuple[object, ...]:
    run, output = said
    return output.dataset, run.job, run.run_id


def _beside(ran: Iterable[Said], declared: Iterable[Said]) -> Iterator[Said]:
    """Yield what declarations add: a branch that no run took, and a job that never ran; not less than a run told."""
    known = {(out.dataset, run.job) for run, out in ran}
    return ((run, out) for run, out in declared if out.lineage or (out.dataset, run.job) not in known)


def _write(run: Run, output: RunDataset) -> Write:
    named = (source.dataset for source in run.inputs)
    traced = input_datasets(output.lineage) if output.lineage else ()
    return Write(
        job=run.job,
        dataset=output.dataset,
        run_id=run.run_id,
        at=ended(run),
        inputs=tuple(sorted({*named, *traced})),
        fields=tuple(dict.fromkeys((*output.fields, *(output.lineage.fields if output.lineage else ())))),
        traced=output.lineage is not None,
        gaps=_gaps(output),
        snapshot=output.snapshot,
        owners=output.owners,
        learned=run.learned,
    )


def flows_of(writes: Iterable[Write]) -> Iterator[Flow]:
    """Yield the flows of ``writes`` by source; those of one source come by target and job already, as writes do."""
    by_source: dict[Dataset, list[Flow]] = defaultdict(list)
    for write in writes:
        said = (write.dataset, write.job.name, write.run_id, write.at, write.traced, write.gaps, write.learned)
        for source in write.inputs:
            by_source[source].append(Flow(source, *said))
    for source in sorted(by_source):
        yield from by_source[source]


def _gaps(output: RunDataset) -> tuple[str, ...]:
    if output.lineage is None:
        return ()
    # lineage of a nested member (address.city) speaks for its column
    said = {name.partition(".")[0] for name in output.lineage.fields} | set(output.lineage.fields)
    return tuple(name for name in output.fields if name not in said)


def edges_of(standing: Iterable[Said]) -> Iterator[Edge]:
    """Yield the edges of what stands, in a graph's order."""
    sources = Sources()
    # all that is said of one dataset stands together, so small sorts do
    for _, of_dataset in groupby(standing, key=lambda said: said[1].dataset):
        yield from sorted((edge for run, out in of_dataset for edge in _edges(run, out, sources)), key=edge_order)


def _edges(run: Run, output: RunDataset, sources: Sources) -> Iterator[Edge]:
    if output.lineage is None:
        return
    found: dict[tuple[Field, Field | Dataset, Transformation], bool] = {}
    for source, target, transformation, masking in dependencies(output.dataset, output.lineage, sources):
        key = source, target, transformation
        # masked only if every way is: one clear copy beside a hashed one is clear
        found[key] = masking and found.get(key, True)
    job, run_id, at, learned = run.job.name, run.run_id, ended(run), run.learned
    for (source, target, transformation), masking in found.items():
        yield Edge(source, target, transformation, masking, job, run_id, at, learned)


def edge_order(edge: Edge) -> tuple[object, ...]:
    """Return the place of an edge among those to one dataset."""
    target, source = edge.target, edge.source
    name = target.name if isinstance(target, Field) else ""
    dataset = source.dataset
    return (name, RANK[edge.transformation], dataset.namespace, dataset.name, source.name, edge.job, edge.run_id)


def _seen(runs: Iterable[Run]) -> list[Said]:
    """Return every description of a dataset, the latest first."""
    ordered = sorted(runs, key=lambda run: (ended(run), run.run_id, run.job), reverse=True)
    return [(run, part) for run in ordered for part in (*run.outputs, *run.inputs)]


def fields_of(
    standing: Standing, writes: Iterable[Write], sources: Iterable[Field], datasets: Collection[Dataset]
) -> dict[Dataset, tuple[Field, ...]]:
    """Return the columns of ``datasets``, sorted: as ``writes`` have them, and ``sources``, which edges read."""
    names = names_of(standing, writes, datasets)
    for source in sorted(source for source in set(sources) if source.dataset in names):
        names[source.dataset].setdefault(source.name)
    return {dataset: tuple(Field(dataset, name) for name in names[dataset]) for dataset in sorted(names)}


def names_of(
    standing: Standing, writes: Iterable[Write], datasets: Collection[Dataset]
) -> dict[Dataset, dict[str, None]]:
    """Return the names of the columns of ``datasets``, in order: as ``writes`` have them, else as readers saw them."""
    names: dict[Dataset, dict[str, None]] = {dataset: {} for dataset in datasets}
    told = tuple(writes)
    written = {write.dataset for write in told if write.fields}
    for write in told:
        if write.dataset in names:
            names[write.dataset].update(dict.fromkeys(write.fields))
    readers = {id(run) for run, _ in standing.said}
    for run, part in standing.seen:
        # what a job wrote is known from the job; a reader may have seen an older schema of it
        if part.dataset in names and part.dataset not in written and (id(run) in readers or run.state == "DECLARED"):
            names[part.dataset].update(dict.fromkeys(part.fields))
    return names


def datasets_of(standing: Standing) -> tuple[Dataset, ...]:
    """Return the datasets that :func:`fields_of` would give columns, sorted."""
    readers = {id(run) for run, _ in standing.said}
    found = {dataset for write in standing.writes for dataset in (write.dataset, *write.inputs)}
    found |= {part.dataset for run, part in standing.seen if id(run) in readers or run.state == "DECLARED"}
    return tuple(sorted(found))


def tags_of(seen: Iterable[Said]) -> Mapping[Field | Dataset, tuple[Tagged, ...]]:
    """Return the tags of each thing: those of each job's latest run, so that a tag goes when its producer drops it."""
    latest: dict[tuple[Dataset, Job], RunDataset] = {}
    for run, part in seen:
        latest.setdefault((part.dataset, run.job), part)
    found: dict[Field | Dataset, set[Tagged]] = defaultdict(set)
    for (dataset, job), part in latest.items():
        for tag in part.tags or ():
            thing = Field(dataset, tag.field) if tag.field else dataset
            found[thing].add(Tagged(tag.key, tag.value, tag.source or "", job.name))
    return {thing: tuple(sorted(found[thing])) for thing in found}


def _dropped(seen: Iterable[Said]) -> frozenset[Dataset]:
    """Return the datasets of which the last thing said is that they were dropped."""
    latest: dict[Dataset, str] = {}
    for _, part in seen:
        latest.setdefault(part.dataset, part.change.lifecycle_state_change.upper() if part.change else "")
    return frozenset(dataset for dataset, change in latest.items() if change == "DROP")
