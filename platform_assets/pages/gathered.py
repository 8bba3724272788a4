"""What the project knows, gathered for its page from files and events alone: no Dagster and no catalog is opened."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from governance import catalog_seen, findings_seen
from governance.catalog_seen import CatalogSeen
from governance.classification import propose
from governance.consumers.declared import load_declarations
from governance.events.model import Event
from governance.events.open import event_store
from governance.events.reading import Reading, read_events
from governance.events.redact import secrets_of
from governance.graph import graph_of
from governance.identity import Schemas, carried
from governance.impact.facts import facts_of
from governance.landing.described import description_of
from governance.page.document import Own, Shown
from governance.pipeline import Pipeline
from governance.policy import Policy, Source
from governance.project import Project
from governance.queries.store import QueryStore
from governance.rules import (
    RULES,
    Known,
    Rule,
    check,
    coverage_below_threshold,
    dangling_run,
    unaccounted_table,
    undeclared_metadata,
    understated_classification,
    unmatched_policy,
    unreadable_lineage,
    unregistered_consumer,
)
from governance.rules.finding import Finding
from governance.runs import read_declared, read_runs
from governance.statement import Program
from governance.telling import told
from platform_assets.side import side_of_project

OF_EVENTS: tuple[Rule, ...] = (understated_classification.RULE, undeclared_metadata.RULE, dangling_run.RULE)
"""The rules that policy and events answer by themselves."""

OF_FILES: tuple[Rule, ...] = (unreadable_lineage.RULE, unmatched_policy.RULE, unregistered_consumer.RULE)
"""Those that the project's own files and query logs answer beside them."""

OF_CATALOG: tuple[Rule, ...] = (unaccounted_table.RULE, coverage_below_threshold.RULE)
"""Those that need to know which tables the catalog has; it is taken as it was when last looked at."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The page's contents, and what of the events could not be read."""

    shown: Shown
    reading: Reading


@dataclass(frozen=True, slots=True)
class Files:
    """What the project's files say; ``catalog`` is None where nobody looked yet."""

    policy: Policy
    sources: tuple[Source, ...]
    pipelines: tuple[Pipeline, ...]
    program: Program
    catalog: CatalogSeen | None

    @property
    def schemas(self) -> Schemas:
        """The schema versions of the catalog's tables."""
        return self.catalog.schemas(self.policy.lineage.namespace) if self.catalog else {}


def project_page(project: Project, now: datetime, as_of: datetime | None = None) -> Gathered:
    """Return the page of the project's own store; as of a moment it has no findings, which are of now.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
        EventStoreError: the store cannot be read.
    """
    files = files_of(project, catalog_seen.seen(project.state))
    reading = event_store(project).read()
    shown = _shown(project, files, reading.events, now, as_of)
    catalog = () if files.catalog is None or as_of else files.catalog.gone(shown.graph, files.policy.lineage)
    own = own_of(files)
    found = () if as_of else tuple(_project_findings(project, files, shown))
    return Gathered(replace(shown, own=own, stale=frozenset(catalog), findings=found), reading)


def events_page(project: Project, path: Path, now: datetime, as_of: datetime | None = None) -> Gathered:
    """Return the page of the events at ``path`` alone: of the project's tables those that they name.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
        EventStoreError: the events cannot be read.
    """
    files = files_of(project, None)
    reading = read_events(path)
    shown = _shown(project, files, reading.events, now, as_of)
    named = {it.name for it in shown.graph.fields if files.policy.lineage.owns(it)}
    own = {name: own for name, own in own_of(files).items() if name in named}
    found = () if as_of else _found(OF_EVENTS, _known(project, replace(files, sources=()), shown))
    return Gathered(replace(shown, own=own, findings=tuple(found)), reading)


def files_of(project: Project, catalog: CatalogSeen | None) -> Files:
    """Return what the files of ``project`` say.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    side = side_of_project(project)
    schemas = catalog.schemas(side.policy.lineage.namespace) if catalog else {}
    return Files(carried(side.policy, schemas), side.sources, side.pipelines, side.program, catalog)


def _shown(project: Project, files: Files, events: Sequence[Event], now: datetime, as_of: datetime | None) -> Shown:
    policy = files.policy
    read = told(events, policy.lineage.spellings, as_of=as_of, schemas=files.schemas)
    runs, declared = read_runs(read), read_declared(read)
    graph = graph_of(runs, declared)
    log = QueryStore(project.state / "queries").read()
    return Shown(
        title=policy.lineage.namespace,
        now=now,
        as_of=as_of,
        policy=policy,
        graph=graph,
        runs=runs,
        declared=declared,
        proposals=propose(graph, policy, today=now.date()),
        facts=facts_of(graph, policy, load_declarations(project), log),
        dagster=policy.ui.dagster,
        secrets=secrets_of(),
    )


def own_of(files: Files) -> Mapping[str, Own]:
    """Return the project's own tables by name."""
    schemas = files.program.schemas
    sources = {
        it.table: Own("source", description_of(it), dict(it.columns), it.files.format.value if it.files else "")
        for it in files.sources
    }
    built = {it.table: Own("pipeline", it.description or None, schemas.get(it.table, {})) for it in files.pipelines}
    return sources | built


def _project_findings(project: Project, files: Files, shown: Shown) -> Iterator[Finding]:
    rules = (*OF_EVENTS, *OF_FILES, *(OF_CATALOG if files.catalog else ()))
    yield from _found(rules, _known(project, files, shown))
    # what takes the scheduler or the catalog to find stands as it was found last
    asked = {rule.name for rule in rules}
    last = findings_seen.seen(project.state)
    yield from (it for it in (last.findings if last else ()) if it.rule not in asked)


def _found(rules: Iterable[Rule], known: Known) -> Iterator[Finding]:
    for rule in rules:
        yield from check(rule, known).findings


def _known(project: Project, files: Files, shown: Shown) -> Known:
    """Return what rules may ask here; those that ask for attempts or snapshots are not asked."""
    catalog = files.catalog
    tables = frozenset(catalog.tables if catalog else ())
    return Known(
        policy=files.policy,
        graph=shown.graph,
        runs={run.run_id: run for run in shown.runs},
        ended=(),
        inventory=tables,
        sources=frozenset(source.table for source in files.sources),
        pipelines=frozenset(pipeline.table for pipeline in files.pipelines),
        unreadable=files.program.unreadable,
        silenced=None,
        now=shown.now,
        log=QueryStore(project.state / "queries").read(),
        declarations=load_declarations(project),
        columns=_columns(files),
        rules=frozenset(rule.name for rule in RULES),
    )


def _columns(files: Files) -> dict[str, frozenset[str]]:
    """Return each table's columns as files and catalog say, without the tables of which files do not say enough."""
    last = files.catalog.columns if files.catalog else {}
    written = files.program.schemas
    tables = (written.keys() | last.keys()) - files.program.undetermined
    return {table: frozenset((*written.get(table, ()), *last.get(table, ()))) for table in tables}
