"""What a run wrote, as its COMPLETE event says it."""

from dataclasses import replace

from governance.events.facets import Catalog as CatalogFacts
from governance.events.facets import Column as ColumnFacts
from governance.events.facets import Output
from governance.policy import Policy
from platform_assets.catalog import Catalog, kind_of
from platform_assets.engines.engine import Column
from platform_assets.facts import described, explanation_of
from platform_assets.publish import Commit
from platform_assets.run import Traced


def output_of(policy: Policy, catalog: Catalog, traced: Traced, commit: Commit) -> Output:
    """Return the output with what the catalog holds and what the policy declares of it."""
    pipeline = traced.statement.pipeline
    return replace(
        described(policy, pipeline, traced.lineage),
        schema=column_facts(policy, pipeline.table, commit.columns),
        snapshot_id=commit.snapshot_id,
        rows=commit.rows,
        bytes=commit.bytes,
        files=commit.files,
        lifecycle=commit.lifecycle,
        catalog=CatalogFacts(kind_of(catalog), catalog.name),
        explanation=explanation_of(policy, traced.statement, traced.schema),
    )


def column_facts(policy: Policy, table: str, columns: tuple[Column, ...]) -> tuple[ColumnFacts, ...]:
    """Return the columns with their declared description and classification; a member's name is its whole path."""
    return tuple(_column(policy, table, "", column) for column in columns)


def _column(policy: Policy, table: str, prefix: str, column: Column) -> ColumnFacts:
    path = f"{prefix}{column.name}"
    declared = policy.column(table, path)
    return ColumnFacts(
        name=column.name,
        type=column.type,
        description=declared.description,
        classification=declared.classification,
        fields=tuple(_column(policy, table, f"{path}.", member) for member in column.fields),
    )
