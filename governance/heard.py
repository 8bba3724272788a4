"""What the events tell rules: from the past as it is followed, or from the whole store where it cannot be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from governance.events.pieces import Problem
from governance.events.reading import read_store, require_folder
from governance.graph.build import build_graph
from governance.graph.model import Graph
from governance.graph.stored_graph import StoredGraph
from governance.identity import Schemas
from governance.names import Spelling
from governance.rules.known import Snapshots
from governance.runs import Run, read_runs
from governance.telling import told


@dataclass(frozen=True, slots=True)
class Heard:
    """The fields of :class:`governance.rules.known.Known` that events fill.

    problems: what of the events could not be read
    """

    graph: Graph
    runs: Mapping[str, Run]
    snapshots: Snapshots = frozenset()
    problems: tuple[Problem, ...] = ()


def heard_of(events: Path, state: Path, now: datetime, spellings: Mapping[str, Spelling], schemas: Schemas) -> Heard:
    """Return what the store in the folder ``events`` tells now, in the names of ``spellings`` and ``schemas``.

    state: the folder in which what was followed of it is kept

    Raises:
        EventStoreError: the store cannot be read.
    """
    from governance.past.follow import follow  # noqa: PLC0415  # pyarrow is slow to start
    from governance.past.news import Changed  # noqa: PLC0415
    from governance.past.stands import stands  # noqa: PLC0415

    require_folder(events)
    followed = follow(events, state, now) if events.is_dir() else None
    if followed is None:
        return _whole(events, spellings, schemas)
    try:
        found = stands(followed, events, spellings, schemas)
    except Changed:
        # somebody replaced the store within this moment
        return _whole(events, spellings, schemas)
    return Heard(StoredGraph(found.known), found.runs, found.snapshots, followed.problems)


def _whole(folder: Path, spellings: Mapping[str, Spelling], schemas: Schemas) -> Heard:
    read = read_store(folder)
    events = told(read.events, spellings, schemas=schemas)
    return Heard(build_graph(events), {run.run_id: run for run in read_runs(events)}, problems=read.problems)
