"""Findings as SARIF 2.1.0, which code hosts show beside the lines (https://docs.oasis-open.org/sarif/sarif/v2.1.0/)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from governance.report.where import named, place_of
from governance.rules.finding import Finding
from governance.rules.rule import Outcome, Waived

LEVELS = {"ERROR": "error", "WARN": "warning"}


def sarif(outcomes: Sequence[Outcome], files: Mapping[str, str]) -> str:
    """Return the log: one run, a rule a rule, a result a finding; what a waiver accepts is a suppressed result."""
    results = [
        *(_result(finding, files) for outcome in outcomes for finding in outcome.findings),
        *(_suppressed(waived, files) for outcome in outcomes for waived in outcome.waived),
    ]
    driver = {"name": "headwater", "rules": [_rule(outcome) for outcome in outcomes]}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _rule(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.rule.name,
        "shortDescription": {"text": outcome.rule.description},
        "defaultConfiguration": {"level": LEVELS[outcome.rule.severity.value]},
    }


def _result(finding: Finding, files: Mapping[str, str]) -> dict[str, Any]:
    # by what is wrong where, not by its words: a count that grew is the finding of yesterday
    identity = f"{finding.rule}\x1f{named(finding)}"
    return {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity.value],
        "message": {"text": f"{named(finding)}: {finding.message}. Fix: {finding.fix}"},
        "locations": [_location(finding, files)],
        "partialFingerprints": {"headwater/v1": hashlib.sha256(identity.encode()).hexdigest()},
    }


def _suppressed(waived: Waived, files: Mapping[str, str]) -> dict[str, Any]:
    waiver = waived.waiver
    said = f"{waiver.reason} (accepted by {waiver.who} until {waiver.until})"
    return _result(waived.finding, files) | {"suppressions": [{"kind": "external", "justification": said}]}


def _location(finding: Finding, files: Mapping[str, str]) -> dict[str, Any]:
    logical = {"logicalLocations": [{"fullyQualifiedName": named(finding), "kind": "member"}]}
    place = place_of(finding, files)
    if place is None:
        return logical
    file, line = place
    return logical | {
        "physicalLocation": {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": line}},
    }
