"""One try of a run: what is there now is read, computed, and committed, or nothing is.

files found ─> at hand and of their declared shape ─> rows made ─> rejected ones kept ─> commit
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from governance.errors import EngineError
from governance.landing.model import Format
from governance.policy import Policy
from governance.statement import Kind
from platform_assets.engines.engine import Column, Empty, Landing, Outcome, Relation, Result
from platform_assets.iceberg import publish
from platform_assets.iceberg.catalog import DAGSTER_RUN_ID, RUN_ID, Planned, plan
from platform_assets.iceberg.publish import Commit
from platform_assets.iceberg.publish_window import replace_window
from platform_assets.landing.find import require_unchanged, staged
from platform_assets.runs.arrived import arrivals, contents, kept_properties
from platform_assets.runs.asked import asked, shown
from platform_assets.runs.rejects import keep_rejected
from platform_assets.runs.run import Arrived, Begun, Done, Platform, Run, Traced
from platform_assets.runs.splice import Reading, splice

Options = tuple[tuple[str, str], ...]
"""(name, SQL text of the value) of reading functions."""

IN_ONE_PIECE: Options = (("parallel", "false"),)


def run_once(
    platform: Platform, traced: Traced, run: Run, told: Callable[[Begun], None], options: Options = ()
) -> Done:
    """Compute the statement's rows and commit them; ``told`` hears what they are made from, as far as it is known.

    ``options`` are for every reading of CSV, beside those that are declared and written.

    Raises:
        Conflict: another run of the table committed first; nothing was written.
        RowsLeftOut: rows of files are missing that would be there with ``IN_ONE_PIECE``; nothing was written.
        LandingError: a file is missing or not as declared, or too many rows of it are rejected; nothing was written.
        EngineError, CatalogError: the SQL or the commit failed; the table is as it was.
    """
    inputs = tuple(plan(name, table) for name, table in traced.tables.items() if name in traced.statement.reads)
    told(begun := Begun(traced, inputs, window=run.window))
    told(begun := replace(begun, arrived=arrivals(platform.project, traced)))
    spliced = splice(traced.statement, traced.files)
    question = asked(traced, spliced.text)
    with ExitStack() as held:
        paths = {it.source.name: held.enter_context(staged(platform.project, it.files)) for it in begun.arrived}
        landings = {it.relation: _landing(it, begun.arrived, paths, options) for it in spliced.readings}
        relations = _tables(traced, inputs) | landings
        held.enter_context(shown(traced.statement, question))
        result = held.enter_context(platform.engine.open(replace(question.query, within=run.window), relations))
        _same_columns(traced, result.schema.names)

        def made(outcomes: Mapping[str, Outcome]) -> None:
            nonlocal begun
            require_unchanged([file for it in begun.arrived for file in it.files if "://" not in file.path])
            begun = keep_rejected(platform, run, begun, landings, outcomes)
            told(begun)

        kept = kept_properties(traced, begun.arrived, contents(traced, begun.arrived, paths), run.attempt.run_id)
        commit = _commit(platform, begun, run, Watched(result, made), kept)
        return Done(begun, commit)


@dataclass(frozen=True, slots=True)
class Watched:
    """A result of which something has to happen once its rows are made, and before they are committed."""

    result: Result
    made: Callable[[Mapping[str, Outcome]], None]

    @property
    def schema(self) -> pa.Schema:
        """The result's own."""
        return self.result.schema

    def write(self, columns: Sequence[Column]) -> tuple[Path, ...]:
        """Write the rows, and then look at what was rejected."""
        files = self.result.write(columns)
        self.made(self.result.outcomes())
        return files

    @contextmanager
    def batches(self) -> Iterator[pa.RecordBatchReader]:
        """Hand out the rows, and look at what was rejected when all of them are taken."""
        with self.result.batches() as reader:
            yield reader
        self.made(self.result.outcomes())

    def outcomes(self) -> Mapping[str, Outcome]:
        """Return the result's own."""
        return self.result.outcomes()


def _landing(
    reading: Reading, arrived: tuple[Arrived, ...], paths: Mapping[str, tuple[str, ...]], options: Options
) -> Landing:
    more = options if reading.source.format is Format.CSV else ()
    files = next(it.files for it in arrived if it.source.name == reading.source.name)
    shown = tuple(it.shown for it in files)
    return Landing(reading.source, paths[reading.source.name], shown, (*reading.options, *more))


def _tables(traced: Traced, inputs: tuple[Planned, ...]) -> dict[str, Relation]:
    relations = {planned.table: planned.relation for planned in inputs}
    statement, table = traced.statement, traced.statement.pipeline.table
    if table in statement.reads and traced.own is None:
        relations[table] = Empty(statement.declared)
    return relations


def _commit(platform: Platform, begun: Begun, run: Run, result: Result, kept: Mapping[str, str]) -> Commit:
    traced = begun.traced
    table = traced.statement.pipeline.table
    properties = {RUN_ID: run.attempt.run_id, DAGSTER_RUN_ID: run.attempt.dagster_run_id}
    at = publish.target(table, traced.own, traced.statement.pipeline.partition_by)
    if traced.statement.kind.keeps:
        declared = platform.engine.schema(traced.statement.declared)
        write = publish.append if traced.statement.kind is Kind.APPEND else publish.rewrite
        return write(platform.catalog, at, result, properties, declared, kept=kept)
    docs = _docs(platform.policy, table, result.schema.names)
    if run.window:
        window = run.window.placed(result.schema.names)
        return replace_window(platform.catalog, at, result, properties, docs, window=window)
    return publish.replace(platform.catalog, at, result, properties, docs, kept=kept)


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
