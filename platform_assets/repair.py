"""COMPLETE events rebuilt from what the catalog holds: each snapshot carries the run that wrote it."""

from dataclasses import dataclass, replace

from governance.errors import NoLineage
from governance.events.facets import Naming, Output
from governance.events.repair import Lost, Repaired, Snapshot, repair
from governance.events.store import EventStore
from governance.pipeline import Pipeline, parse_pipeline
from governance.statement import parse, trace
from platform_assets.catalog import Catalog, Published, inventory, load_known, open_catalog, published
from platform_assets.factory import Loaded
from platform_assets.facts import described, explanation_of
from platform_assets.output import column_facts
from platform_assets.run import schemas


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
        return repair(EventStore(loaded.project.events), snapshots, describe, naming)


def _snapshot(loaded: Loaded, it: Published) -> Snapshot:
    schema = column_facts(loaded.policy, it.table, it.columns)
    return Snapshot(it.table, it.snapshot_id, it.run_id, it.at, schema, it.rows, it.bytes)


@dataclass(frozen=True, slots=True)
class _Describer:
    loaded: Loaded
    catalog: Catalog

    def __call__(self, lost: Lost) -> Output:
        """Return the lost output: its lineage from the SQL that ran, else from the pipeline of today."""
        table = lost.snapshot.table
        pipeline = self._pipeline(lost)
        statement = parse(pipeline)
        files = {it.table: it for it in self.loaded.sources if it.files is not None and it.table in statement.reads}
        schema = schemas(load_known(self.catalog, {*statement.reads, table} - files.keys()), files)
        policy = self.loaded.policy
        lineage = trace(statement, schema, masking_functions=policy.lineage.masking_functions)
        told = described(policy, pipeline, lineage)
        return replace(told, explanation=explanation_of(policy, statement, schema))

    def _pipeline(self, lost: Lost) -> Pipeline:
        table = lost.snapshot.table
        known = next((it for it in self.loaded.pipelines if it.table == table), None)
        if lost.sql is not None:
            # what is wrong with the file of today says nothing about the SQL that ran
            return (
                replace(known, sql=lost.sql, grain=(), problem=None)
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
