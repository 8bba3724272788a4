"""A judged comparison of two revisions as text, as a pull request's comment, as findings for a build server."""

from collections.abc import Callable, Iterator, Mapping

from governance.diff import Change, Diff, Kind
from governance.diff.judge import METADATA
from governance.report.github import github
from governance.report.page import Figures, Listing, Part, page_markdown, page_text
from governance.report.sarif import sarif
from governance.rules.finding import Finding, Severity
from governance.rules.rule import Outcome, Rule

MARKER = "<!-- headwater diff -->"
"""First line of the comment, by which whoever posts finds the one to replace."""

LONGEST = 60_000
"""Characters of a comment; GitHub takes 65,536."""

FOUND: Mapping[Kind, tuple[Severity, str]] = {
    Kind.BREAKING: (Severity.ERROR, "No column that something reads goes, is renamed or retyped."),
    Kind.POPULATION: (Severity.WARN, "What decides the rows of a table changed."),
    Kind.VALUE: (Severity.WARN, "What a column holds changed."),
}
"""The kinds that are findings; what only adds or only looks otherwise is none."""

HEAD = ("Kind", "Pipeline", "Columns", "What changed", "Reaches")
REACH_HEAD = ("Changed", "Reaches", "How", "Owner", "Criticality", "Consumers")
REACHED = 100
"""Reached tables listed; the JSON form has all."""


def diff_text(diff: Diff) -> str:
    """Return the parts as text."""
    return page_text(_parts(diff))


def diff_markdown(diff: Diff) -> str:
    """Return the comment: the marker, a heading, the parts, cut where a comment may not be longer."""
    text = f"{MARKER}\n## Lineage of this change\n\n{page_markdown(_parts(diff))}"
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST].rpartition(chr(10))[0]}\n\nToo long for a comment: `headwater diff` shows the rest."


def diff_sarif(diff: Diff) -> str:
    """Return the findings as SARIF."""
    return sarif(outcomes(diff), _files(diff))


def diff_github(diff: Diff) -> str:
    """Return the findings as annotations."""
    return github(outcomes(diff), _files(diff))


def outcomes(diff: Diff) -> tuple[Outcome, ...]:
    """Return each kind that is a finding as the outcome of a rule of that name, ``understated`` beside them."""
    of_kinds = (Outcome(_rule(kind.value, *FOUND[kind]), _findings(diff, kind)) for kind in FOUND)
    understated = tuple(
        Finding(
            rule="understated",
            severity=Severity.ERROR,
            table=it.field.dataset.name,
            column=it.field.name,
            message=f"declared {it.declared}, lineage proposes {it.proposal.classification}, {it.proposal.reason}",
            fix="declare the class that is proposed in governance/metadata.toml, or take the input out",
            decided_by=it.proposal.reason.removeprefix("from "),
        )
        for it in diff.understated
    )
    rule = _rule("understated", Severity.ERROR, "No column is declared less protected than what it is made of.")
    return (*of_kinds, Outcome(rule, understated))


def _rule(name: str, severity: Severity, description: str) -> Rule:
    return Rule(name, severity, blocking=False, description=description, find=lambda _known: ())


def _findings(diff: Diff, kind: Kind) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            rule=kind.value,
            severity=FOUND[kind][0],
            table=change.pipeline,
            column=change.fields[0] if len(change.fields) == 1 else None,
            message=_message(change),
            fix="; ".join(change.steps) or "compare before and after with headwater validate, and ask the owners",
            decided_by=f"{change.file}:{change.line or 1}",
        )
        for change in diff.changes
        if change.kind is kind
    )


def _message(change: Change) -> str:
    tables = ", ".join(it.dataset.name for it in change.reaches)
    return f"{change.reason}{f'. It reaches {tables}' if tables else ''}"


def _files(diff: Diff) -> dict[str, str]:
    # where no pipeline changed, it is the declaration that did
    declared = {it.field.dataset.name: METADATA for it in diff.understated}
    return declared | {change.pipeline: change.file for change in diff.changes if change.file}


def _parts(diff: Diff) -> Iterator[Part]:
    yield _summary(diff)
    rows = [
        (it.kind.value, it.pipeline, ", ".join(it.fields), it.reason, str(len(it.reaches) or "")) for it in diff.changes
    ]
    if rows:
        yield Figures("changes", HEAD, rows)
    reached = [row for change in diff.changes for row in _reached(change)]
    if reached:
        yield Listing("reached downstream", REACH_HEAD, reached[:REACHED])
    if len(reached) > REACHED:
        yield f"and {len(reached) - REACHED} more, which --format json lists"
    edges = [row for change in diff.changes for row in _edges(change)]
    if edges:
        yield Listing("edges", ("", "Of", "From", "How"), edges)
    if diff.classes:
        changed = [(f"{it.table}.{it.column}", it.base or "none", it.head or "none") for it in diff.classes]
        yield Listing("declared classes", ("Column", "Before", "After"), changed)
    if diff.understated:
        low = [
            (str(it.field), it.declared, it.proposal.classification or "", it.proposal.reason)
            for it in diff.understated
        ]
        yield Listing("declared too low by this change", ("Column", "Declared", "Proposed", "Because"), low)
    yield from _to_do(diff)


def _summary(diff: Diff) -> str:
    counts = {kind: sum(1 for it in diff.changes if it.kind is kind) for kind in Kind}
    said = ", ".join(f"{count} {kind.value}" for kind, count in counts.items() if count)
    return said or ("No pipeline changes." if diff.classes or diff.understated else "Nothing changes.")


def _reached(change: Change) -> Iterator[tuple[str, ...]]:
    changed = ".".join((change.pipeline, change.fields[0])) if len(change.fields) == 1 else change.pipeline
    for it in change.reaches:
        of = it.owner or "none declared", it.criticality or "not stated", ", ".join(it.consumers)
        yield changed, it.dataset.name, it.arrives, *of


def _edges(change: Change) -> Iterator[tuple[str, ...]]:
    for sign, edges in (("+", change.more), ("-", change.less)):
        for out, table, column, how, masking in edges:
            of = f"{change.pipeline}.{out}" if out else f"{change.pipeline}, every row"
            yield sign, of, f"{table}.{column}", f"{how}{' masked' * masking}"


def _to_do(diff: Diff) -> Iterator[Part]:
    for owner, asked in diff.owners.items():
        yield Listing(f"for {owner}", ("To do",), [(it,) for it in asked])
    for change in diff.changes:
        if change.steps:
            what = ".".join((change.pipeline, *change.fields[:1])) if len(change.fields) == 1 else change.pipeline
            numbered = [(str(place), step) for place, step in enumerate(change.steps, start=1)]
            yield Figures(f"how to ship {what}", ("", "Step"), numbered)


FORMATS: Mapping[str, Callable[[Diff], str]] = {
    "text": diff_text,
    "md": diff_markdown,
    "github": diff_github,
    "sarif": diff_sarif,
}
"""What ``headwater diff`` prints; ``json`` is ``Diff.as_dict``."""
