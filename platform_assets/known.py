"""What the rules look at, gathered from the policy, the pipelines, the catalog and the event store."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from governance.consumers.declared import load_declarations
from governance.events.client import disabled
from governance.events.open import event_store
from governance.heard import heard_of
from governance.identity import carried
from governance.project import Project
from governance.queries.store import QueryStore
from governance.rules import RULES, EndedAttempt, Known
from governance.statement import Program
from platform_assets.loaded import load
from platform_assets.look import look


def known(project: Project, ended: Iterable[EndedAttempt], now: datetime) -> Known:
    """Return all that rules may ask, read at this moment: files too, as a code server may be older than a policy.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
        CatalogError: the catalog cannot be read.
        EventStoreError: the store cannot be read.
    """
    loaded, store = load(project), event_store(project)
    jobs = [pipeline.job for pipeline in loaded.pipelines]
    sources = frozenset(source.table for source in loaded.sources)
    catalog = look(project, now)
    schemas = catalog.seen.schemas(loaded.policy.lineage.namespace)
    # after the catalog: a run sends START before it commits, so what was committed by then is at least under way here
    heard = heard_of(store.refresh(), project.state, now, loaded.policy.lineage.spellings, schemas)
    return Known(
        policy=carried(loaded.policy, schemas),
        graph=heard.graph,
        runs=heard.runs,
        problems=tuple(heard.problems),
        snapshots=heard.snapshots,
        ended=tuple(ended),
        inventory=frozenset(catalog.seen.tables),
        sources=sources,
        pipelines=frozenset(pipeline.table for pipeline in loaded.pipelines),
        unreadable=loaded.program.unreadable,
        silenced=disabled(),
        now=now,
        filtered={job: reason for job in jobs if (reason := store.silenced(job))},
        heads={name: head for name, head in catalog.heads.items() if name not in sources},
        damaged=catalog.damaged,
        log=QueryStore(project.state / "queries").read(),
        declarations=load_declarations(project),
        columns=_columns(loaded.program, catalog.seen.columns),
        rules=frozenset(rule.name for rule in RULES),
    )


def _columns(program: Program, catalog: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return each table's columns as files and catalog say, without the tables of which files do not say enough."""
    tables = (program.schemas.keys() | catalog.keys()) - program.undetermined
    return {table: frozenset((*program.schemas.get(table, ()), *catalog.get(table, ()))) for table in tables}
