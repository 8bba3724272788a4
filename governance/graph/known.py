"""What stands, before any edge of it is made, and what a name means in it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
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
    """What stands, and what else a name may mean.

    light:   the store in which the edges of light events are; None where all events are whole
    catalog: the columns of the tables that the catalog has, whether or not any event names them
    aliases: datasets that producers say are others, with the name that stands for both
    """

    standing: Standing
    light: "Light | None" = None
    catalog: Mapping[Dataset, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    aliases: Mapping[Dataset, Dataset] = field(default_factory=lambda: MappingProxyType({}))

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
    datasets = tuple(sorted(datasets_known(known)))
    name = _standing_name(known.aliases, datasets, name)
    meant = frozenset(_meant(datasets, name))
    columns = columns_of(known, meant)
    there = {it: tuple(Field(it, path) for path in known.catalog.get(it, ())) for it in meant}
    fields = {it: (*columns.get(it, ()), *there.get(it, ())) for it in datasets}
    start = resolve(Graph((), (), (), {it: tuple(dict.fromkeys(of)) for it, of in fields.items()}), name)
    own = start.dataset if isinstance(start, Field) else start
    # a member may be asked for, and is no column of its own
    whole = (it for it in there.get(own, ()) if "." not in it.name)
    return start, tuple(dict.fromkeys((*columns.get(own, ()), *whole)))


def columns_of(known: Known, datasets: frozenset[Dataset]) -> dict[Dataset, tuple[Field, ...]]:
    """Return the columns of ``datasets`` that events name; no others are looked at.

    Raises:
        EventStoreError: a file of the store is missing or damaged.
    """
    touching = [it for it in known.standing.writes if it.dataset in datasets or not datasets.isdisjoint(it.inputs)]
    return fields_of(known.standing, touching, _read(known, datasets), datasets)


def datasets_known(known: Known) -> frozenset[Dataset]:
    """Return the datasets that events name or the catalog has."""
    return frozenset((*datasets_of(known.standing), *known.catalog))


def _standing_name(aliases: Mapping[Dataset, Dataset], datasets: Iterable[Dataset], name: str) -> str:
    """Return ``name`` by the dataset that stands where it is spelled by another that producers say is the same."""
    if not aliases or any(_rest(dataset, name) is not None for dataset in datasets):
        return name
    found = {f"{it.namespace}/{it}{rest}" for told, it in aliases.items() if (rest := _rest(told, name)) is not None}
    return found.pop() if len(found) == 1 else name


def _rest(dataset: Dataset, name: str) -> str | None:
    """What ``name`` has behind the dataset: empty, or a column behind a dot; None where it names something else."""
    for own in (str(dataset), f"{dataset.namespace}/{dataset}"):
        if f"{name.casefold()}.".startswith(f"{own.casefold()}."):
            return name[len(own) :]
    return None


def _meant(datasets: Iterable[Dataset], name: str) -> Iterator[Dataset]:
    """Yield the tables that ``name`` spells, or spells a column of; where there is none, those that it nearly does."""
    every = tuple(datasets)
    found = [dataset for dataset in every if _rest(dataset, name) is not None]
    if found:
        yield from found
        return
    spelled = {dataset: (str(dataset), f"{dataset.namespace}/{dataset}") for dataset in every}
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
