"""What stands, before any edge of it is made, and what a name means in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from governance.dataset import Dataset, Field
from governance.dependencies import input_fields
from governance.graph.build import Said, Standing, datasets_of, fields_of
from governance.graph.model import Graph
from governance.graph.resolve import resolve

if TYPE_CHECKING:
    from governance.events.arrays import Saying
    from governance.events.light_store import Light


@dataclass(frozen=True, slots=True)
class Known:
    """What stands, and the store in which the edges of light events are; None where all events are whole."""

    standing: Standing
    light: "Light | None" = None

    def saying(self, said: Said) -> "Saying | None":
        """Return where the edges of ``said`` stand; None where they are in its event."""
        run, output = said
        return self.light.said.get((run.run_id, run.job, output.dataset)) if self.light else None


def start_of(known: Known, name: str) -> tuple[Field | Dataset, tuple[Field, ...]]:
    """Return what ``name`` means, and the columns of the table that it is or is in.

    Only the columns of tables that ``name`` may mean are looked at.

    Raises:
        UnknownField: as for :func:`governance.graph.resolve.resolve`.
        EventStoreError: a file of the store is missing or damaged.
    """
    datasets = datasets_of(known.standing)
    meant = frozenset(_meant(datasets, name))
    touching = [it for it in known.standing.writes if it.dataset in meant or not meant.isdisjoint(it.inputs)]
    columns = fields_of(known.standing, touching, _read(known, meant), meant)
    fields = {dataset: columns.get(dataset, ()) if dataset in meant else () for dataset in datasets}
    start = resolve(Graph((), (), (), fields), name)
    return start, fields[start.dataset if isinstance(start, Field) else start]


def _meant(datasets: Iterable[Dataset], name: str) -> Iterator[Dataset]:
    """Yield the tables that ``name`` spells, or spells a column of; where there is none, those that it nearly does."""
    typed = f"{name.casefold()}."
    spelled = {dataset: (str(dataset), f"{dataset.namespace}/{dataset}") for dataset in datasets}
    found = [it for it, names in spelled.items() if any(typed.startswith(f"{own.casefold()}.") for own in names)]
    if found:
        yield from found
        return
    close = frozenset(get_close_matches(name.rpartition(".")[0], [own for names in spelled.values() for own in names]))
    yield from (it for it, names in spelled.items() if not close.isdisjoint(names))


def _read(known: Known, datasets: frozenset[Dataset]) -> Iterator[Field]:
    """Yield the columns of ``datasets`` that standing edges read."""
    writes = zip(known.standing.said, known.standing.writes, strict=True)
    reading = [said for said, write in writes if not datasets.isdisjoint(write.inputs)]
    placed = [(output, known.saying((run, output))) for run, output in reading]
    stored = [place for _, place in placed if place]
    if known.light and stored:
        yield from known.light.sources(stored, datasets)
    for output, place in placed:
        if place is None and output.lineage:
            yield from (it for it in input_fields(output.lineage) if it.dataset in datasets)
