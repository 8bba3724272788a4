"""What a run wrote, as its COMPLETE event says it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from governance.events.facets import Catalog as CatalogFacts
from governance.events.facets import Column as ColumnFacts
from governance.events.facets import Output
from governance.events.redact import redact_sql, secrets_of
from governance.lineage.model import ColumnLineage, Explanation
from governance.pipeline import Pipeline
from governance.policy import Policy, TablePolicy
from governance.statement import Statement, explain
from platform_assets.catalog import Catalog, kind_of, schema_of
from platform_assets.engines.engine import Column
from platform_assets.publish import Commit
from platform_assets.run import Traced


def output_of(policy: Policy, catalog: Catalog, traced: Traced, commit: Commit) -> Output:
    """Return the output with what the catalog holds and what the policy declares of it."""
    pipeline = traced.statement.pipeline
    schema = {name: schema_of(loaded) for name, loaded in traced.tables.items()}
    return replace(
        described(policy, pipeline, traced.lineage),
        schema=column_facts(policy, pipeline.table, commit.columns),
        snapshot_id=commit.snapshot_id,
        rows=commit.rows,
        bytes=commit.bytes,
        files=commit.files,
        lifecycle=commit.lifecycle,
        catalog=CatalogFacts(kind_of(catalog), catalog.name),
        explanation=explanation_of(policy, traced.statement, schema),
    )


def explanation_of(policy: Policy, statement: Statement, schema: Mapping[str, Mapping[str, str]]) -> Explanation | None:
    """Return the text that made the edges of the statement's lineage, as it may be sent, None where there is none."""
    masking = policy.lineage.masking_functions
    return explain(statement, schema, partial(redact_sql, secrets=secrets_of()), masking_functions=masking)


def described(policy: Policy, pipeline: Pipeline, lineage: ColumnLineage) -> Output:
    """Return the pipeline's output as files tell of it: policy first, then the pipeline's own header."""
    declared = policy.tables.get(pipeline.table, TablePolicy())
    return Output(
        name=pipeline.table,
        schema=(),
        lineage=lineage,
        owner=declared.owner or pipeline.owner,
        description=declared.description or pipeline.description or None,
        tags=tuple((tag, "true") for tag in pipeline.tags),
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
