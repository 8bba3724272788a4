"""The writes of a table, one after the other, as text, Markdown and JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from governance.history import Past
from governance.report.table import markdown_table, text_table

HEAD = ("Ended", "Job", "Run", "Snapshot", "Learned", "Change of lineage")


def history_text(past: Iterable[Past]) -> str:
    """Return a line a write, the oldest first."""
    rows = list(_rows(past))
    return text_table(HEAD, rows) if rows else "no completed run among the events that were read wrote it"


def history_markdown(past: Iterable[Past]) -> str:
    """Return a row a write."""
    return markdown_table(HEAD, _rows(past))


def history_dict(past: Iterable[Past]) -> list[dict[str, Any]]:
    """Return the public JSON form: ``{"ended", "job", "run", "snapshot", "learned", "inputs", "added", "removed"}``."""
    return [
        {
            "ended": it.write.at.isoformat(),
            "job": it.write.job.name,
            "run": it.write.run_id,
            "snapshot": it.write.snapshot,
            "learned": it.write.learned.value,
            "inputs": [str(dataset) for dataset in it.write.inputs],
            "added": list(it.added),
            "removed": list(it.removed),
        }
        for it in past
    ]


def _rows(past: Iterable[Past]) -> Iterator[tuple[str, ...]]:
    for it in past:
        changed = [*(f"+ {said}" for said in it.added), *(f"- {said}" for said in it.removed)]
        yield (
            f"{it.write.at:%Y-%m-%d %H:%M:%S}",
            it.write.job.name,
            it.write.run_id,
            it.write.snapshot or "",
            it.write.learned.value,
            "; ".join(changed) or "as before",
        )
