"""The lineage page as an asset: each run of ``governance`` keeps it as a file, so that its history can be looked at."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from dagster import AssetExecutionContext, AssetsDefinition, DagsterInstance, MaterializeResult, MetadataValue, asset

from governance.findings_seen import FindingsSeen, keep
from governance.page.document import Shown, document
from governance.page.html import report_html
from governance.page.reports import keep_report
from governance.rules import RULES, Known, check
from governance.rules.finding import Finding
from governance_checks.scheduler import REPORT

Metadata = dict[str, MetadataValue | int]


def build_report(
    state: Path, known: Callable[[DagsterInstance], Known], shown: Callable[[datetime], Shown]
) -> AssetsDefinition:
    """Return the asset ``governance/lineage_report``.

    known: as in ``build_checks``: asked while the step runs
    shown: the page as of a moment, which reads what was found from the ``state`` folder
    """

    @asset(
        key=REPORT,
        group_name="governance",
        kinds={"html"},
        description="The lineage page with all findings, kept as one HTML file each time the job governance runs.",
    )
    def lineage_report(context: AssetExecutionContext) -> MaterializeResult[None]:
        facts = known(context.instance)
        findings = tuple(it for rule in RULES for it in check(rule, facts).findings)
        keep(state, FindingsSeen(facts.now, findings))
        made = document(shown(facts.now))
        text = report_html(made).text
        ui = facts.policy.ui
        path = keep_report(state, text, facts.now, ui.reports)
        links: Metadata = {
            "page": MetadataValue.url(ui.page),
            "this report": MetadataValue.url(f"{ui.page}/reports/{path.name}"),
            "file": MetadataValue.path(path),
        }
        return MaterializeResult(metadata={**links, **_figures(made, findings), "bytes": len(text.encode())})

    return lineage_report


def _figures(made: Mapping[str, Any], findings: Iterable[Finding]) -> Metadata:
    if part := made.get("part"):
        # what a part has of columns, edges and findings says nothing about the platform
        every = Counter(it.severity.value for it in findings)
        return {"tables": part["of"], "tables shown": part["tables"], **_judged(every)}
    standing = {made["versions"][run["version"]]["slot"]: run["version"] for run in made["runs"]}
    return {
        "tables": len(made["datasets"]),
        "columns": sum(len(it["fields"]) for it in made["datasets"]),
        "edges": sum(len(made["versions"][place]["edges"]) for place in standing.values()),
        "runs": len(made["runs"]),
        **_judged(Counter(it["severity"] for it in made["findings"])),
    }


def _judged(found: Mapping[str, int]) -> Metadata:
    return {"errors": found["ERROR"], "warnings": found["WARN"]}
