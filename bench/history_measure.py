"""One measurement of a store of :mod:`bench.history_store` in a process of its own, printed as JSON.

``python -m bench.history_measure QUESTION FOLDER STATE PIPELINES DAYS``
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from bench.history_store import JOBS, LAST, NAMESPACE, Size, attempt, sources_of, stopped, table_of
from governance.heard import heard_of
from governance.policy import ColumnPolicy, LineagePolicy, Policy, TablePolicy
from governance.project import Project, project_at
from governance.rules import EndedAttempt, Known, check, missing_run, unaccounted_table, understated_classification
from platform_assets.pages.pages import Pages

NOW = LAST + timedelta(days=1, hours=3)
WINDOW = 30
"""Nights of which the scheduler is asked (``governance_checks.scheduler.WINDOW``)."""
RULES = (missing_run.RULE, unaccounted_table.RULE, understated_classification.RULE)
LINEAGE = LineagePolicy(
    ("public", "internal", "personal", "sensitive"), frozenset({"DIRECT"}), frozenset(), NAMESPACE, JOBS
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A store, and what it is of."""

    folder: Path
    state: Path
    size: Size
    days: int


def rules(asked: Asked) -> Mapping[str, float]:
    """Return seconds of gathering what the events tell, and of each of the three rules."""
    taken: dict[str, float] = {}
    began = time.perf_counter()
    heard = heard_of(asked.folder, asked.state, NOW, {}, {})
    taken["gathered"] = time.perf_counter() - began
    known = Known(
        policy=policy(asked.size),
        graph=heard.graph,
        runs=heard.runs,
        ended=tuple(ended(asked)),
        inventory=frozenset(inventory(asked.size)),
        sources=frozenset(name for place in range(asked.size.pipelines) for name in sources_of(asked.size, place)),
        pipelines=frozenset(map(table_of, range(asked.size.pipelines))),
        unreadable={},
        silenced=None,
        now=NOW,
        snapshots=heard.snapshots,
    )
    for rule in RULES:
        began = time.perf_counter()
        outcome = check(rule, known)
        taken[rule.name] = time.perf_counter() - began
        taken[f"{rule.name} found"] = len(outcome.findings)
    return taken


def policy(size: Size) -> Policy:
    """Return classes of a column of each hundredth source, and of those of each tenth table, lower than some are."""
    personal = {"column_03": ColumnPolicy("personal"), "column_04": ColumnPolicy("internal")}
    sources = {sources_of(size, place)[0]: TablePolicy(None, None, personal) for place in range(0, size.pipelines, 100)}
    own = {f"column_{it:02}": ColumnPolicy("personal") for it in range(size.columns)}
    tables = {table_of(place): TablePolicy(None, None, own) for place in range(0, size.pipelines, 10)}
    # one of them says less than it holds
    tables[table_of(0)] = TablePolicy(None, None, {name: ColumnPolicy("public") for name in own})
    return Policy(sources | tables, LINEAGE)


def inventory(size: Size) -> list[str]:
    """Return the catalog's tables, one of which nobody accounts for."""
    sources = [name for place in range(size.pipelines) for name in sources_of(size, place)]
    return [*sources, *map(table_of, range(size.pipelines)), "somebody.else"]


def ended(asked: Asked) -> list[EndedAttempt]:
    """Return the attempts of the scheduler's window, one of which sent nothing."""
    gone = stopped(asked.size, asked.days)
    found = [
        EndedAttempt(attempt(place, back), table_of(place), "FAILURE")
        for back in range(min(WINDOW, asked.days))
        for place in range(asked.size.pipelines)
        if back >= gone.get(place, 0)
    ]
    return [*found, EndedAttempt(attempt(0, 9999), table_of(0), "FAILURE")]


def measured(question: Callable[[Asked], Mapping[str, float]], asked: Asked) -> dict[str, float]:
    """Return what ``question`` returns, with seconds of wall and processor and the process's peak of memory in MB."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = dict(question(asked))
    found |= {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return found | {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


POLICY = f"""order = ["public", "internal", "personal", "sensitive"]
propagate_through = ["DIRECT"]
masking_functions = []
namespace = "{NAMESPACE}"
job_namespace = "{JOBS}"
"""
SEARCHES = ("column", "table_00401", "table column_0", "area_01 column_03")


def page(asked: Asked) -> Mapping[str, float]:
    """Return seconds until the server has its graph and first page, of the next page and of the slowest search."""
    pages = Pages(project_of(asked), None, print)
    taken: dict[str, float] = {}

    def timed(what: str, act: Callable[[], object]) -> None:
        began = time.process_time()
        act()
        taken[what] = time.process_time() - began

    timed("graph", pages.made)
    timed("page", lambda: taken.update(bytes=len(pages.made(table_of(asked.size.pipelines // 2)).page)))
    for typed in SEARCHES:
        timed(typed, partial(pages.find, typed))
    return taken | {"search": max(taken[it] for it in SEARCHES)}


def project_of(asked: Asked) -> Project:
    """Return a project of no pipeline whose store this is, as the page is asked for events alone."""
    root = asked.state / "project"
    for name, text in {
        "governance/lineage.toml": POLICY,
        "governance/metadata.toml": "",
        "platform_assets/sources.toml": "",
        "platform_assets/pipelines/.keep": "",
    }.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    found = project_at(root)
    found.state.mkdir(exist_ok=True)
    if not found.events.exists():
        found.events.symlink_to(asked.folder.resolve())
    return found


QUESTIONS: Mapping[str, Callable[[Asked], Mapping[str, float]]] = {"rules": rules, "page": page}

if __name__ == "__main__":
    name, folder, state, pipelines, days = sys.argv[1:]
    print(json.dumps(measured(QUESTIONS[name], Asked(Path(folder), Path(state), Size(int(pipelines)), int(days)))))
