"""One run of one pipeline: lineage first, then START, the SQL, one commit, and exactly one terminal event.

read lineage ─> START (durable) ─> SQL ─> commit ─> COMPLETE
│                              └─ exception: FAIL ─ interrupt: ABORT
└─ unreadable: START, FAIL, and nothing has run
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from governance.errors import EngineError, EventStoreError, LineageError
from governance.events.facets import Input, Naming
from governance.events.redact import redact_error, secrets_of
from governance.events.run import (
    Attempt,
    RunFacts,
    abort_event,
    complete_event,
    fail_event,
    require_size,
    start_event,
)
from governance.events.run_facets import Engine as EngineFacts
from governance.events.run_facets import JobFacts, Parent
from governance.events.source_code import source_code
from governance.events.store import EventStore
from governance.events.transport import forward
from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.project import Project
from governance.statement import Kind, Statement, parse, trace
from platform_assets import publish
from platform_assets.catalog import DAGSTER_RUN_ID, RUN_ID, Catalog, Planned, Table, load_known, plan, schema_of
from platform_assets.engines.engine import Empty, Engine, Query, QueryError
from platform_assets.output import output_of
from platform_assets.publish import Commit, Conflict

TRIES = 5
"""How often a run computes again because another run of its table committed first."""

BACKOFF_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Platform:
    """What every run stands on. ``clock`` gives aware instants."""

    project: Project
    policy: Policy
    catalog: Catalog
    engine: Engine
    store: EventStore
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Run:
    """Which run this is: its attempt, the run that it belongs to, its nominal time where it was scheduled."""

    attempt: Attempt
    parent: Parent | None = None
    scheduled: datetime | None = None


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds: reading lineage, running and committing, writing events."""

    lineage: float
    work: float
    events: float


@dataclass(frozen=True, slots=True)
class Materialized:
    """What a run did. ``warnings`` say what went wrong after the commit, which stands."""

    run_id: str
    statement: Statement
    lineage: ColumnLineage
    inputs: tuple[Planned, ...]
    commit: Commit
    timings: Timings
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Traced:
    """A statement and the tables as they were when its lineage was read from their columns."""

    statement: Statement
    tables: Mapping[str, Table]
    lineage: ColumnLineage

    @property
    def own(self) -> Table | None:
        """The table to be written, None where there is none yet."""
        return self.tables.get(self.statement.pipeline.table)


@dataclass(slots=True)
class _Watch:
    """Seconds spent by kind."""

    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.spent[kind] = self.spent.get(kind, 0.0) + time.perf_counter() - begun


def materialize(platform: Platform, pipeline: Pipeline, run: Run) -> Materialized:
    """Run ``pipeline`` once and tell it in events: START before anything runs, one terminal event after.

    Raises:
        LineageError: the lineage cannot be read; nothing ran, and START and FAIL say so.
        EventStoreError: START could not be written; nothing ran and nothing was sent.
        EngineError, CatalogError: the SQL or the commit failed; FAIL says so and the table is as it was.
        BaseException: whatever interrupted the run, after ABORT.
    """
    watch = _Watch()
    facts = run_facts(platform, pipeline, run)
    with watch.timing("lineage"):
        traced = _try_to_trace(platform, pipeline, facts.naming)
    reads = traced.lineage.inputs if isinstance(traced, Traced) else ()
    with watch.timing("events"):
        platform.store.append(start_event(facts, platform.clock(), reads, [pipeline.table]))
    with _ended_on_error(platform, facts):
        with watch.timing("events"):
            forward(platform.store)
        if isinstance(traced, Exception):
            raise traced
        with watch.timing("work"):
            traced, inputs, commit = _work(platform, traced, run)
    with watch.timing("events"):
        warnings = (*_complete(platform, facts, traced, inputs, commit), *_unshipped(platform.store))
    timings = Timings(**{kind: watch.spent[kind] for kind in ("lineage", "work", "events")})
    return Materialized(run.attempt.run_id, traced.statement, traced.lineage, inputs, commit, timings, warnings)


def run_facts(platform: Platform, pipeline: Pipeline, run: Run) -> RunFacts:
    """Return what all events of a run of ``pipeline`` have in common."""
    policy = platform.policy.lineage
    return RunFacts(
        attempt=run.attempt,
        naming=Naming(policy.namespace, policy.job_namespace),
        job=JobFacts(
            sql=pipeline.sql,
            description=pipeline.description or None,
            owner=pipeline.owner,
            tags=tuple((tag, "true") for tag in pipeline.tags),
            source=source_code(platform.project.root, pipeline.file),
        ),
        parent=run.parent,
        engine=EngineFacts(platform.engine.name, platform.engine.version),
        scheduled=run.scheduled,
        secrets=secrets_of(),
    )


def trace_now(platform: Platform, statement: Statement) -> Traced:
    """Return the statement's lineage over the catalog's present columns.

    Raises:
        LineageError: it cannot be read correctly.
    """
    table = statement.pipeline.table
    tables = load_known(platform.catalog, {*statement.reads, table})
    schema = {name: schema_of(loaded) for name, loaded in tables.items()}
    lineage = trace(statement, schema, masking_functions=platform.policy.lineage.masking_functions)
    return Traced(statement, tables, lineage)


def _try_to_trace(platform: Platform, pipeline: Pipeline, naming: Naming) -> Traced | Exception:
    """Return the lineage or the error: an unreadable pipeline is a run too, and ends in FAIL."""
    try:
        traced = trace_now(platform, parse(pipeline))
        require_size(traced.lineage, naming)
    except Exception as error:  # noqa: BLE001  # it is raised again, between START and FAIL
        return error
    return traced


@contextmanager
def _ended_on_error(platform: Platform, facts: RunFacts) -> Iterator[None]:
    """Send FAIL for an exception and ABORT for what interrupts, and let it go on."""
    try:
        yield
    except Exception as error:
        failed = fail_event(facts, platform.clock(), str(error) or type(error).__name__)
        _end(platform.store, lambda: platform.store.end(failed), error)
        raise
    except BaseException as interrupt:
        # Dagster's Terminate is no Exception; nor is Ctrl-C
        aborted = abort_event(facts, platform.clock(), f"the run was interrupted ({type(interrupt).__name__})")
        _end(platform.store, lambda: platform.store.end(aborted), interrupt)
        raise


def _end(store: EventStore, end: Callable[[], bool], error: BaseException) -> None:
    try:
        end()
    except EventStoreError as unsent:
        error.add_note(f"and its terminal event was not written: {unsent}")
    forward(store)


def _work(platform: Platform, traced: Traced, run: Run) -> tuple[Traced, tuple[Planned, ...], Commit]:
    """Compute and commit; where another run of the table committed first, all over again on what is there now."""
    for further in reversed(range(TRIES)):
        try:
            return traced, *_compute(platform, traced, run)
        except Conflict:
            if not further:
                raise
            time.sleep(BACKOFF_SECONDS * random.uniform(1, 2) * (TRIES - further))  # noqa: S311  # spreads runs, no secret
            traced = trace_now(platform, traced.statement)
    raise AssertionError("a loop of tries ends in a return or a raise")


def _compute(platform: Platform, traced: Traced, run: Run) -> tuple[tuple[Planned, ...], Commit]:
    statement = traced.statement
    inputs = tuple(plan(name, table) for name, table in traced.tables.items() if name in statement.reads)
    relations = {planned.table: planned.relation for planned in inputs}
    if statement.pipeline.table in statement.reads and traced.own is None:
        relations[statement.pipeline.table] = Empty(statement.declared)
    properties = {RUN_ID: run.attempt.run_id, DAGSTER_RUN_ID: run.attempt.dagster_run_id}
    at = publish.target(statement.pipeline.table, traced.own)
    with _shown_without_data(statement), platform.engine.run(_query(traced), relations) as reader:
        _same_columns(traced, reader.schema.names)
        if statement.kind is Kind.APPEND:
            declared = platform.engine.schema(statement.declared)
            return inputs, publish.append(platform.catalog, at, reader, properties, declared)
        docs = _docs(platform.policy, statement.pipeline.table, reader.schema.names)
        return inputs, publish.replace(platform.catalog, at, reader, properties, docs)


def _query(traced: Traced) -> Query:
    """Return the SELECT at its place in the file, cast by position where it is inserted."""
    statement = traced.statement
    text = "\n" * (statement.line - 1) + " " * (statement.column - 1) + statement.query
    query = Query(text, statement.pipeline.file)
    if statement.kind is Kind.REPLACE:
        return query
    columns = schema_of(traced.own) if traced.own else dict(statement.declared)
    spelt = {name.lower(): name for name in columns}
    listed = [spelt[name.lower()] for name in statement.columns] or list(columns)
    return replace(query, into=tuple((name, columns[name]) for name in listed))


@contextmanager
def _shown_without_data(statement: Statement) -> Iterator[None]:
    """Raise the engine's errors anew without the values that they quote: whoever reads logs may not read the table."""
    try:
        yield
    except QueryError as error:
        shown = redact_error(error.problem, statement.pipeline.sql, secrets_of())
        shown = re.sub(r"\s*LINE \d+\s*$", "", shown)
        raise QueryError(shown, file=error.file, line=error.line, fix=error.fix) from None


def _same_columns(traced: Traced, names: list[str]) -> None:
    """Check that the engine gives the columns that lineage speaks of; an INSERT's go by position and were counted."""
    told = [field.name for field in traced.lineage.fields]
    if traced.statement.kind is Kind.REPLACE and [n.lower() for n in told] != [n.lower() for n in names]:
        raise EngineError(
            f"{traced.statement.pipeline.file}: lineage has {', '.join(told)}, and the query gave {', '.join(names)}",
            fix="give every column an alias of its own",
        )


def _docs(policy: Policy, table: str, names: list[str]) -> dict[str, str]:
    described = {name: policy.column(table, name).description for name in names}
    return {name: text for name, text in described.items() if text}


def _complete(
    platform: Platform, facts: RunFacts, traced: Traced, inputs: tuple[Planned, ...], commit: Commit
) -> tuple[str, ...]:
    """Send COMPLETE; the data is committed, so what goes wrong here is a warning and ``repair`` mends it."""
    read = [Input(it.table, it.snapshot_id, it.rows, it.bytes, it.files) for it in inputs]
    try:
        written = output_of(platform.policy, platform.catalog, traced.statement, traced.lineage, commit)
        event = complete_event(facts, platform.clock(), read, [written])
        with _not_interrupted(lambda: platform.store.end(event)) as ended:
            if ended or platform.store.silenced(facts.attempt.job):
                return ()
    except (EventStoreError, LineageError) as error:
        return (f"the data is committed and its COMPLETE is not written: {error}; run headwater events repair",)
    return ("the run was closed before it was complete: the first terminal event stands, COMPLETE was left out",)


def _unshipped(store: EventStore) -> tuple[str, ...]:
    return tuple(
        f"{it.destination} does not have all events yet: {it.error}; headwater events ship sends them again"
        for it in forward(store)
        if it.error
    )


@contextmanager
def _not_interrupted(end: Callable[[], bool]) -> Iterator[bool]:
    """Write a terminal event even where Terminate comes just then; it is written once at most, so twice is safe."""
    try:
        written = end()
    except Exception:
        raise
    except BaseException:
        end()
        raise
    yield written
