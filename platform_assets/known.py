"""What the rules look at, gathered from the policy, the pipelines, the catalog and the event store."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from governance.catalog_seen import CatalogSeen, keep
from governance.consumers.declared import load_declarations
from governance.events.client import disabled
from governance.events.store import EventStore
from governance.graph import build_graph
from governance.identity import carried
from governance.project import Project
from governance.queries.store import QueryStore
from governance.rules import RULES, EndedAttempt, Head, Known
from governance.runs import read_runs
from governance.statement import Program
from governance.telling import told
from platform_assets.catalog import inventory, open_catalog
from platform_assets.factory import load
from platform_assets.heads import heads, loadable
from platform_assets.schema_history import schema_history


def known(project: Project, ended: Iterable[EndedAttempt], now: datetime) -> Known:
    """Return all that rules may ask, read at this moment: files too, as a code server may be older than a policy.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
        CatalogError: the catalog cannot be read.
        EventStoreError: the store cannot be read.
    """
    loaded, store = load(project), EventStore(project.events)
    jobs = [pipeline.job for pipeline in loaded.pipelines]
    sources = frozenset(source.table for source in loaded.sources)
    catalog = _look(project, now, sources)
    schemas = catalog.seen.schemas(loaded.policy.lineage.namespace)
    # after the catalog: a run sends START before it commits, so what was committed by then is at least under way here
    events = told(store.read().events, loaded.policy.lineage.spellings, schemas=schemas)
    runs = read_runs(events)
    return Known(
        policy=carried(loaded.policy, schemas),
        graph=build_graph(events),
        runs={run.run_id: run for run in runs},
        ended=tuple(ended),
        inventory=frozenset(catalog.seen.tables),
        sources=sources,
        pipelines=frozenset(pipeline.table for pipeline in loaded.pipelines),
        unreadable=loaded.program.unreadable,
        silenced=disabled(),
        now=now,
        filtered={job: reason for job in jobs if (reason := store.silenced(job))},
        heads=catalog.heads,
        log=QueryStore(project.state / "queries").read(),
        declarations=load_declarations(project),
        columns=_columns(loaded.program, catalog.columns),
        rules=frozenset(rule.name for rule in RULES),
    )


@dataclass(frozen=True, slots=True)
class _Catalog:
    """The catalog as one look found it; columns and heads by table."""

    seen: CatalogSeen
    heads: Mapping[str, Head]
    columns: Mapping[str, Iterable[str]]


def _look(project: Project, now: datetime, sources: frozenset[str]) -> _Catalog:
    with open_catalog(project) as catalog:
        tables = inventory(catalog)
        present = loadable(catalog, tables)
    seen = CatalogSeen(now, tuple(sorted(tables)), schema_history(present))
    # for commands that open no catalog; a disk that is full must not hide what the rules find
    with suppress(OSError):
        keep(project.state, seen)
    written = {name: table for name, table in present.items() if name not in sources}
    return _Catalog(seen, heads(written), {name: table.schema().column_names for name, table in present.items()})


def _columns(program: Program, catalog: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return each table's columns as files and catalog say, without the tables of which files do not say enough."""
    tables = (program.schemas.keys() | catalog.keys()) - program.undetermined
    return {table: frozenset((*program.schemas.get(table, ()), *catalog.get(table, ()))) for table in tables}
