"""Findings as JUnit XML, the form that most build servers show: a suite a rule, a case a finding.

A rule without findings is one case that passed; an ERROR is a failure, a WARN a case that passed and says so in its
output, what a waiver accepts a case that was skipped.
"""

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

from governance.report.where import named, place_of
from governance.rules.finding import Finding
from governance.rules.rule import Outcome

FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def junit(outcomes: Sequence[Outcome], files: Mapping[str, str]) -> str:
    """Return the document."""
    root = ET.Element("testsuites", name="headwater check")
    for outcome in outcomes:
        _suite(root, outcome, files)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: ET.Element, outcome: Outcome, files: Mapping[str, str]) -> None:
    cases = len(outcome.findings) + len(outcome.waived)
    failures = sum(it.severity.value == "ERROR" for it in outcome.findings)
    suite = ET.SubElement(
        root,
        "testsuite",
        name=outcome.rule.name,
        tests=str(cases or 1),
        failures=str(failures),
        errors="0",
        skipped=str(len(outcome.waived)),
    )
    for finding in outcome.findings:
        _finding(_case(suite, finding, files), finding)
    for waived in outcome.waived:
        accepted = f"accepted by {waived.waiver.who} until {waived.waiver.until}: {waived.waiver.reason}"
        ET.SubElement(_case(suite, waived.finding, files), "skipped", message=_text(accepted))
    if not cases:
        ET.SubElement(suite, "testcase", classname=outcome.rule.name, name=_text(outcome.rule.description))


def _case(suite: ET.Element, finding: Finding, files: Mapping[str, str]) -> ET.Element:
    place = place_of(finding, files)
    where = {"file": _text(place[0]), "line": str(place[1])} if place else {}
    return ET.SubElement(suite, "testcase", classname=finding.rule, name=_text(named(finding)), attrib=where)


def _finding(case: ET.Element, finding: Finding) -> None:
    said = _text(f"{finding.message}\nfix: {finding.fix}\ndecided by: {finding.decided_by}")
    if finding.severity.value == "ERROR":
        ET.SubElement(case, "failure", message=_text(finding.message), type=finding.rule).text = said
    else:
        ET.SubElement(case, "system-out").text = f"warning: {said}"


def _text(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
