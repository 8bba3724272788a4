"""Events → Graph: which fields flow into or steer which, and whose rows flow where.

Three kinds of evidence stand side by side, and nothing here reads SQL:

- an ``Edge`` to a ``Field``: column lineage of one output column
- an ``Edge`` to a ``Dataset``: an input that decides which rows of the output exist, one hub edge, not one a column
- a ``Flow`` from dataset to dataset: a job read the one and wrote the other, which holds even where no column says so

For each job and output the latest COMPLETE run stands, several jobs that write one table add up, and a run that failed
or was aborted adds nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches

from governance.dataset import Dataset, Field
from governance.dependencies import dependencies, input_datasets
from governance.errors import UnknownField
from governance.events.model import Event
from governance.lineage.model import Transformation
from governance.runs import Job, Run, RunDataset, read_runs

RANK = {transformation: place for place, transformation in enumerate(Transformation)}
"""DIRECT before INDIRECT, then as OpenLineage lists them: the order in which edges are shown."""


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` flows into or steers ``target``; a ``Dataset`` as target means every row of it.

    masking: every way from source to target goes through a masking function
    job, run_id, at: who said so last, and when that run ended
    """

    source: Field
    target: Field | Dataset
    transformation: Transformation
    masking: bool
    job: str
    run_id: str
    at: datetime

    @property
    def how(self) -> str:
        """Return ``DIRECT IDENTITY`` and the like."""
        return f"{self.transformation.type} {self.transformation.subtype}"

    def __str__(self) -> str:
        """Return ``source (TYPE SUBTYPE)``, as messages cite it."""
        return f"{self.source} ({self.how})"


@dataclass(frozen=True, slots=True)
class Flow:
    """A job read ``source`` and wrote ``target``: its rows depend on the source's.

    traced: whether the write carried column lineage; where not, which columns flow is unknown
    gaps:   output columns that the write's schema has and its column lineage does not mention
    """

    source: Dataset
    target: Dataset
    job: str
    run_id: str
    at: datetime
    traced: bool
    gaps: tuple[str, ...]

    @property
    def how(self) -> str:
        """Return the words for this step of a path."""
        return "ROWS" if self.traced else "NO COLUMN LINEAGE"


@dataclass(frozen=True, slots=True)
class Write:
    """The run that stands for one job and one output.

    inputs: datasets that the run read, sorted
    fields: the output's columns, in order, as schema and lineage name them
    traced: whether it carried column lineage
    gaps:   columns that its schema has and its column lineage does not mention
    """

    job: Job
    dataset: Dataset
    run_id: str
    at: datetime
    inputs: tuple[Dataset, ...]
    fields: tuple[str, ...]
    traced: bool
    gaps: tuple[str, ...]
    snapshot: str | None
    owners: tuple[str, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """The columns whose inputs are known, also those known to have none."""
        return tuple(name for name in self.fields if name not in self.gaps) if self.traced else ()


@dataclass(frozen=True, slots=True)
class Graph:
    """What the events of all standing runs say together, each part in a fixed order.

    edges:  by target, then DIRECT before INDIRECT, then source
    flows:  by source, target, job
    writes: by dataset, job
    fields: the known columns of each dataset, in table order where a schema gave one
    """

    edges: tuple[Edge, ...]
    flows: tuple[Flow, ...]
    writes: tuple[Write, ...]
    fields: Mapping[Dataset, tuple[Field, ...]]

    @property
    def written(self) -> frozenset[Dataset]:
        """The datasets that some job is known to write."""
        return frozenset(write.dataset for write in self.writes)


def build_graph(events: Iterable[Event]) -> Graph:
    """Return the graph of ``events``, the same for every order of them."""
    return graph_of(read_runs(events))


def graph_of(runs: Iterable[Run]) -> Graph:
    """Return the graph of ``runs``: the latest COMPLETE of each job and output stands."""
    standing = _standing(runs)
    writes = tuple(_write(run, output) for run, output in standing)
    edges = tuple(sorted((edge for run, out in standing for edge in _edges(run, out)), key=_edge_order))
    flows = (flow for write in writes for flow in _flows(write))
    by_name = sorted(flows, key=lambda flow: (flow.source, flow.target, flow.job, flow.run_id))
    return Graph(edges, tuple(by_name), writes, _fields(standing, writes, edges))


def resolve(graph: Graph, name: str) -> Field | Dataset:
    """Return the dataset or field that ``name`` means: ``crm.learners``, ``crm.learners.email``.

    ``namespace/name`` tells apart what two namespaces share.

    Raises:
        UnknownField: no event names it, or several namespaces have it.
    """
    named: dict[str, list[Field | Dataset]] = defaultdict(list)
    for dataset, fields in graph.fields.items():
        things: tuple[Field | Dataset, ...] = (dataset, *fields)
        for thing in things:
            for spelled in (str(thing), f"{dataset.namespace}/{thing}"):
                named[spelled].append(thing)
    found = named.get(name, [])
    if len(found) == 1:
        return found[0]
    if found:
        # a dataset and a field of another dataset may share a dotted name, and so may two namespaces
        choices = ", ".join(sorted(f"{_dataset(thing).namespace}/{thing}" for thing in found))
        raise UnknownField(f"{name} is ambiguous", fix=f"write one of {choices}")
    close = get_close_matches(name, named, n=3)
    fix = f"did you mean {', '.join(close)}?" if close else "run its pipeline once, so that an event names it"
    raise UnknownField(f"no event names {name}", fix=fix)


def _dataset(thing: Field | Dataset) -> Dataset:
    return thing.dataset if isinstance(thing, Field) else thing


def _standing(runs: Iterable[Run]) -> list[tuple[Run, RunDataset]]:
    latest: dict[tuple[Dataset, Job], tuple[Run, RunDataset]] = {}
    ended = ((run.ended, run) for run in runs if run.state == "COMPLETE" and run.ended)
    for _, run in sorted(ended, key=lambda pair: (pair[0], pair[1].run_id)):
        for output in run.outputs:
            latest[output.dataset, run.job] = run, output
    return [latest[key] for key in sorted(latest)]


def _ended(run: Run) -> datetime:
    return run.ended or run.began


def _write(run: Run, output: RunDataset) -> Write:
    named = (source.dataset for source in run.inputs)
    traced = input_datasets(output.lineage) if output.lineage else ()
    return Write(
        job=run.job,
        dataset=output.dataset,
        run_id=run.run_id,
        at=_ended(run),
        inputs=tuple(sorted({*named, *traced})),
        fields=tuple(dict.fromkeys((*output.fields, *(output.lineage.fields if output.lineage else ())))),
        traced=output.lineage is not None,
        gaps=_gaps(output),
        snapshot=output.snapshot,
        owners=output.owners,
    )


def _flows(write: Write) -> Iterator[Flow]:
    for source in write.inputs:
        yield Flow(source, write.dataset, write.job.name, write.run_id, write.at, write.traced, write.gaps)


def _gaps(output: RunDataset) -> tuple[str, ...]:
    if output.lineage is None:
        return ()
    # lineage of a nested member (address.city) speaks for its column
    said = {name.partition(".")[0] for name in output.lineage.fields} | set(output.lineage.fields)
    return tuple(name for name in output.fields if name not in said)


def _edges(run: Run, output: RunDataset) -> Iterator[Edge]:
    if output.lineage is None:
        return
    found: dict[tuple[Field, Field | Dataset, Transformation], bool] = {}
    for source, target, transformation, masking in dependencies(output.dataset, output.lineage):
        key = source, target, transformation
        # masked only if every way is: one clear copy beside a hashed one is clear
        found[key] = masking and found.get(key, True)
    for (source, target, transformation), masking in found.items():
        yield Edge(source, target, transformation, masking, run.job.name, run.run_id, _ended(run))


def _edge_order(edge: Edge) -> tuple[object, ...]:
    target = edge.target
    where = (target.dataset, target.name) if isinstance(target, Field) else (target, "")
    return (where, RANK[edge.transformation], edge.source, edge.job, edge.run_id)


def _fields(
    standing: list[tuple[Run, RunDataset]], writes: Iterable[Write], edges: Iterable[Edge]
) -> dict[Dataset, tuple[Field, ...]]:
    names: dict[Dataset, dict[str, None]] = defaultdict(dict)
    for write in writes:
        names[write.dataset].update(dict.fromkeys(write.fields))
        for read in write.inputs:
            names[read].update({})
    written = {write.dataset for write in writes if write.fields}
    for run, _ in sorted(standing, key=lambda pair: (_ended(pair[0]), pair[0].run_id), reverse=True):
        for source in run.inputs:
            # what a job wrote is known from the job; a reader may have seen an older schema of it
            if source.dataset not in written:
                names[source.dataset].update(dict.fromkeys(source.fields))
    for edge in sorted(edges, key=lambda edge: edge.source):
        names[edge.source.dataset].setdefault(edge.source.name)
    return {dataset: tuple(Field(dataset, name) for name in names[dataset]) for dataset in sorted(names)}
