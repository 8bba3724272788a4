"""The runs of a table, one after the other, as text, Markdown and JSON: its writes, and those that did not complete.

Of a dataset of files, which no run writes, they are those that read it.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from governance.events.file_parts import ReadFilesPart
from governance.history import Attempt, Past, Reading
from governance.report.table import markdown_table, text_table

HEAD = ("Ended", "State", "Job", "Run", "Snapshot", "Learned", "Change of lineage")
FILES = "Files read"
"""The last column, where some run read files."""

READ_HEAD = ("Ended", "State", "Job", "Run", "Wrote", FILES)

SHOWN = 3
"""Names of files in it; the JSON form has all that the event has."""


def history_text(past: Sequence[Past], attempts: Sequence[Attempt]) -> str:
    """Return a line a run, the oldest first."""
    head, rows = _table(past, attempts)
    return text_table(head, rows) if rows else "no run among the events that were read wrote it"


def history_markdown(past: Sequence[Past], attempts: Sequence[Attempt]) -> str:
    """Return a row a run."""
    return markdown_table(*_table(past, attempts))


def history_dict(past: Iterable[Past], attempts: Iterable[Attempt]) -> list[dict[str, Any]]:
    """Return the public JSON form, a list by time.

    Of a completed write ``{"state": "COMPLETE", "ended", "job", "run", "snapshot", "learned", "inputs", "added",
    "removed", "files": {dataset: {"count", "names"}}}``; of a run that did not complete ``{"state", "began", "ended" or
    null, "job", "run", "error" or null}``, where the state is START, RUNNING, FAIL, ABORT or, long after the last sign
    of life, ABANDONED.
    """
    entries = [(it.write.at, _written(it)) for it in past] + [(_moment(it), _tried(it)) for it in attempts]
    return [entry for _, entry in sorted(entries, key=lambda it: it[0])]


def readings_text(readings: Sequence[Reading]) -> str:
    """Return a line a run that read files, the oldest first."""
    return f"no run among the events that were read wrote it; these read it\n{text_table(READ_HEAD, _read(readings))}"


def readings_markdown(readings: Sequence[Reading]) -> str:
    """Return a row a run that read files."""
    return markdown_table(READ_HEAD, _read(readings))


def readings_dict(readings: Iterable[Reading]) -> list[dict[str, Any]]:
    """Return the public JSON form.

    Each is ``{"state", "ended" or null, "job", "run", "wrote", "files", "error" or null}``;
    ``wrote`` are names of tables, none of a run that did not complete; ``files`` is ``{"count", "names"}``.
    """
    return [
        {
            "state": it.state,
            "ended": it.run.ended.isoformat() if it.run.ended else None,
            "job": it.run.job.name,
            "run": it.run.run_id,
            "wrote": list(_outputs(it)),
            "files": _files_dict(it.files),
            "error": it.run.error,
        }
        for it in readings
    ]


def _read(readings: Iterable[Reading]) -> list[tuple[str, ...]]:
    return [
        (
            f"{it.run.ended:%Y-%m-%d %H:%M:%S}" if it.run.ended else "not yet",
            it.state,
            it.run.job.name,
            it.run.run_id,
            it.run.error or ", ".join(_outputs(it)),
            _files([it.files]),
        )
        for it in readings
    ]


def _outputs(it: Reading) -> tuple[str, ...]:
    return tuple(str(output.dataset) for output in it.run.outputs) if it.state == "COMPLETE" else ()


def _files_dict(read: ReadFilesPart) -> dict[str, Any]:
    return {"count": read.file_count, "names": [file.name for file in read.files]}


def _written(it: Past) -> dict[str, Any]:
    return {
        "state": "COMPLETE",
        "ended": it.write.at.isoformat(),
        "job": it.write.job.name,
        "run": it.write.run_id,
        "snapshot": it.write.snapshot,
        "learned": it.write.learned.value,
        "inputs": [str(dataset) for dataset in it.write.inputs],
        "added": list(it.added),
        "removed": list(it.removed),
        "files": {name: _files_dict(read) for name, read in it.files.items()},
    }


def _tried(it: Attempt) -> dict[str, Any]:
    return {
        "state": it.state,
        "began": it.run.began.isoformat(),
        "ended": it.run.ended.isoformat() if it.run.ended else None,
        "job": it.run.job.name,
        "run": it.run.run_id,
        "error": it.run.error,
    }


def _moment(it: Attempt) -> datetime:
    return it.run.ended or it.run.began


def _table(past: Sequence[Past], attempts: Sequence[Attempt]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the head and the rows, by time."""
    rows = [(it.write.at, (*_row(it), _files(it.files.values()))) for it in past]
    rows += [(_moment(it), (*_attempt(it), "")) for it in attempts]
    files = any(it.files for it in past)
    shown = [row if files else row[:-1] for _, row in sorted(rows, key=lambda it: it[0])]
    return ((*HEAD, FILES) if files else HEAD), shown


def _files(reads: Collection[ReadFilesPart]) -> str:
    names = [file.name for read in reads for file in read.files]
    count = sum(read.file_count for read in reads)
    if not reads:
        return ""
    left = count - len(names[:SHOWN])
    return f"{count}{': ' if names else ''}{', '.join(names[:SHOWN])}{f' and {left} more' if names and left else ''}"


def _row(it: Past) -> tuple[str, ...]:
    changed = [*(f"+ {said}" for said in it.added), *(f"- {said}" for said in it.removed)]
    return (
        f"{it.write.at:%Y-%m-%d %H:%M:%S}",
        "COMPLETE",
        it.write.job.name,
        it.write.run_id,
        it.write.snapshot or "",
        it.write.learned.value,
        "; ".join(changed) or "as before",
    )


def _attempt(it: Attempt) -> tuple[str, ...]:
    ended = f"{it.run.ended:%Y-%m-%d %H:%M:%S}" if it.run.ended else "not yet"
    unknown = "" if it.run.ended else f"began {it.run.began:%Y-%m-%d %H:%M:%S}; unknown what it wrote"
    return ended, it.state, it.run.job.name, it.run.run_id, "", "", it.run.error or unknown
