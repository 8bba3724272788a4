"""What a pipeline's file says of its job, as events carry it: one place for runs and for texts that have not run."""

from governance.events.run_facets import JobFacts, source_digest
from governance.events.source_code import source_code
from governance.pipeline import Pipeline
from governance.project import Project


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
