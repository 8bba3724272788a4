"""A rule, and the one place where waivers are applied to what it finds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from pathlib import Path
from traceback import extract_tb

from governance.policy import Waiver
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known


class About(Enum):
    """What the findings of a rule are about."""

    TABLE = "table"
    PLATFORM = "platform"


@dataclass(frozen=True, slots=True)
class Rule:
    """A question asked of everything known, answered by findings.

    severity: of its findings; ERROR turns a check red
    blocking: whether nothing downstream may run on a table with such a finding
    find:     the question itself, pure; waivers are none of its business
    about:    what a finding of it is about: one table, or the platform as a whole
    """

    name: str
    severity: Severity
    blocking: bool
    description: str
    find: Callable[[Known], tuple[Finding, ...]]
    about: About = About.TABLE


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that someone accepted, and the waiver that says so."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rule says after waivers.

    findings: what counts, also what a waiver accepted only until a day that is past
    waived:   what does not count, and why
    unused:   the rule's waivers that match no finding: done with, or misspelt
    failure:  of ``findings`` the one that says that the rule itself failed, so that nothing was looked at
    """

    rule: Rule
    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...] = ()
    unused: tuple[Waiver, ...] = ()
    failure: Finding | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing counts."""
        return not self.findings

    def where(self, belongs: Callable[[str], bool]) -> "Outcome":
        """Return the part of the outcome about the tables that ``belongs`` accepts.

        The rule's own failure is about each: a table that was not looked at has not passed.
        """
        return replace(
            self,
            findings=tuple(it for it in self.findings if it is self.failure or belongs(it.table)),
            waived=tuple(waived for waived in self.waived if belongs(waived.finding.table)),
            unused=tuple(waiver for waiver in self.unused if belongs(waiver.table)),
        )


@dataclass(slots=True)
class Outcomes:
    """What rules say of the same things known, asked as often as one likes and found once."""

    _known: Known | None = None
    _found: dict[str, Outcome] = field(default_factory=dict)

    def of(self, rule: Rule, known: Known) -> Outcome:
        """Return what :func:`check` does; the rules asked have names of their own."""
        if known is not self._known:
            self._known, self._found = known, {}
        if rule.name not in self._found:
            self._found[rule.name] = check(rule, known)
        return self._found[rule.name]


def check(rule: Rule, known: Known) -> Outcome:
    """Return what ``rule`` finds in ``known``, with the policy's waivers applied as of ``known.now``.

    A rule that fails gives one finding of severity ERROR that says so, which no waiver covers.
    """
    try:
        found = rule.find(known)
    except Exception as error:  # noqa: BLE001 -- whatever is wrong with one rule, the others still have their say
        failure = _failure(rule, error, known)
        return Outcome(rule, (failure,), failure=failure)
    return _judged(rule, found, known)


def _failure(rule: Rule, error: Exception, known: Known) -> Finding:
    last = extract_tb(error.__traceback__)[-1]
    return Finding(
        rule=rule.name,
        severity=Severity.ERROR,
        table=known.policy.lineage.namespace,
        column=None,
        message=f"the rule {rule.name} itself failed, so nothing was looked at: {type(error).__name__}: {error}",
        fix=f"correct the rule (governance/rules/{rule.name}.py), or what it was given and cannot read",
        decided_by=f"{Path(last.filename).name}:{last.lineno}",
    )


def _judged(rule: Rule, found: Iterable[Finding], known: Known) -> Outcome:
    waivers = [waiver for waiver in known.policy.waivers if waiver.rule == rule.name]
    today = known.now.date()
    counting: list[Finding] = []
    waived: list[Waived] = []
    for finding in found:
        covering = [waiver for waiver in waivers if _covers(waiver, finding)]
        current = [waiver for waiver in covering if today <= waiver.until]
        if current:
            waived.append(Waived(finding, current[0]))
        else:
            counting.append(_recalled(finding, covering))
    findings = (*counting, *(it.finding for it in waived))
    unused = tuple(waiver for waiver in waivers if not any(_covers(waiver, finding) for finding in findings))
    return Outcome(rule, tuple(counting), tuple(waived), unused)


def _covers(waiver: Waiver, finding: Finding) -> bool:
    return waiver.table == finding.table and waiver.column in (None, finding.column)


def _recalled(finding: Finding, expired: Iterable[Waiver]) -> Finding:
    last = max(expired, key=_until, default=None)
    if last is None:
        return finding
    return replace(finding, message=f"{finding.message} (accepted by {last.who} until {last.until}, which is past)")


def _until(waiver: Waiver) -> date:
    return waiver.until
