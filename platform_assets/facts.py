"""What the project's files say of a job, of what it reads and writes, as events carry it; nothing has to have run.

No engine and no catalog is imported here, so that an export of texts alone answers at once.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from governance.events.facets import Column, Input, Output
from governance.events.file_facets import Landed
from governance.events.redact import redact_sql, secrets_of
from governance.events.run_facets import JobFacts, source_digest
from governance.events.source_code import source_code
from governance.landing.model import FileSource
from governance.lineage.model import ColumnLineage, Explanation
from governance.pipeline import Pipeline
from governance.policy import Policy, TablePolicy
from governance.project import Project
from governance.sources import Source
from governance.sql_type import SqlType, parsed
from governance.statement import Statement, explain


def job_facts(project: Project, pipeline: Pipeline) -> JobFacts:
    """Return what a pipeline's file says of its job, for a run of it and for its text alone."""
    return JobFacts(
        sql=pipeline.sql,
        description=pipeline.description or None,
        owner=pipeline.owner,
        tags=tuple((tag, "true") for tag in pipeline.tags),
        source=source_code(project.root, pipeline.file),
        digest=source_digest(pipeline.sql),
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


def file_input(policy: Policy, source: Source, declared: FileSource) -> Input:
    """Return the input that ``source``, a dataset of the files ``declared``, is: what is declared of it."""
    schema = tuple(column(policy, source.table, name, kind) for name, kind in source.columns)
    return Input(source.table, schema=schema, landed=landed(declared))


def column(policy: Policy, table: str, name: str, kind: str | None) -> Column:
    """Return a column of the SQL type ``kind``, nested where that is, with what is declared of it; see ``Column``."""
    return _column(policy, table, name, kind, parsed(kind or ""))


def _column(policy: Policy, table: str, path: str, kind: str | None, read: SqlType | None) -> Column:
    declared, members = policy.column(table, path), read.members if read else ()
    fields = tuple(
        replace(_column(policy, table, f"{path}.{name}", member.sql, member), name=name) for name, member in members
    )
    return Column(path, kind, declared.description, declared.classification, fields)


def landed(declared: FileSource | None) -> Landed | None:
    """Return what the files that ``declared`` speaks of are like, None for a table."""
    return Landed(declared.format.value, layer(declared)) if declared else None


def layer(declared: FileSource) -> str:
    """Return what the files lie on, in a word: ``file``, or the scheme of an object store."""
    scheme, mark, _ = declared.location.at.partition("://")
    return scheme if mark else "file"
