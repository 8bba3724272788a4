"""Unaccounted table: a table in the catalog that no lineage accounts for, so that impact and erasure miss it."""

from governance.dataset import Dataset
from governance.graph import Write
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule
from governance.runs import Run

NAME = "unaccounted_table"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each catalog table that is neither a source nor the output of a job with lineage."""
    namespace = known.policy.lineage.namespace
    accounted = {write.dataset for write in known.graph.writes if _accounts(write)}
    names = sorted(known.inventory - known.sources)
    tables = [dataset for name in names if (dataset := Dataset(namespace, name)) not in accounted]
    last = _last_tries(frozenset(tables), known) if tables else {}
    return tuple(_finding(it.name, _evidence(it, last.get(it), known), known) for it in tables)


def _last_tries(tables: frozenset[Dataset], known: Known) -> dict[Dataset, Run]:
    """Return the last run that names each table as its output, in one look at all runs."""
    last: dict[Dataset, Run] = {}
    for run in known.runs.values():
        for output in run.outputs:
            if output.dataset in tables:
                before = last.setdefault(output.dataset, run)
                if (run.began, run.run_id) > (before.began, before.run_id):
                    last[output.dataset] = run
    return last


def _accounts(write: Write) -> bool:
    """Whether the write says where its rows came from: by columns, or by the tables read at least."""
    return write.traced or bool(write.inputs)


def _evidence(dataset: Dataset, last: Run | None, known: Known) -> str:
    named = [write for write in known.graph.writes if write.dataset.name == dataset.name]
    own = next((write for write in named if write.dataset == dataset), None)
    if own:
        return f"job {own.job} wrote it and told neither inputs nor column lineage (run {own.run_id})"
    if last:
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
