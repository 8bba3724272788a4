"""Stale lineage: what the graph says of a table is not, or no longer, about the table as it is.

Three ways to be stale: the table was written since by something that told nothing; the table is gone, or what declared
the file that was read, and its edges stand; the job's code is gone, and its edges stand. Of a table whose metadata
cannot be read none of it can be told, which is found as well.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta

from governance.dataset import Dataset
from governance.graph import Flow, Write
from governance.rules.finding import Finding, Severity
from governance.rules.known import Head, Known
from governance.rules.rule import Rule
from governance.runs import PATIENCE

NAME = "stale_lineage"

SETTLED = timedelta(minutes=10)
"""How far clocks may differ, and how long a commit and its event may lie apart, before that means anything."""


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each table written past its lineage, each that is gone, and each job whose code is gone."""
    return (*_damaged(known), *_written_since(known), *_gone(known), *_without_code(known))


def _damaged(known: Known) -> Iterator[Finding]:
    for table, error in sorted(known.damaged.items()):
        yield Finding(
            rule=NAME,
            severity=Severity.ERROR,
            table=table,
            column=None,
            message=f"whether its lineage is of its current snapshot cannot be told: {error.problem}",
            fix=error.fix,
            decided_by="catalog",
        )


def _written_since(known: Known) -> Iterator[Finding]:
    elsewhere = _told_by_missing_run(known) | _under_way(known)
    for table, head in sorted(known.heads.items()):
        dataset = Dataset(known.policy.lineage.namespace, table)
        writes = [write for write in known.graph.writes if write.dataset == dataset]
        if writes and table not in elsewhere and not _is_told(head, dataset, writes, known):
            yield _since(table, head, max(writes, key=lambda write: write.at))


def _is_told(head: Head, dataset: Dataset, writes: list[Write], known: Known) -> bool:
    """Whether some COMPLETE is of the snapshot: the latest need not be, where a table was rolled back."""
    run = known.runs.get(head.run_id or "")
    # what a run rejected is kept, however the run ended
    if run is not None and (run.state == "COMPLETE" or dataset.name in known.quarantines):
        return True
    if all(write.snapshot is None for write in writes):
        return head.at <= max(write.at for write in writes) + SETTLED
    complete = (run for run in known.runs.values() if run.state == "COMPLETE")
    outputs = (output for run in complete for output in run.outputs if output.dataset == dataset)
    return any(output.snapshot == head.snapshot for output in outputs) or (dataset, head.snapshot) in known.snapshots


def _told_by_missing_run(known: Known) -> set[str]:
    """Return the tables of successes without COMPLETE: missing_run says so already, and what to do."""
    return {
        ended.table
        for ended in known.ended
        if ended.status == "SUCCESS"
        and (ended.attempt.run_id not in known.runs or known.runs[ended.attempt.run_id].state != "COMPLETE")
    }


def _under_way(known: Known) -> set[str]:
    runs = (run for run in known.runs.values() if run.ended is None)
    live = (run for run in runs if known.now - (run.heard or run.began) <= PATIENCE)
    return {output.dataset.name for run in live for output in run.outputs}


def _since(table: str, head: Head, last: Write) -> Finding:
    lineage = f"of snapshot {last.snapshot}" if last.snapshot else "of a run"
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        table=table,
        column=None,
        message=f"its snapshot {head.snapshot} of {head.at:%Y-%m-%d %H:%M} UTC was written by no run that events tell "
        f"of; its lineage is {lineage} that ended {last.at:%Y-%m-%d %H:%M} UTC",
        fix="find what wrote it and make it send events, or build the table again by its pipeline",
        decided_by=f"catalog, against run {last.run_id}",
    )


def _gone(known: Known) -> Iterator[Finding]:
    for write in known.graph.writes:
        dataset = write.dataset
        # a table that says itself that it is dropped is marked so wherever its lineage is shown
        own = known.policy.lineage.in_catalog(dataset) and dataset not in known.graph.dropped
        # the catalog is listed before the events are read: a table made in between is not gone
        settled = write.at <= known.now - SETTLED
        if own and settled and dataset.name not in known.inventory:
            yield _stale(write, "the catalog has no such table: it was dropped or renamed", _when_gone(write, known))
    yield from _gone_sources(known)


def _gone_sources(known: Known) -> Iterator[Finding]:
    last = {(flow.source, flow.job): flow for flow in sorted(known.graph.flows, key=lambda flow: flow.at)}
    readers: dict[Dataset, list[Flow]] = defaultdict(list)
    for (dataset, _), flow in sorted(last.items()):
        readers[dataset].append(flow)
    naming = known.policy.lineage
    for dataset in sorted(readers.keys() - known.graph.written - known.graph.dropped):
        reading = readers[dataset]
        own = naming.in_catalog(dataset)
        if own and dataset.name not in known.inventory and max(it.at for it in reading) <= known.now - SETTLED:
            yield _source_gone(dataset, reading)
        if naming.files.get(dataset.name) != dataset.namespace:
            files = [flow for flow in reading if _read_files(flow, known)]
            yield from [_file_gone(dataset, files)] if files else []


def _read_files(flow: Flow, known: Known) -> bool:
    """Whether a pipeline that there is read files for the flow's source; one that cannot be read says so itself."""
    own = flow.job in known.pipelines and flow.job not in known.unreadable
    run = known.runs.get(flow.run_id) if own else None
    return run is not None and any(it.dataset == flow.source and it.files for it in run.inputs)


def _file_gone(dataset: Dataset, readers: list[Flow]) -> Finding:
    latest = max(readers, key=lambda flow: flow.at)
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=dataset.name,
        column=None,
        message=f"lineage of {latest.at:%Y-%m-%d %H:%M} UTC reads these files "
        f"({', '.join(flow.job for flow in readers)}), and sources.toml declares no such dataset any more",
        fix="run the pipelines again, so that their lineage is of what they read now, or declare it again",
        decided_by=f"run {latest.run_id}",
    )


def _source_gone(dataset: Dataset, readers: list[Flow]) -> Finding:
    latest = max(readers, key=lambda flow: flow.at)
    jobs = ", ".join(flow.job for flow in readers)
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=dataset.name,
        column=None,
        message=f"lineage of {latest.at:%Y-%m-%d %H:%M} UTC reads it ({jobs}), and the catalog has no such table: it "
        "was dropped or renamed",
        fix="name the table that took its place in the pipelines, sources.toml and metadata.toml, or bring it back",
        decided_by=f"run {latest.run_id}",
    )


def _when_gone(write: Write, known: Known) -> str:
    if write.dataset.name in known.pipelines:
        return "build it again by its pipeline, or remove the pipeline"
    return "if it was renamed, send an event of the new name; if it was dropped, one with lifecycleStateChange DROP"


def _without_code(known: Known) -> Iterator[Finding]:
    jobs = known.pipelines | {job.name for job in known.policy.external_jobs}
    for write in known.graph.writes:
        own = write.job.namespace == known.policy.lineage.job_namespace
        if own and known.pipelines and write.job.name not in jobs and write.dataset.name in known.inventory:
            yield _stale(
                write,
                f"job {write.job} wrote it, and there is no such pipeline any more",
                "drop the table if nothing builds it, or bring the pipeline back; "
                "a job that runs elsewhere is declared in governance/lineage.toml",
            )


def _stale(write: Write, problem: str, fix: str) -> Finding:
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=write.dataset.name,
        column=None,
        message=f"its lineage of {write.at:%Y-%m-%d %H:%M} UTC stands, and {problem}",
        fix=fix,
        decided_by=f"run {write.run_id}",
    )


RULE = Rule(
    name=NAME,
    severity=Severity.WARN,
    blocking=False,
    description="What the graph says of a table is of the table's current snapshot, and of a table and a job there is.",
    find=find,
)
