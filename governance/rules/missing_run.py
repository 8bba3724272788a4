"""Missing run: a run that the scheduler saw end, or that a cadence promises, and whose events did not arrive.

The emitter cannot report its own silence, so the scheduler is asked which attempts ended.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from governance.events.model import TERMINAL
from governance.policy import ExternalJob
from governance.rules.finding import Finding, Severity
from governance.rules.known import EndedAttempt, Known
from governance.rules.rule import Rule
from governance.runs import Run

NAME = "missing_run"
MEND = {
    "SUCCESS": "run `headwater events repair`: it rebuilds the COMPLETE from the table's snapshot",
    "FAILURE": "run `headwater events repair`: it sends the FAIL, as the daemon's sensor end_failed_runs does",
    "CANCELED": "run `headwater events repair`: it sends the ABORT, as the daemon's sensor end_terminated_runs does",
}


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each ended attempt without its terminal event, and for each external job that is overdue."""
    return (*_of_attempts(known), *_of_external_jobs(known))


def _of_attempts(known: Known) -> Iterator[Finding]:
    for ended in known.ended:
        run = known.runs.get(ended.attempt.run_id)
        problem = _problem(ended, run)
        if problem:
            # what switches events off does not turn one into another
            arrived = run is not None and run.state in TERMINAL
            cause = known.silenced or known.filtered.get(ended.attempt.job)
            yield _finding(ended, problem, None if arrived else cause)


def _problem(ended: EndedAttempt, run: Run | None) -> str:
    """Return what the store lacks of an ended attempt, empty where it lacks nothing."""
    if run is None:
        return "the store holds no event of it"
    if run.state not in TERMINAL:
        return f"the store holds its {run.state} of {_minute(run.began)} and no end"
    if ended.status == "SUCCESS" and run.state != "COMPLETE":
        return f"the store holds {run.state} as its end, not COMPLETE"
    return ""


def _finding(ended: EndedAttempt, problem: str, silenced: str | None) -> Finding:
    attempt = ended.attempt
    which = f"attempt {attempt.number} of Dagster run {attempt.dagster_run_id[:8]}"
    cause = f": {silenced}" if silenced else ""
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        table=ended.table,
        column=None,
        message=f"{which} ended in {ended.status}, and {problem}{cause}",
        fix=f"remove the cause ({silenced}), then {MEND[ended.status]}" if silenced else MEND[ended.status],
        decided_by=f"run {attempt.run_id}",
    )


def _of_external_jobs(known: Known) -> Iterator[Finding]:
    for job in known.policy.external_jobs:
        last = _last_complete(known, job)
        if last is None or known.now - last > job.cadence:
            yield _overdue(job, last, known.now)


def _last_complete(known: Known, job: ExternalJob) -> datetime | None:
    own = (run for run in known.runs.values() if (run.job.namespace, run.job.name) == (job.namespace, job.name))
    return max((run.ended for run in own if run.state == "COMPLETE" and run.ended), default=None)


def _overdue(job: ExternalJob, last: datetime | None, now: datetime) -> Finding:
    seen = (
        f"its last COMPLETE is of {_minute(last)}, {_span(now - last)} ago"
        if last
        else "the store has no COMPLETE of it"
    )
    owner = f" ({job.owner})" if job.owner else ""
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        table=job.name,
        column=None,
        message=f"job {job.name} runs elsewhere, at least every {_span(job.cadence)}, and {seen}",
        fix=f"ask its owner{owner} whether it ran and whether its events are sent here; "
        "if it is gone, take it out of governance/lineage.toml",
        decided_by=f"cadence in governance/lineage.toml, job namespace {job.namespace}",
    )


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _span(length: timedelta) -> str:
    days, hours = length.days, length.seconds // 3600
    minutes = length.seconds % 3600 // 60
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    return " ".join(f"{number} {unit}{'s' * (number != 1)}" for number, unit in parts if number) or "0 minutes"


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=False,
    description="Every attempt that the scheduler saw end has its terminal event, every success its COMPLETE.",
    find=find,
)
