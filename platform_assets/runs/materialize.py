"""One run of one pipeline: lineage first, then START, the SQL, one commit, and exactly one terminal event.

read lineage ─> START (durable) ─> files, SQL ─> commit ─> COMPLETE
│                              └─ exception: FAIL ─ interrupt: ABORT
└─ unreadable: START, FAIL, and nothing has run
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from governance.errors import RowsLeftOut
from governance.events.facets import Naming
from governance.events.run import require_size
from governance.events.transport import forward
from governance.pipeline import Pipeline
from governance.statement import Statement, parse, trace
from platform_assets.engines.signals import kept
from platform_assets.iceberg.catalog import load_known
from platform_assets.iceberg.publish import Conflict
from platform_assets.iceberg.tries import tries
from platform_assets.runs.once import IN_ONE_PIECE, Options, run_once
from platform_assets.runs.run import Done, Materialized, Platform, Run, Timings, Traced, files_read, run_facts, schemas
from platform_assets.runs.terminal import Ending


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
        LandingError, EngineError, CatalogError: files, SQL or commit failed; FAIL says so and the table is as it was.
        BaseException: whatever interrupted the run, after ABORT.
    """
    watch = _Watch()
    facts = run_facts(platform, pipeline, run)
    with watch.timing("lineage"):
        traced = _try_to_trace(platform, pipeline, facts.naming)
    reads = traced.lineage.inputs if isinstance(traced, Traced) else ()
    with kept(), watch.timing("all"), Ending(platform, facts, reads, platform.clock()) as ending:
        forward(platform.store)
        with watch.timing("work"):
            ending.done = done = _work(platform, _or_raise(traced), run, ending)
    spent = watch.spent
    timings = Timings(spent["lineage"], spent["work"], spent["all"] - spent["work"])
    return Materialized(run.attempt.run_id, done, timings, ending.warnings)


def trace_now(platform: Platform, statement: Statement) -> Traced:
    """Return the statement's lineage over the catalog's present columns and the declared ones of files.

    Raises:
        LineageError: it cannot be read correctly.
    """
    files = files_read(platform.sources, statement)
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
    """Compute and commit; where another run of the table committed first, all over again on what is there now.

    Where the engine left out rows of files that it read in parts, they are read again in one piece.
    """
    options: Options = ()
    for last in tries():
        try:
            return run_once(platform, traced, run, ending.begin, options)
        except RowsLeftOut:
            if last or options:
                raise
            options = IN_ONE_PIECE
        except Conflict:
            if last:
                raise
            traced = trace_now(platform, traced.statement)
    raise AssertionError("a loop of tries ends in a return or a raise")
