"""Stored lines → the client's event classes, for transports that take nothing else."""

from collections.abc import Mapping
from typing import Any

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import job_type_job, parent_run


def run_event(document: Mapping[str, Any]) -> RunEvent:
    """Return the run event that a stored line holds, its facets as they were written.

    Raises:
        KeyError, TypeError, ValueError: ``document`` is no run event.
    """
    run, job = document["run"], document["job"]
    return RunEvent(
        eventTime=document["eventTime"],
        eventType=RunState(document["eventType"]),
        producer=document["producer"],
        run=Run(run["runId"], _revived(run.get("facets", {}))),
        job=Job(job["namespace"], job["name"], _revived(job.get("facets", {}))),
        inputs=[_dataset(InputDataset, "inputFacets", part) for part in document.get("inputs", ())],
        outputs=[_dataset(OutputDataset, "outputFacets", part) for part in document.get("outputs", ())],
    )


def _dataset(kind: Any, own: str, part: Mapping[str, Any]) -> Any:
    return kind(part["namespace"], part["name"], part.get(own, {}), facets=part.get("facets", {}))


def _revived(facets: Mapping[str, Any]) -> dict[str, Any]:
    """Facets as plain JSON, but for the two that transports look into (Kafka for its key, Datadog for its route)."""
    return {key: _REVIVE[key](facet) if key in _REVIVE else facet for key, facet in facets.items()}


def _parent(facet: Mapping[str, Any]) -> parent_run.ParentRunFacet:
    root = facet.get("root")
    return parent_run.ParentRunFacet(
        run=parent_run.Run(facet["run"]["runId"]),
        job=parent_run.Job(facet["job"]["namespace"], facet["job"]["name"]),
        root=root
        and parent_run.Root(
            run=parent_run.RootRun(root["run"]["runId"]),
            job=parent_run.RootJob(root["job"]["namespace"], root["job"]["name"]),
        ),
        producer=facet["_producer"],
    )


def _job_type(facet: Mapping[str, Any]) -> job_type_job.JobTypeJobFacet:
    return job_type_job.JobTypeJobFacet(
        processingType=facet["processingType"],
        integration=facet["integration"],
        jobType=facet.get("jobType"),
        producer=facet["_producer"],
    )


_REVIVE = {"parent": _parent, "jobType": _job_type}
