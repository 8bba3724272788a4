"""Dangling run: a START whose end has not come for longer than a stated time, so that nobody knows what it wrote."""

from datetime import datetime, timedelta

from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule
from governance.runs import PATIENCE, Run

NAME = "dangling_run"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each run that began longer ago than ``dangling_after`` and has no end.

    An attempt that the scheduler saw end is ``missing_run``'s, which knows more of it.
    """
    patience = known.policy.dangling_after or PATIENCE
    told = {ended.attempt.run_id for ended in known.ended}
    runs = (run for run_id, run in sorted(known.runs.items()) if run_id not in told)
    return tuple(
        _finding(run, known, patience)
        for run in sorted(runs, key=lambda run: (run.began, run.run_id))
        if run.ended is None and known.now - _heard(run) > patience
    )


def _heard(run: Run) -> datetime:
    """Return when its latest event came: a stream has no end, and reports that it still runs."""
    return run.heard or run.began


def _finding(run: Run, known: Known, patience: timedelta) -> Finding:
    namespace = known.policy.lineage.namespace
    table = next((it.dataset.name for it in run.outputs if it.dataset.namespace == namespace), run.job.name)
    later = _completed_since(run, known)
    since = "; a later run of the job has completed" if later else ""
    return Finding(
        rule=NAME,
        severity=Severity.WARN if later else Severity.ERROR,
        table=table,
        column=None,
        message=f"job {run.job} is ABANDONED: it began at {run.began:%Y-%m-%d %H:%M} UTC and has sent "
        f"neither an end nor a sign of life for more than {patience.total_seconds() / 3600:.0f} hours{since}",
        fix="see whether it still runs; if it died, send its FAIL or ABORT with the same run id. "
        "Where runs may take longer, set dangling_after in governance/lineage.toml",
        decided_by=f"run {run.run_id}",
    )


def _completed_since(run: Run, known: Known) -> bool:
    return any(
        other.job == run.job and other.state == "COMPLETE" and other.began > run.began for other in known.runs.values()
    )


RULE = Rule(
    name=NAME,
    severity=Severity.WARN,
    blocking=False,
    description="Every run that began has ended, or began no longer ago than dangling_after in lineage.toml.",
    find=find,
)
