"""The graph at size: 10 million edges built from arrays, and what a hub column reaches; other libraries beside it.

Goals: built within 2 s, a hub column's downstream within 50 ms, 300 MB; seconds are of CPU, megabytes of the whole
process. networkx and rustworkx are measured where they are installed; they are no part of the project's environment.
Each runs in a process of its own, all on the same edges: 1,000,000 columns of 20,000 tables in ten domains, where a hub
column reaches its domain.
"""

import json
import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

DOMAINS = 10
TABLES = 2_000
"""In each domain."""
COLUMNS = 50
"""In each table."""
EDGES = 10_000_000
HUB = 0
ROUNDS = 5

Ids = npt.NDArray[np.int32]


def main() -> None:
    """Print seconds of building, milliseconds of walking and megabytes, ours first."""
    for library in ("headwater", "rustworkx", "networkx"):
        if library != "headwater" and find_spec(library) is None:
            print(f"{library}: not installed, not measured")  # a report on the terminal
            continue
        done = subprocess.run(  # our own module in a process of its own
            [sys.executable, "-m", "bench.graph", library], check=True, capture_output=True, text=True
        )
        it = json.loads(done.stdout)
        print(
            f"{library:9}  build {it['build']:6.2f} s   downstream of a hub {it['walk'] * 1000:7.1f} ms   "
            f"reaches {it['reached']:,} vertices  graph and inputs {it['mb']:6.0f} MB"
        )


def _edges() -> tuple[Ids, Ids, Ids]:
    """Return sources, targets, and the table of each vertex, tables numbered after all columns."""
    random = np.random.default_rng(1)
    per_domain = TABLES * COLUMNS
    columns = DOMAINS * per_domain
    source, target = np.empty(EDGES, np.int32), np.empty(EDGES, np.int32)
    share = EDGES // DOMAINS
    for domain in range(DOMAINS):
        part = slice(domain * share, (domain + 1) * share)
        into = random.integers(COLUMNS, per_domain, share, dtype=np.int32)
        # a column comes from tables before its own; every hundredth edge from the domain's hub
        from_ = (random.random(share, dtype=np.float32) * (into // COLUMNS * COLUMNS)).astype(np.int32)
        from_[::100] = 0
        source[part] = from_ + domain * per_domain
        target[part] = into + domain * per_domain
    # every tenth shapes rows: those edges lead to the table's hub
    target[::10] = columns + target[::10] // COLUMNS
    owner = np.arange(columns + DOMAINS * TABLES, dtype=np.int32)
    owner[:columns] = columns + np.arange(columns, dtype=np.int32) // COLUMNS
    return source, target, owner


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _best(walk: Any) -> tuple[float, int]:
    times = []
    reached = 0
    for _ in range(ROUNDS):
        begun = time.process_time()
        reached = walk()
        times.append(time.process_time() - begun)
    return min(times), reached


def _headwater() -> dict[str, float]:
    from governance.network import closure, rows_of  # noqa: PLC0415  # its import is part of what is measured

    source, target, owner = _edges()
    begun = time.process_time()
    size = len(owner)
    columns = np.flatnonzero(owner != np.arange(size, dtype=np.int32)).astype(np.int32)
    out = rows_of((source, target), size), rows_of((owner[columns], columns), size)
    built = time.process_time() - begun

    def walk() -> int:
        found = closure(np.array([HUB], np.int32), lambda front: (it.out(front) for it in out), size)
        return int(np.count_nonzero(found))

    walked, reached = _best(walk)
    return {"build": built, "walk": walked, "reached": reached, "mb": _megabytes()}


def _rustworkx() -> dict[str, float]:
    import rustworkx  # noqa: PLC0415  # not of the project

    source, target, owner = _edges()
    begun = time.process_time()
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(owner)))
    graph.add_edges_from_no_data(list(zip(source.tolist(), target.tolist(), strict=True)))
    graph.add_edges_from_no_data([(table, column) for column, table in enumerate(owner.tolist()) if table != column])
    built = time.process_time() - begun
    walked, reached = _best(lambda: len(rustworkx.descendants(graph, HUB)))
    return {"build": built, "walk": walked, "reached": reached, "mb": _megabytes()}


def _networkx() -> dict[str, float]:
    import networkx as nx  # noqa: PLC0415  # not of the project

    source, target, owner = _edges()
    begun = time.process_time()
    graph = nx.DiGraph()
    graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    graph.add_edges_from((table, column) for column, table in enumerate(owner.tolist()) if table != column)
    built = time.process_time() - begun
    walked, reached = _best(lambda: len(nx.descendants(graph, HUB)))
    return {"build": built, "walk": walked, "reached": reached, "mb": _megabytes()}


MEASURED = {"headwater": _headwater, "rustworkx": _rustworkx, "networkx": _networkx}

if __name__ == "__main__":
    print(json.dumps(MEASURED[sys.argv[1]]()))
