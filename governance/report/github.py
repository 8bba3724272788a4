"""Findings as workflow commands, which GitHub Actions shows as annotations of the files.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Iterator, Mapping, Sequence

from governance.report.where import named, place_of
from governance.rules.finding import Finding
from governance.rules.rule import Outcome

LEVELS = {"ERROR": "error", "WARN": "warning"}


def github(outcomes: Sequence[Outcome], files: Mapping[str, str]) -> str:
    """Return one annotation a finding; what waivers accept is a notice."""
    return "\n".join(line for outcome in outcomes for line in _lines(outcome, files))


def _lines(outcome: Outcome, files: Mapping[str, str]) -> Iterator[str]:
    for finding in outcome.findings:
        yield _command(LEVELS[finding.severity.value], finding, f"{finding.message}\nfix: {finding.fix}", files)
    for waived in outcome.waived:
        waiver = waived.waiver
        accepted = f"accepted by {waiver.who} until {waiver.until}: {waiver.reason}"
        yield _command("notice", waived.finding, f"{waived.finding.message}\n{accepted}", files)


def _command(level: str, finding: Finding, message: str, files: Mapping[str, str]) -> str:
    place = place_of(finding, files)
    where = {"file": place[0], "line": str(place[1])} if place else {}
    properties = {**where, "title": f"{finding.rule}: {named(finding)}"}
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {said}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
