"""What the rules found, in each form that people and build servers read: ``FORMATS`` of ``headwater check``."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from governance.policy import Waiver
from governance.report.findings import outcome_markdown, outcome_text
from governance.report.github import github
from governance.report.junit import junit
from governance.report.sarif import sarif
from governance.report.where import place_of
from governance.rules.finding import Finding
from governance.rules.rule import Outcome

Files = Mapping[str, str]
"""Table → the file that builds it, from the project's root: where a build server shows a finding."""


def check_text(outcomes: Sequence[Outcome], _files: Files) -> str:
    """Return each rule with its findings."""
    return "\n".join(map(outcome_text, outcomes))


def check_markdown(outcomes: Sequence[Outcome], _files: Files) -> str:
    """Return each rule under its heading, its findings as a table."""
    return "\n\n".join(f"## {outcome.rule.name}\n\n{outcome_markdown(outcome)}" for outcome in outcomes)


def check_json(outcomes: Sequence[Outcome], files: Files) -> str:
    """Return ``{"passed", "rules"}``.

    Each of ``rules`` has ``name``, ``severity``, ``blocking``, ``description``, ``passed``, ``findings`` (``severity``,
    ``table``, ``column`` or null, ``message``, ``fix``, ``decided_by``, ``file`` or null), ``waived`` (a finding with
    ``reason``, ``who``, ``until``) and ``unused_waivers``. ``passed`` is false where an ERROR counts.
    """
    errors = any(it.severity.value == "ERROR" for outcome in outcomes for it in outcome.findings)
    document = {"passed": not errors, "rules": [_rule(outcome, files) for outcome in outcomes]}
    return json.dumps(document, indent=2, ensure_ascii=False)


def _rule(outcome: Outcome, files: Files) -> dict[str, Any]:
    return {
        "name": outcome.rule.name,
        "severity": outcome.rule.severity.value,
        "blocking": outcome.rule.blocking,
        "description": outcome.rule.description,
        "passed": outcome.passed,
        "findings": [_finding(it, files) for it in outcome.findings],
        "waived": [_finding(it.finding, files) | _waiver(it.waiver) for it in outcome.waived],
        "unused_waivers": [{"table": it.table, "column": it.column} | _waiver(it) for it in outcome.unused],
    }


def _finding(finding: Finding, files: Files) -> dict[str, Any]:
    return {
        "severity": finding.severity.value,
        "table": finding.table,
        "column": finding.column,
        "message": finding.message,
        "fix": finding.fix,
        "decided_by": finding.decided_by,
        "file": place[0] if (place := place_of(finding, files)) else None,
    }


def _waiver(waiver: Waiver) -> dict[str, str]:
    return {"reason": waiver.reason, "who": waiver.who, "until": waiver.until.isoformat()}


FORMATS: Mapping[str, Callable[[Sequence[Outcome], Files], str]] = {
    "text": check_text,
    "md": check_markdown,
    "json": check_json,
    "sarif": sarif,
    "junit": junit,
    "github": github,
}
