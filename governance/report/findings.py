"""Findings and outcomes of rules as text and Markdown."""

from collections.abc import Iterable, Iterator

from governance.policy import Waiver
from governance.report.table import markdown, markdown_table, plain
from governance.rules.finding import Finding
from governance.rules.rule import Outcome

HEAD = ("Severity", "Table", "Column", "What is wrong", "What to do", "Decided by")


def findings_markdown(findings: Iterable[Finding]) -> str:
    """Return one row a finding; ``No findings.`` for none."""
    rows = [(it.severity.value, it.table, it.column or "", it.message, it.fix, it.decided_by) for it in findings]
    return markdown_table(HEAD, rows) if rows else "No findings."


def findings_text(findings: Iterable[Finding]) -> str:
    """Return a paragraph a finding: rule and place, what is wrong, what to do."""
    return "\n".join(line for finding in findings for line in _paragraph(finding)) or "no findings"


def outcome_markdown(outcome: Outcome) -> str:
    """Return the findings that count, then what waivers accept and which waivers match nothing."""
    parts = [findings_markdown(outcome.findings)]
    if outcome.waived:
        rows = [
            (it.finding.table, it.finding.column or "", it.finding.message, *_waiver(it.waiver))
            for it in outcome.waived
        ]
        parts.append("Accepted by waiver:")
        parts.append(markdown_table(("Table", "Column", "Finding", "Reason", "Accepted by", "Until"), rows))
    parts.extend(markdown(line) for line in _unused(outcome))
    return "\n\n".join(parts)


def outcome_text(outcome: Outcome) -> str:
    """Return the same as text, under the rule's name and how it went."""
    lines = [f"{outcome.rule.name}: {_summary(outcome)}"]
    lines += [f"  {line}" for finding in outcome.findings for line in _paragraph(finding)]
    for waived in outcome.waived:
        reason, who, until = _waiver(waived.waiver)
        what = f"accepted by {who} until {until}: {_place(waived.finding)}: {waived.finding.message}"
        lines.append(f"  {plain(what)}")
        lines.append(f"    {plain(reason)}")
    lines += [f"  {plain(line)}" for line in _unused(outcome)]
    return "\n".join(lines)


def _summary(outcome: Outcome) -> str:
    count = len(outcome.findings)
    waived = f", {len(outcome.waived)} waived" if outcome.waived else ""
    return f"{count or 'no'} finding{'s' * (count != 1)}{waived}"


def _paragraph(finding: Finding) -> Iterator[str]:
    yield plain(f"{finding.severity.value} {_place(finding)}  {finding.rule}")
    yield f"  {plain(finding.message)}"
    if finding.decided_by:
        yield f"  decided by: {plain(finding.decided_by)}"
    yield f"  fix: {plain(finding.fix)}"


def _place(finding: Finding) -> str:
    return f"{finding.table}.{finding.column}" if finding.column else finding.table


def _waiver(waiver: Waiver) -> tuple[str, str, str]:
    return waiver.reason, waiver.who, waiver.until.isoformat()


def _unused(outcome: Outcome) -> Iterator[str]:
    for waiver in outcome.unused:
        place = f"{waiver.table}.{waiver.column}" if waiver.column else waiver.table
        yield f"The waiver of {waiver.who} for {place} (until {waiver.until}) matches no finding: take it out."
