"""What a value or a row set depends on, and how that changes along a path (lineage semantics, section 5).

A second, small statement of the edge algebra: it knows no SQL, since the grammar knows what it has written.
"""

from collections.abc import Mapping

Input = tuple[str, str, str]  # dataset, column, subtype
Deps = Mapping[Input, bool]  # … and whether every path of it is masked

DIRECT = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2}
NONE: Deps = {}


def column(dataset: str, name: str) -> Deps:
    """The value of a column as it is."""
    return {(dataset, name, "IDENTITY"): False}


def united(*several: Deps) -> Deps:
    """All of them; an edge is masked where all of its paths are."""
    found: dict[Input, bool] = {}
    for deps in several:
        for edge, masked in deps.items():
            found[edge] = found.get(edge, True) and masked
    return found


def through(deps: Deps, hop: str, *, masked: bool = False) -> Deps:
    """One hop further toward the output: the INDIRECT hop nearest the output stands, else the strongest DIRECT."""
    return united(*({(*edge[:2], _subtype(edge[2], hop)): mask or masked} for edge, mask in deps.items()))


def _subtype(before: str, hop: str) -> str:
    if hop not in DIRECT:
        return hop
    if before not in DIRECT:
        return before
    return max(before, hop, key=DIRECT.__getitem__)


def edges(deps: Deps) -> frozenset[tuple[str, str, str, str, bool]]:
    """The edges in the shape of ``ColumnLineage.as_dict()``."""
    return frozenset(
        (d, c, "DIRECT" if sub in DIRECT else "INDIRECT", sub, masked) for (d, c, sub), masked in deps.items()
    )
