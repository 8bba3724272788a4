"""What a change reaches, as text and Markdown."""

from collections.abc import Iterable

from governance.dataset import Dataset
from governance.graph import Edge
from governance.impact import Hop, Impact, Reached
from governance.report.table import markdown, markdown_table, plain, text_table

HEAD = ("Reached", "Through", "Hops", "Path")


def impact_text(impact: Impact) -> str:
    """Return each list under its heading, then the two counts of tables."""
    parts = [f"A change of {plain(str(impact.start))} can reach"]
    for heading, reached in _lists(impact):
        parts.append(
            f"{heading}: {len(reached)}" + (f"\n{_indented(text_table(HEAD, _rows(reached)))}" if reached else "")
        )
    return "\n\n".join((*parts, _counts(impact)))


def impact_markdown(impact: Impact) -> str:
    """Return each list as a table under its heading, then the two counts of tables."""
    parts = [f"A change of {markdown(str(impact.start))} can reach"]
    for heading, reached in _lists(impact):
        parts.append(f"**{heading}: {len(reached)}**")
        parts += [markdown_table(HEAD, _rows(reached))] if reached else []
    return "\n\n".join((*parts, _counts(impact)))


def _lists(impact: Impact) -> tuple[tuple[str, tuple[Reached, ...]], ...]:
    return (
        ("columns whose values can change", impact.values),
        ("columns that can change with their rows, or are steered", impact.population),
        ("tables whose rows can change", impact.tables),
        ("unknown, for want of column lineage", impact.unknown),
    )


def _rows(reached: Iterable[Reached]) -> list[tuple[str, ...]]:
    return [
        (str(it.what), ", ".join(dict.fromkeys(hop.how for hop in it.by)), str(len(it.path)), path_text(it.path))
        for it in reached
    ]


def path_text(path: Iterable[Hop]) -> str:
    """Return ``a.b.c → a.d.c (DIRECT IDENTITY)``, hop after hop; an edge on a whole table ends in ``every row``."""
    hops = list(path)
    return str(hops[0].source) + "".join(f" → {_target(hop)} ({hop.how})" for hop in hops) if hops else ""


def _target(hop: Hop) -> str:
    on_rows = isinstance(hop, Edge) and isinstance(hop.target, Dataset)
    return f"{hop.target}, every row" if on_rows else str(hop.target)


def _counts(impact: Impact) -> str:
    if not impact.downstream:
        return "No consumers found among the runs whose events were read."
    return (
        f"Tables reached by column: {len(impact.assets)}; derived from the table at all: {len(impact.downstream)}. "
        "Only consumers whose events were read are known."
    )


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
