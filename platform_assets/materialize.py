"""One run of one pipeline: lineage first, then START, the SQL, one commit, and exactly one terminal event.

read lineage ─> START (durable) ─> SQL ─> commit ─> COMPLETE
│                              └─ exception: FAIL ─ interrupt: ABORT
└─ unreadable: START, FAIL, and nothing has run
"""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from governance.errors import EngineError
from governance.events.facets import Naming
from governance.events.redact import redact_error, secrets_of
from governance.events.run import require_size, start_event
from governance.events.transport import forward
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.statement import Kind, Statement, parse, trace
from platform_assets import publish
from platform_assets.catalog import DAGSTER_RUN_ID, RUN_ID, Planned, load_known, plan, schema_of
from platform_assets.engines.engine import Empty, Query, QueryError
from platform_assets.publish import Commit, Conflict
from platform_assets.run import Done, Materialized, Platform, Run, Timings, Traced, run_facts, schemas
from platform_assets.terminal import Ending

TRIES = 5
"""How often a run computes because another run of its table committed first."""

BACKOFF_SECONDS = 0.1


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
    with watch.timing("start"):
        began = platform.clock()
        platform.store.begin(start_event(facts, began, reads, [pipeline.table]))
    # from here on the run has begun, and the ending tells how it ended
    with watch.timing("all"), Ending(platform, facts, began) as ending:
        forward(platform.store)
        with watch.timing("work"):
            ending.done = done = _work(platform, _or_raise(traced), run, ending)
    spent = watch.spent
    timings = Timings(spent["lineage"], spent["work"], spent["start"] + spent["all"] - spent["work"])
    return Materialized(run.attempt.run_id, done, timings, ending.warnings)


def trace_now(platform: Platform, statement: Statement) -> Traced:
    """Return the statement's lineage over the catalog's present columns and the declared ones of files.

    Raises:
        LineageError: it cannot be read correctly.
    """
    files = {it.table: it for it in platform.sources if it.files is not None and it.table in statement.reads}
    tables = load_known(platform.catalog, {*statement.reads, statement.pipeline.table} - files.keys())
    masking = platform.policy.lineage.masking_functions
    return Traced(statement, tables, files, trace(statement, schemas(tables, files), masking_functions=masking))


def _try_to_trace(platform: Platform, pipeline: Pipeline, naming: Naming) -> Traced | Exception:
    """Return the lineage or the error: an unreadable pipeline is a run too, and ends in FAIL."""
    try:
        traced = trace_now(platform, parse(pipeline))
        require_size(traced.lineage, naming)
    except Exception as error:  # noqa: BLE001  # it is raised again, between START and FAIL
        return error
    return traced


def _or_raise(traced: Traced | Exception) -> Traced:
    if isinstance(traced, Exception):
        raise traced
    return traced


def _work(platform: Platform, traced: Traced, run: Run, ending: Ending) -> Done:
    """Compute and commit; where another run of the table committed first, all over again on what is there now."""
    for further in reversed(range(TRIES)):
        inputs = tuple(plan(name, table) for name, table in traced.tables.items() if name in traced.statement.reads)
        ending.begun = traced, inputs
        try:
            return Done(traced, inputs, _commit(platform, traced, inputs, run))
        except Conflict:
            if not further:
                raise
            time.sleep(BACKOFF_SECONDS * random.uniform(1, 2) * (TRIES - further))  # noqa: S311  # no secret
            traced = trace_now(platform, traced.statement)
    raise AssertionError("a loop of tries ends in a return or a raise")


def _commit(platform: Platform, traced: Traced, inputs: tuple[Planned, ...], run: Run) -> Commit:
    statement, table = traced.statement, traced.statement.pipeline.table
    relations = {planned.table: planned.relation for planned in inputs}
    if table in statement.reads and traced.own is None:
        relations[table] = Empty(statement.declared)
    properties = {RUN_ID: run.attempt.run_id, DAGSTER_RUN_ID: run.attempt.dagster_run_id}
    at = publish.target(table, traced.own)
    with _shown_without_data(statement), platform.engine.open(_query(traced), relations) as result:
        _same_columns(traced, result.schema.names)
        if statement.kind is Kind.APPEND:
            declared = platform.engine.schema(statement.declared)
            return publish.append(platform.catalog, at, result, properties, declared)
        docs = _docs(platform.policy, table, result.schema.names)
        return publish.replace(platform.catalog, at, result, properties, docs)


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
