"""What a rule says, as the Dagster UI shows it: a sentence for the list, a Markdown table for the detail."""

from collections.abc import Iterable, Iterator
from html import escape

from governance.rules import Outcome
from governance.rules.finding import Finding

SHOWN = 50
"""Rows of the table at most: the metadata of a check is read by people and kept for every run."""

_ACTIVE = frozenset("\\`*_{}[]()#+-.!|~")
"""What Markdown gives a meaning to, anywhere in a line (https://spec.commonmark.org/0.31.2/#backslash-escapes)."""


def outcome_sentence(outcome: Outcome) -> str:
    """Return the first finding in words and how many more there are, or that nothing was found."""
    if outcome.passed:
        return f"nothing found{f', {len(outcome.waived)} waived' if outcome.waived else ''}"
    first, more = outcome.findings[0], len(outcome.findings) - 1
    return f"{_place(first)}: {first.message}{f' (and {more} more)' if more else ''}"


def outcome_markdown(outcome: Outcome) -> str:
    """Return tables of what was found with what to do about each, what is waived, and which waivers match nothing."""
    return "\n\n".join(_parts(outcome))


def _parts(outcome: Outcome) -> Iterator[str]:
    if outcome.passed:
        yield "Nothing to do."
    else:
        yield _table(
            ("where", "what is wrong", "what to do", "decided by"),
            ((_place(it), it.message, it.fix, it.decided_by) for it in outcome.findings[:SHOWN]),
        )
    if len(outcome.findings) > SHOWN:
        yield f"{len(outcome.findings) - SHOWN} more are not shown: `headwater check` prints all of them."
    if outcome.waived:
        yield _table(
            ("waived", "what is accepted", "why", "who", "until"),
            (
                (_place(it.finding), it.finding.message, it.waiver.reason, it.waiver.who, it.waiver.until.isoformat())
                for it in outcome.waived[:SHOWN]
            ),
        )
    if outcome.unused:
        yield _table(
            ("waiver that matches nothing", "who", "until"),
            ((_named(it.table, it.column), it.who, it.until.isoformat()) for it in outcome.unused),
        )


def _place(finding: Finding) -> str:
    return _named(finding.table, finding.column)


def _named(table: str, column: str | None) -> str:
    return f"{table}.{column}" if column else table


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads)]
    cells = [tuple(_inert(cell) for cell in row) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (*lines, *cells))


def _inert(text: str) -> str:
    """Return ``text`` as it reads, whatever a table or column is called."""
    one_line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in _ACTIVE else escape(letter, quote=False) for letter in one_line)
