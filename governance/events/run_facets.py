"""The facets of a run and of its job."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from openlineage.client.constants import __version__ as client_version
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    documentation_job,
    error_message_run,
    job_type_job,
    nominal_time_run,
    ownership_job,
    parent_run,
    processing_engine_run,
    source_code_location_job,
    sql_job,
    tags_job,
    tags_run,
)

from governance.events.facets import SOURCE, Naming
from governance.events.source_code import SourceCode


@dataclass(frozen=True, slots=True)
class Parent:
    """The run that started this one: here the Dagster run, which is its own root unless ``root`` says otherwise.

    ``run_id`` is OpenLineage's (:func:`governance.events.run.started_by`).
    """

    run_id: str
    job: str
    root: "Parent | None" = None


@dataclass(frozen=True, slots=True)
class Engine:
    """What ran the SQL, for example ``Engine("DuckDB", "2.0.1")``."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What is known of a job besides its name.

    sql:    the text of the pipeline; it is redacted before it is sent
    tags:   (key, value) of the job
    source: where the text stands in version control; None where no remote says so
    digest: of the pipeline's text, by which runs of one definition are told apart while the job keeps its name
    """

    sql: str
    dialect: str = "duckdb"
    description: str | None = None
    owner: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    source: SourceCode | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a run came to; None where it is not known.

    read, written, rejected: records, over all inputs and outputs
    milliseconds:            from its START to its end
    """

    read: int | None
    written: int | None
    rejected: int | None
    milliseconds: int


def source_digest(sql: str) -> str:
    """Return the digest of a pipeline's text: SHA-256, in hexadecimal."""
    return hashlib.sha256(sql.encode("utf-8", "surrogatepass")).hexdigest()


def statistics_facet(statistics: Statistics) -> RunFacet:
    """Return the facet ``headwater_statistics``, of the whole run; a count that is not known is left out."""
    counts = {
        "recordsRead": statistics.read,
        "recordsWritten": statistics.written,
        "recordsRejected": statistics.rejected,
        "durationMs": statistics.milliseconds,
    }
    known = {name: count for name, count in counts.items() if count is not None}
    return cast("RunFacet", RunFacet().with_additional_properties(**known))


def job_facets(facts: JobFacts, shown_sql: str) -> dict[str, JobFacet]:
    """Return the job's facets; ``shown_sql`` is its SQL as it may be sent."""
    facets: dict[str, JobFacet] = {
        "jobType": job_type_job.JobTypeJobFacet(processingType="BATCH", integration="DAGSTER", jobType="QUERY"),
        "sql": sql_job.SQLJobFacet(shown_sql, facts.dialect),
    }
    if facts.description:
        facets["documentation"] = documentation_job.DocumentationJobFacet(facts.description)
    if facts.owner:
        facets["ownership"] = ownership_job.OwnershipJobFacet([ownership_job.Owner(facts.owner, "OWNER")])
    if facts.tags:
        facets["tags"] = tags_job.TagsJobFacet([tags_job.TagsJobFacetFields(*tag, SOURCE) for tag in facts.tags])
    if facts.digest:
        pipeline = JobFacet().with_additional_properties(sourceHash=facts.digest)
        facets["headwater_pipeline"] = cast("JobFacet", pipeline)
    if facts.source:
        facets["sourceCodeLocation"] = source_code_location_job.SourceCodeLocationJobFacet(
            type="git",
            url=facts.source.url,
            repoUrl=facts.source.repository,
            path=facts.source.path,
            version=facts.source.commit,
        )
    return facets


def parent_facet(parent: Parent, naming: Naming) -> RunFacet:
    """Return the parent facet; the root is named even where it is the parent itself, as consumers group by it."""
    root = parent.root or parent
    return parent_run.ParentRunFacet(
        run=parent_run.Run(parent.run_id),
        job=parent_run.Job(naming.job_namespace, parent.job),
        root=parent_run.Root(
            run=parent_run.RootRun(root.run_id), job=parent_run.RootJob(naming.job_namespace, root.job)
        ),
    )


def nominal_time(start: datetime, end: datetime | None = None) -> RunFacet:
    """Return the nominalTime facet: when a run was scheduled, or the span of time whose rows it makes."""
    return nominal_time_run.NominalTimeRunFacet(instant_text(start), instant_text(end) if end else None)


def processing_engine(engine: Engine) -> RunFacet:
    """Return the processing_engine facet."""
    return processing_engine_run.ProcessingEngineRunFacet(engine.version, engine.name, client_version)


def run_tags(tags: tuple[tuple[str, str], ...]) -> RunFacet:
    """Return the tags facet of a run; the client adds its own version to it."""
    return tags_run.TagsRunFacet([tags_run.TagsRunFacetFields(key, value, SOURCE) for key, value in tags])


def error_message(shown: str) -> RunFacet:
    """Return the errorMessage facet; no stack trace, which would name paths of this machine."""
    return error_message_run.ErrorMessageRunFacet(shown, "PYTHON")


def instant_text(at: datetime) -> str:
    """Return an instant as events write it: UTC, always with its offset.

    Raises:
        ValueError: ``at`` has no time zone; the schema refuses such a time and the client does not.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no time zone")
    return at.astimezone(UTC).isoformat()
