"""Definitions of large projects, from the start of a process: nothing remembered, all remembered, one text edited.

Goals on two idle cores: 1,000 pipelines within 5 s cold and 2 s warm, 10,000 within 30 s. Beside them stands what
Dagster's decorators take, its import included, for as many assets that do nothing with as many checks. Nothing is read
for those, and yet they are no floor: steps that are alike are made in less (``platform_assets.assets.alike``,
``governance_checks.steps``). Loads end with the repository that Dagster makes of the definitions, which is more than
``build_definitions``.
Default: 100, 300 and 1,000 pipelines; ``LARGE=full`` goes up to 10,000. ``LARGE_PLOT=FILE.svg`` keeps the curves.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path

from bench.history_plot import curves
from bench.large_project import pipeline_file, write_project
from bench.large_table import Table
from bench.large_tables import tables

SMALL, FULL = (100, 300, 1_000), (100, 1_000, 10_000)
ASKED = 1_000
"""The size at which the commands are measured."""
STEEP = 1.15
"""The exponent from which on something is said to grow faster than its input."""

COMMANDS = ("lineage --all", "lineage --all -o {events}", "trace --events {events} {table}.id")
Found = dict[str, float]


def main() -> None:
    """Print a line for each size and state, the commands, and what grows how; keep the plot where one is asked for."""
    print("pipelines  state            wall s   cpu s  above import, cpu s  ms a pipeline    MB")
    rows: dict[str, list[tuple[int, Found]]] = {}
    for size in FULL if os.environ.get("LARGE") == "full" else SMALL:
        with tempfile.TemporaryDirectory(prefix="large-") as folder:
            for state, found in _measured(Path(folder), size):
                rows.setdefault(state, []).append((size, found))
                print(_line(size, state, found), flush=True)
            for said in _commands(Path(folder), size) if size == ASKED else ():
                print(said, flush=True)
    for state, measured in rows.items():
        print(_growth(state, measured))
    if file := os.environ.get("LARGE_PLOT"):
        lines = {state: [(size, found["cpu"]) for size, found in measured] for state, measured in rows.items()}
        Path(file).write_text(curves(lines, "pipelines"), encoding="utf-8")


def _measured(root: Path, size: int) -> Iterator[tuple[str, Found]]:
    """Yield what each state costs in a process of its own."""
    platform = tables(size)
    write_project(root, platform)
    yield "decorators", _asked({}, str(size))
    env = {"HEADWATER_ROOT": str(root)}
    for state in ("cold", "warm"):
        yield state, _asked(env)
    _edit(root, platform)
    yield "one edit", _asked(env)


def _edit(root: Path, platform: Sequence[Table]) -> None:
    """Give the first table that others read one more column."""
    read = {one.name for it in platform for one in it.inputs}
    file = pipeline_file(root, next(it for it in platform if it.form == "copy" and it.name in read))
    file.write_text(file.read_text(encoding="utf-8").replace("\nfrom ", ",\n    a.id as one_more\nfrom ", 1))


def _asked(env: Mapping[str, str], *words: str) -> Found:
    done = subprocess.run(  # our own module in a process of its own
        [sys.executable, "-m", "bench.large_measure", *words],
        env={**os.environ, **env},
        check=True,
        capture_output=True,
        text=True,
    )
    found: Found = json.loads(done.stdout)
    return found


def _line(size: int, state: str, found: Found) -> str:
    above = found["cpu"] - found["import cpu"]
    return (
        f"{size:9,}  {state:15}  {found['wall']:6.2f}  {found['cpu']:6.2f}  {above:20.2f}"
        f"  {above / size * 1000:13.2f}  {found['mb']:5.0f}"
    )


def _commands(root: Path, size: int) -> Iterator[str]:
    """Yield what commands take on a project of that size, all remembered."""
    from bench.large_measure import cpu  # noqa: PLC0415  only here

    table, events = next(it.name for it in tables(size) if it.form == "join"), str(root / "events.jsonl")
    for words in COMMANDS:
        said = words.format(table=table, events=events).split()
        before = cpu()
        subprocess.run(
            [sys.executable, "-m", "platform_assets.cli", *said],
            env={**os.environ, "HEADWATER_ROOT": str(root)},
            capture_output=True,
            check=True,
        )
        yield f"headwater {words.format(table=table, events='FILE')}: {cpu() - before:.2f} s cpu"


def _growth(state: str, measured: Sequence[tuple[int, Found]]) -> str:
    """Say how the processor time above the import grows, as a power of the size, between the two largest."""
    (few, less), (many, more) = measured[-2:]
    power = log((more["cpu"] - more["import cpu"]) / (less["cpu"] - less["import cpu"])) / log(many / few)
    judged = "FASTER than its input" if power > STEEP else "no faster than its input"
    return f"{state}: size to the power {power:.2f} between {few:,} and {many:,} pipelines, {judged}"


if __name__ == "__main__":
    main()
