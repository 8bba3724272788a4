"""One run of one pipeline as values: what it stands on, what its lineage was read from, what became of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from governance.events.facets import Naming
from governance.events.redact import secrets_of
from governance.events.run import DAGSTER_RUN_ID, Attempt, RunFacts
from governance.events.run_facets import Engine as EngineFacts
from governance.events.run_facets import Parent
from governance.events.store import EventStore
from governance.landing.model import FileSource
from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.project import Project
from governance.sources import Source
from governance.statement import Statement
from governance.statement.formats import require_formats
from governance.statement.order import unknown_table
from governance.windows import Window
from platform_assets.engines.engine import Engine
from platform_assets.facts import job_facts
from platform_assets.iceberg.catalog import Catalog, Planned, Table, schema_of
from platform_assets.iceberg.publish import Commit
from platform_assets.landing.landed import Landed


@dataclass(frozen=True, slots=True)
class Platform:
    """What every run stands on; ``sources`` are the declared ones. ``clock`` gives aware instants."""

    project: Project
    policy: Policy
    sources: tuple[Source, ...]
    catalog: Catalog
    engine: Engine
    store: EventStore
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Run:
    """Which run this is: its attempt, the run that it belongs to, its nominal time where it was scheduled.

    window: the span of time whose rows it makes; None: it makes the table whole
    """

    attempt: Attempt
    parent: Parent | None = None
    scheduled: datetime | None = None
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Traced:
    """A statement and what it names, as it was when the lineage was read from the columns.

    tables: of the catalog, the statement's own among them where there is one
    files:  the declared datasets of files that it reads
    """

    statement: Statement
    tables: Mapping[str, Table]
    files: Mapping[str, Source]
    lineage: ColumnLineage

    @property
    def own(self) -> Table | None:
        """The table to be written, None where there is none yet."""
        return self.tables.get(self.statement.pipeline.table)

    @property
    def schema(self) -> dict[str, dict[str, str]]:
        """The columns of tables and files: ``{name: {column: SQL type}}``, each in its own order."""
        return schemas(self.tables, self.files)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A dataset of files and those of them that a run reads, sorted by name.

    touched: files that the table took before, with the same content, and whose time is another one now
    """

    source: FileSource
    files: tuple[Landed, ...]
    touched: tuple[Landed, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """Rows that did not fit: how many of each dataset of files, and the commit that keeps them, None where all did."""

    rows: Mapping[str, int]
    commit: Commit | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """What a run works from.

    read:     how many rows were read of each dataset of files, the rejected ones too; a dataset is left out while, or
              where, that is not known
    rejected: None before the rows are made
    window:   the span of time that is replaced; None where the table is made whole
    """

    traced: Traced
    inputs: tuple[Planned, ...]
    arrived: tuple[Arrived, ...] = ()
    read: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    rejected: Rejected | None = None
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Work that is committed: from what, and what it became."""

    begun: Begun
    commit: Commit

    @property
    def traced(self) -> Traced:
        """The statement and its lineage."""
        return self.begun.traced


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds: reading lineage, running and committing, writing events."""

    lineage: float = 0.0
    work: float = 0.0
    events: float = 0.0


@dataclass(frozen=True, slots=True)
class Materialized:
    """What a run did. ``warnings`` say what went wrong after the commit, which stands."""

    run_id: str
    done: Done
    timings: Timings
    warnings: tuple[str, ...] = ()


def files_read(sources: Iterable[Source], statement: Statement) -> dict[str, Source]:
    """Return the declared datasets of files that ``statement`` reads, by name.

    Raises:
        LineageError: a file is not declared, or as another format than the statement reads.
    """
    declared = {it.table: it for it in sources}
    for name in statement.reads:
        if "/" in name and name not in declared:
            raise unknown_table(statement, name, declared)
    require_formats(statement, declared)
    return {name: it for name, it in declared.items() if it.files is not None and name in statement.reads}


def schemas(tables: Mapping[str, Table], files: Mapping[str, Source]) -> dict[str, dict[str, str]]:
    """Return ``{name: {column: SQL type}}`` of tables of the catalog, and of declared datasets of files."""
    return {name: schema_of(it) for name, it in tables.items()} | {name: dict(it.columns) for name, it in files.items()}


def run_facts(platform: Platform, pipeline: Pipeline, run: Run) -> RunFacts:
    """Return what all events of a run of ``pipeline`` have in common."""
    return facts_of(platform.project, platform.policy, platform.engine, pipeline, run)


def facts_of(project: Project, policy: Policy, engine: Engine, pipeline: Pipeline, run: Run) -> RunFacts:
    """Return the same where there is no catalog."""
    names = policy.lineage
    return RunFacts(
        attempt=run.attempt,
        naming=Naming(names.namespace, names.job_namespace, names.files),
        job=job_facts(project, pipeline),
        parent=run.parent,
        engine=EngineFacts(engine.name, engine.version),
        scheduled=run.window.start if run.window else run.scheduled,
        until=run.window.end if run.window else None,
        secrets=secrets_of(),
        tags=((DAGSTER_RUN_ID, run.attempt.dagster_run_id),),
    )
