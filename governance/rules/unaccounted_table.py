"""Unaccounted table: a table in the catalog that no lineage accounts for, so that impact and erasure miss it."""

from governance.dataset import Dataset
from governance.graph import Write
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule

NAME = "unaccounted_table"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each catalog table that is neither a source nor the output of a job with lineage."""
    namespace = known.policy.lineage.namespace
    accounted = {write.dataset for write in known.graph.writes if _accounts(write)}
    return tuple(
        _finding(table, _evidence(Dataset(namespace, table), known), known)
        for table in sorted(known.inventory - known.sources)
        if Dataset(namespace, table) not in accounted
    )


def _accounts(write: Write) -> bool:
    """Whether the write says where its rows came from: by columns, or by the tables read at least."""
    return write.traced or bool(write.inputs)


def _evidence(dataset: Dataset, known: Known) -> str:
    named = [write for write in known.graph.writes if write.dataset.name == dataset.name]
    own = next((write for write in named if write.dataset == dataset), None)
    if own:
        return f"job {own.job} wrote it and told neither inputs nor column lineage (run {own.run_id})"
    tried = [run for run in known.runs.values() if any(output.dataset == dataset for output in run.outputs)]
    if tried:
        last = max(tried, key=lambda run: (run.began, run.run_id))
        return f"job {last.job} names it as output, and its last run is {last.state}, not COMPLETE (run {last.run_id})"
    elsewhere = [write.dataset.namespace for write in named]
    if elsewhere:
        return f"events name such a table only in namespace {elsewhere[0]}, not in {dataset.namespace}"
    return "no event names it as an output"


def _finding(table: str, evidence: str, known: Known) -> Finding:
    kept = known.quarantines.get(table)
    return Finding(
        rule=NAME,
        # a run that failed is told as that; what it had rejected waits for one that is complete
        severity=Severity.WARN if kept else Severity.ERROR,
        table=table,
        column=None,
        message=f"the catalog has it, and no job's lineage accounts for it: {evidence}",
        fix=_fix(table, kept, known),
        decided_by="catalog inventory",
    )


def _fix(table: str, kept: str | None, known: Known) -> str:
    if kept:
        return f"build {kept}, whose runs rejected these rows: its COMPLETE tells what they come from"
    if table in known.pipelines:
        return "materialize it, so that its run sends lineage"
    return (
        "find the job that writes it and make it send events (a pipeline file does), or declare the table "
        "in platform_assets/sources.toml if nothing here builds it"
    )


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=False,
    description="Every table in the catalog is a declared source or the output of a job whose lineage is in the store.",
    find=find,
)
