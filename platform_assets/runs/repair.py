"""COMPLETE events rebuilt from what the catalog holds: each snapshot carries the run that wrote it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from governance.errors import NoLineage
from governance.events.facets import Naming, Output
from governance.events.open import event_store
from governance.events.repair import Described, Lost, Repaired, Snapshot, repair
from governance.pipeline import Pipeline, parse_pipeline
from governance.statement import parse, trace
from platform_assets.facts import described, explanation_of, file_input
from platform_assets.iceberg.catalog import Catalog, Published, inventory, load_known, open_catalog, published
from platform_assets.iceberg.quarantine import kept_by
from platform_assets.loaded import Loaded
from platform_assets.runs.output import column_facts, rejected_output
from platform_assets.runs.run import files_read, schemas


def repair_events(loaded: Loaded) -> tuple[Repaired, ...]:
    """Write the COMPLETE of every committed run that has no end in the store, and say what became of each.

    Raises:
        CatalogError: the catalog cannot be read.
        EventStoreError: the store cannot be read or written.
    """
    lineage = loaded.policy.lineage
    with open_catalog(loaded.project) as catalog:
        snapshots = [_snapshot(loaded, it) for table in sorted(inventory(catalog)) for it in published(catalog, table)]
        describe = _Describer(loaded, catalog)
        naming = Naming(lineage.namespace, lineage.job_namespace, lineage.files)
        return repair(event_store(loaded.project), snapshots, describe, naming)


def _snapshot(loaded: Loaded, it: Published) -> Snapshot:
    schema = column_facts(loaded.policy, it.table, it.columns)
    return Snapshot(it.table, it.snapshot_id, it.run_id, it.at, schema, it.rows, it.bytes)


@dataclass(frozen=True, slots=True)
class _Describer:
    loaded: Loaded
    catalog: Catalog

    def __call__(self, lost: Lost) -> Described:
        """Return what the run wrote and read: the lineage is of the SQL that ran, else of the pipeline of today."""
        table, policy = lost.snapshot.table, self.loaded.policy
        pipeline = self._pipeline(lost)
        statement = parse(pipeline)
        files = files_read(self.loaded.sources, statement)
        schema = schemas(load_known(self.catalog, {*statement.reads, table} - files.keys()), files)
        lineage = trace(statement, schema, masking_functions=policy.lineage.masking_functions)
        output = replace(described(policy, pipeline, lineage), explanation=explanation_of(policy, statement, schema))
        # which of the files it were that it read, nobody knows any more
        inputs = tuple(file_input(policy, it, it.files) for it in files.values() if it.files)
        return Described(output, tuple(self._quarantine(pipeline, lost)), inputs)

    def _quarantine(self, pipeline: Pipeline, lost: Lost) -> Iterator[Output]:
        kept = kept_by(self.catalog, pipeline.table, lost.snapshot.run_id)
        if kept:
            of = [it.files for it in self.loaded.sources if it.files and it.table in kept.datasets]
            policy = self.loaded.policy
            output = rejected_output(policy, pipeline, of)
            schema = column_facts(policy, output.name, kept.columns)
            yield replace(output, schema=schema, snapshot_id=kept.snapshot_id, rows=kept.rows)

    def _pipeline(self, lost: Lost) -> Pipeline:
        table = lost.snapshot.table
        known = next((it for it in self.loaded.pipelines if it.table == table), None)
        if lost.sql is not None:
            # what is wrong with the file of today says nothing about the SQL that ran
            return (
                replace(known, sql=lost.sql, origin=(), template=None, grain=(), problem=None)
                if known
                else parse_pipeline(table, f"START of {table}", lost.sql)
            )
        if known is None:
            raise NoLineage(
                f"no pipeline builds {table} any more and its START is lost",
                fix="bring the pipeline's file back and repair again",
                pipeline=table,
            )
        return known
