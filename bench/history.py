"""The rules over a growing history: what they cost when all is read, a night later, and when nothing is new.

``python -m bench history`` prints seconds of wall and processor and megabytes of each process, for 100 pipelines with
1,000 tables and 50,000 column edges over a month, three months and a year, and how that grows with the history and
with the platform. ``HISTORY=full`` measures 1,000 and 10,000 pipelines (100,000 tables, 5 million column edges), which
takes an hour and 6 GB of disk in ``HISTORY_FOLDER``. ``HISTORY_PLOT=FILE.svg`` keeps the curves.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from bench.history_plot import curves
from bench.history_store import Size, write_history
from governance.events.manifest import Manifest, read_manifest, write_manifest

MONTHS = {"1 month": 30, "3 months": 90, "12 months": 365}
SMALL = ((25, 30), (100, 30), (100, 90), (100, 365))
FULL = ((1_000, 30), (1_000, 90), (1_000, 365), (10_000, 30), (10_000, 90), (10_000, 365))
"""Pipelines and nights."""

TODAY = 100
"""Runs of this morning that stand in NDJSON."""
STATES = ("read anew", "a night later", "followed")
"""Asked for the first time; again, when the last night has come; and again, when nothing has."""
STEEP = 1.15
"""The exponent from which on something is said to grow faster than its input."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: ``found`` is what the process printed."""

    size: Size
    days: int
    state: str
    found: dict[str, float]


def main() -> None:
    """Print the table, what grows how, and keep the plot where one is asked for."""
    sizes = FULL if os.environ.get("HISTORY") == "full" else SMALL
    print("pipelines  tables  column edges  nights   state          wall s  cpu s   MB    gathered  three rules  found")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="history-", dir=os.environ.get("HISTORY_FOLDER")) as folder:
        for number, (pipelines, days) in enumerate(sizes):
            for row in _measured(Path(folder) / str(number), Size(pipelines), days):
                rows.append(row)
                print(_line(row), flush=True)
            if last := _is_last(sizes, number):
                print(f"  {_page(Path(folder) / str(number), Size(pipelines), last)}", flush=True)
    for said in growth(rows):
        print(said)
    if file := os.environ.get("HISTORY_PLOT"):
        Path(file).write_text(curves(_lines(rows)), encoding="utf-8")


def _measured(folder: Path, size: Size, days: int) -> Iterator[Row]:
    write_history(folder / "events", size, days, min(size.pipelines, TODAY))
    whole = read_manifest(folder / "events")
    last = max(whole.days)
    before = {name: day for name, day in whole.days.items() if name != last}
    for state, there in zip(STATES, (Manifest(days=before), whole, whole), strict=True):
        write_manifest(folder / "events", there)
        yield Row(size, days, state, _asked("rules", folder, size, days))


def _is_last(sizes: Sequence[tuple[int, int]], number: int) -> int:
    """The nights of the longest history of a size; none for the others."""
    pipelines, days = sizes[number]
    return days if days == max(of for it, of in sizes if it == pipelines) else 0


def _page(folder: Path, size: Size, days: int) -> str:
    found = _asked("page", folder, size, days)
    return (
        f"the page of {size.tables:,} tables, around one where they are many: {found['graph']:.2f} s of processor"
        f" to the graph and a first page, {found['page']:.2f} to the next, of {found['bytes'] / 1e6:.1f} MB;"
        f" a search {found['search']:.2f}"
    )


def _asked(question: str, folder: Path, size: Size, days: int) -> dict[str, float]:
    words = [question, str(folder / "events"), str(folder / "state"), str(size.pipelines), str(days)]
    done = subprocess.run(  # our own module in a process of its own
        [sys.executable, "-m", "bench.history_measure", *words], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _rules(found: dict[str, float]) -> float:
    return sum(found[it] for it in ("missing_run", "unaccounted_table", "understated_classification"))


def _line(row: Row) -> str:
    size, found = row.size, row.found
    count = sum(int(count) for name, count in found.items() if name.endswith(" found"))
    return (
        f"{size.pipelines:9,}  {size.tables:6,}  {size.edges:12,}  {row.days:6}   {row.state:13}  {found['wall']:6.2f}"
        f"  {found['cpu']:5.2f}  {found['mb']:5.0f}  {found['gathered']:8.2f}  {_rules(found):11.2f}  {count:5}"
    )


def _lines(rows: Sequence[Row]) -> dict[str, list[tuple[float, float]]]:
    """Return the curves: seconds of processor by nights, for each size and state."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        found.setdefault(f"{row.size.pipelines:,} pipelines, {row.state}", []).append((row.days, row.found["cpu"]))
    return found


def growth(rows: Sequence[Row]) -> Iterator[str]:
    """Yield for each state how processor time grows with the history, and with the platform."""
    for state in STATES:
        own = [row for row in rows if row.state == state]
        large = max(row.size.pipelines for row in own)
        by_days = [row for row in own if row.size.pipelines == large]
        few = min(row.days for row in own)
        by_size = [row for row in own if row.days == few]
        yield _said(state, "history", [(row.days, row.found["cpu"]) for row in by_days])
        yield _said(state, "platform", [(row.size.pipelines, row.found["cpu"]) for row in by_size])


def _said(state: str, what: str, points: Sequence[tuple[float, float]]) -> str:
    (first, least), (last, most) = min(points), max(points)
    if first == last:
        return f"{state}: one size of the {what} alone"
    power = log(most / least) / log(last / first)
    judged = "FASTER than it" if power > STEEP else "not faster than it"
    return f"{state}: with {last / first:.1f} times the {what} {most / least:.1f} times the processor time, {judged}"
