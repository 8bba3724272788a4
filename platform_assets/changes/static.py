"""The project's pipelines as jobs whose lineage is read from text: no data is read, and no table need exist."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from governance.diff.model import Side
from governance.events.facets import Column, Input
from governance.events.run_facets import JobFacts
from governance.events.static import StaticJob
from governance.lineage.model import Explanation
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.project import Project
from governance.statement import Statement
from governance.statement.trace import UNKNOWN, without_columns
from platform_assets.facts import column, described, explanation_of, job_facts, landed


def static_jobs(project: Project, side: Side) -> Iterator[StaticJob]:
    """Yield each pipeline as a job, in the order of the pipelines; one that cannot be read says why."""
    statements = {it.pipeline.table: it for it in side.program.statements}
    for pipeline in side.pipelines:
        facts = job_facts(project, pipeline)
        statement, problem = statements.get(pipeline.table), side.program.unreadable.get(pipeline.table)
        if statement is None:
            yield StaticJob(pipeline.job, facts, problem=str(problem))
        elif pipeline.table not in side.program.lineages:
            yield StaticJob(pipeline.job, facts, problem=str(without_columns(statement, side.program.schemas)))
        else:
            yield _job(side, pipeline, statement, facts)


def explanations(side: Side, table: str) -> tuple[Explanation, ...]:
    """Return the text that made the edges of the pipeline of ``table``; none where it cannot be read."""
    found = (
        explanation_of(side.policy, it, side.program.schemas)
        for it in side.program.statements
        if it.pipeline.table == table
    )
    return tuple(it for it in found if it)


def _job(side: Side, pipeline: Pipeline, statement: Statement, facts: JobFacts) -> StaticJob:
    schemas = side.program.schemas
    lineage = side.program.lineages[pipeline.table]
    output = replace(
        described(side.policy, pipeline, lineage),
        schema=_columns(side.policy, pipeline.table, schemas.get(pipeline.table, {})),
        explanation=explanation_of(side.policy, statement, schemas),
    )
    files = {it.table: it.files for it in side.sources}
    read = tuple(
        Input(name, schema=_columns(side.policy, name, schemas.get(name, {})), landed=landed(files.get(name)))
        for name in lineage.inputs
    )
    return StaticJob(pipeline.job, facts, (output,), read)


def _columns(policy: Policy, table: str, columns: Mapping[str, str]) -> tuple[Column, ...]:
    # a type that only a run can tell is left out, not guessed
    return tuple(column(policy, table, name, None if kind == UNKNOWN else kind) for name, kind in columns.items())
