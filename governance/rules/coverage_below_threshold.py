"""Coverage below threshold: lineage knows less of what there is than ``lineage.toml`` demands; by default, nothing."""

from governance.coverage.measure import measure
from governance.coverage.model import Coverage, Share
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import About, Rule

NAME = "coverage_below_threshold"

SHOWN = 3
"""Missing tables and reads that a message names; ``headwater coverage`` lists all."""

WHAT = {
    "nodes": "tables of the catalog that lineage has",
    "columns": "tables of the catalog with column lineage",
    "edges": "reads of the query log that lineage or a declaration explains",
}


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each measure below its threshold, and for each with a threshold that cannot be measured."""
    if not known.policy.coverage:
        return ()
    coverage = measure(known.records, known.inventory, known.now)
    return tuple(
        _finding(name, least, coverage.measures[name], coverage, known)
        for name, least in known.policy.coverage.items()
        if (coverage.measures[name].ratio or 0.0) < least
    )


def _finding(name: str, least: float, share: Share, coverage: Coverage, known: Known) -> Finding:
    what, _, weight = name.partition("_by_")
    weighed = f", weighted by {weight}" if weight else ""
    missing = _missing(what, coverage)
    return Finding(
        rule=NAME,
        severity=Severity.ERROR,
        # of no table, so that it stands on the platform's own page
        table=known.policy.lineage.namespace,
        column=None,
        message=f"{WHAT[what]}{weighed}: {share}, below the {least:.0%} of {name} in governance/lineage.toml"
        + (f"; missing above all {', '.join(missing)}" if missing else ""),
        fix="see `headwater coverage` for what is missing and whose it is"
        if share.whole
        else "ingest a query log (`headwater ingest-queries FILE`), or take the threshold out",
        decided_by=f"query log of {known.log.span}" if what == "edges" and known.log.span else "catalog inventory",
    )


def _missing(what: str, coverage: Coverage) -> list[str]:
    if what == "edges":
        return [f"{pair.who.name} on {pair.table}" for pair in coverage.missing_edges[:SHOWN]]
    tables = (*coverage.missing_tables, *(coverage.untraced_tables if what == "columns" else ()))
    return [table.name for table in tables[:SHOWN]]


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=False,
    description="Lineage covers at least the shares of tables and reads that lineage.toml demands; none by default.",
    find=find,
    about=About.PLATFORM,
)
