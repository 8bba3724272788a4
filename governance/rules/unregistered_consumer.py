"""Unregistered consumer: someone whom a query log shows to read a table, and whom nobody knows to depend on it."""

from governance.consumers.observed import Observed, observe
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule

NAME = "unregistered_consumer"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each pair of the query log, on a table of the catalog, that nothing explains."""
    if not known.log.reads:
        return ()
    owners = known.records.owners()
    return tuple(
        _finding(pair, known, owners.get(pair.table))
        for pair in observe(known.records)
        if pair.table in known.inventory and not pair.explained
    )


def _finding(pair: Observed, known: Known, owner: str | None) -> Finding:
    many = "many read through that account, so nobody is known to depend on it; " if pair.who.shared else ""
    return Finding(
        rule=NAME,
        severity=Severity.WARN,
        table=pair.table,
        column=None,
        message=f"{pair.who.name} read it {pair.reads} time{'s' * (pair.reads != 1)}, last on {pair.last:%Y-%m-%d}, "
        "and neither lineage nor a declaration knows of it",
        fix=f"{many}{_ask(pair, owner)}",
        decided_by=f"query log of {known.log.span}" if known.log.span else "query log",
    )


def _ask(pair: Observed, owner: str | None) -> str:
    who = f"the owner {owner}" if owner else "the table's owner"
    if pair.who.shared:
        return f"{who} finds the person or report behind it, and declares it by its tag in governance/consumers.toml"
    return f"{who} asks {pair.who.name} what for, and declares it in governance/consumers.toml"


RULE = Rule(
    name=NAME,
    severity=Severity.WARN,
    blocking=False,
    description="Whoever a query log shows to read a table is a job with lineage or declared in consumers.toml.",
    find=find,
)
