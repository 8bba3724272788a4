"""The learning platform as its fixture has it, and platforms made up: as events, for the page's document."""

from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

from governance.lineage.model import Transformation
from tests.page.made import event, table

FIXTURE = Path(__file__).parents[1] / "fixtures" / "platform_lineage.txt"
KINDS = tuple(Transformation.__members__)
NAMES = tuple(f"s{place % 3}.t{place}" for place in range(7))
KINDS_OF_RECORD = (*NAMES[:4], f"{NAMES[0]}#a", f"{NAMES[0]}#b", f"{NAMES[2]}#a")
"""As many, some of which are kinds of record of others."""
FLAT = ("a", "b", "c", "d")
NESTED = ("a", "a.x", "a.x.y", "b", "b.x")


def seeded(seed: int) -> Random:
    """The same figures for the same seed."""
    return Random(seed)  # noqa: S311  figures, no secrets


def learning_platform() -> list[dict[str, Any]]:
    """One run of each pipeline of the fixture."""
    told: dict[str, dict[str, list[str]]] = {}
    for line in FIXTURE.read_text("utf-8").splitlines():
        words = line.split()
        if not words or words[0] == "#":
            continue
        if not line.startswith(" "):
            of_table = told.setdefault(words[0], defaultdict(list))
        else:
            of_table[words[0]] += [" ".join(words[1:])] if len(words) > 1 else []
    return [_run(name, dict(columns)) for name, columns in told.items()]


def _run(name: str, columns: dict[str, list[str]]) -> dict[str, Any]:
    rows = columns.pop("*", [])
    sources = [source for inputs in (rows, *columns.values()) for source in inputs]
    reads = sorted({source.rpartition(".")[0] for source in (it.split()[0] for it in sources)})
    return event(name, reads=reads, writes=[table(name, columns, rows=rows)])


def made_up(random: Random, columns: tuple[str, ...], names: tuple[str, ...] = NAMES) -> list[dict[str, Any]]:
    """Runs of jobs that read and write each other's tables and their own, at several times.

    Some tell no columns, some leave columns out, some read tables of which no column says so.
    """
    told = []
    for place in range(random.randrange(4, 12)):
        job, name = f"j{random.randrange(6)}", random.choice(names[2:])
        fields = {it: [_source(random, columns, names) for _ in range(random.randrange(3))] for it in columns}
        for gap in random.sample(columns, random.choice([0, 0, 1])):
            del fields[gap]
        rows = [_source(random, columns, names, KINDS[3:7]) for _ in range(random.randrange(3))]
        traced = random.random() < 0.85
        written = table(name, fields if traced else None, rows=rows, schema=columns)
        reads = random.sample(names, random.randrange(3))
        told.append(event(job, f"2026-11-{place + 1:02}T02:00:00Z", reads=reads, writes=[written]))
    return told


def _source(random: Random, columns: tuple[str, ...], names: tuple[str, ...], kinds: tuple[str, ...] = KINDS) -> str:
    return f"{random.choice(names)}.{random.choice(columns)} {random.choice(kinds)}{random.choice(['', ' masked'])}"
