"""Cases kept from public bug reports and other tools' suites, rewritten: solve kinds, not cases.

A case judges what it gives: an edge it does not name is wrong unless it is ``optional``; ``also_accepted`` frees the
subtype; ``None`` is not judged. Unquoted names compare by the dialect's case rules, so without case.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from governance.lineage import ColumnLineage, column_lineage

FOLDER = Path(__file__).parent.parent / "fixtures" / "lineage" / "cases"
Case = dict[str, Any]
Edge = tuple[str, ...]


def cases(name: str) -> list[Case]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def named(case: Case) -> str:
    return f"{case['id']}"


def read(case: Case) -> list[ColumnLineage]:
    found = column_lineage(
        case["sql"], case["schema"], dialect=case["dialect"], default_schema=case.get("default_schema")
    )
    if not isinstance(case["target"], str):
        return list(found)
    return [one for one in found if str(one.output).casefold() == case["target"].casefold()]


def key(lineage: ColumnLineage, name: str, *, several: bool) -> str:
    return f"{lineage.output}.{name}".casefold() if several else name.casefold()


def fold(edges: Iterable[Iterable[str]]) -> set[Edge]:
    return {tuple(str(part).casefold() for part in edge) for edge in edges}


def fields(case: Case, found: list[ColumnLineage]) -> dict[str, set[Edge]]:
    several = isinstance(case["target"], list)
    return {
        key(one, out.name, several=several): fold(edge.as_list()[:4] for edge in out.inputs)
        for one in found
        for out in one.fields
    }


def dataset(case: Case, found: list[ColumnLineage]) -> set[Edge]:
    several = isinstance(case["target"], list)
    return fold(
        [*([str(one.output)] if several else []), *map(str, edge.as_list()[:4])]
        for one in found
        for edge in one.dataset
    )


def optional(case: Case, name: str) -> set[Edge]:
    return fold(edge[1:] for edge in case.get("optional", ()) if edge[0].casefold() == name)


def matches(edge: Edge, patterns: set[Edge]) -> bool:
    return any(all(want in ("*", part) for part, want in zip(edge, pattern, strict=True)) for pattern in patterns)


def differences(name: str, found: set[Edge], right: set[Edge], free: set[Edge], *, subtype: bool) -> list[str]:
    """What is missing and what is too much; with ``subtype`` free only type and place count."""
    width = None if not subtype else -1
    shown = {edge[:width]: edge for edge in found}
    wanted = {edge[:width] for edge in right}
    freed = {edge[:width] for edge in free}
    wrong = [f"{name} lacks {edge}" for edge in sorted(wanted - set(shown))]
    return wrong + [
        f"{name} has {edge}"
        for short, edge in sorted(shown.items())
        if short not in wanted and not matches(short, freed)
    ]


@pytest.mark.parametrize("case", cases("reports.jsonl"), ids=named)
def test_report(case: Case) -> None:
    found = read(case)
    of_field = fields(case, found)
    subtype = "also_accepted" in case
    wrong: list[str] = []
    for name, right in case["columns"].items():
        place = name.casefold()
        assert place in of_field, f"{case['report']}: no field {name}"
        wrong += differences(name, of_field[place], fold(right), optional(case, place), subtype=subtype)
    if not case.get("partial"):
        extra = {name for name in of_field if of_field[name]} - {name.casefold() for name in case["columns"]}
        wrong += [f"field {name} too many" for name in sorted(extra)]
    wrong += differences("*", dataset(case, found), fold(case["dataset"]), optional(case, "*"), subtype=subtype)
    assert not wrong, f"{case['report']}: {case['why']}\n{case['sql'][:400]}\n" + "\n".join(wrong)


@pytest.mark.parametrize("case", cases("peers.jsonl"), ids=named)
def test_peer(case: Case) -> None:
    found = read(case)
    of_field = fields(case, found)
    wrong: list[str] = []
    for name, right in case["direct"].items():
        place = name.casefold()
        assert place in of_field, f"no field {name} in {sorted(of_field)}"
        direct = {edge[:2] for edge in of_field[place] if edge[2] == "direct"}
        free = {edge[:2] for edge in optional(case, place)}
        wrong += differences(name, direct, fold(right), free, subtype=False)
        if case["indirect_fields"] is not None:
            indirect = {(*edge[:2], edge[3]) for edge in of_field[place] if edge[2] == "indirect"}
            wrong += differences(name, indirect, fold(case["indirect_fields"].get(name, ())), set(), subtype=False)
    wrong += [f"field {name} too many" for name in sorted(set(of_field) - {name.casefold() for name in case["direct"]})]
    if case["dataset"] is not None:
        rows = {(*edge[:-2], edge[-1]) for edge in dataset(case, found)}
        free = {(*edge[:2], edge[3]) for edge in optional(case, "*")}
        wrong += differences("*", rows, fold(case["dataset"]), free, subtype=False)
    assert not wrong, f"{case['sql'][:600]}\n" + "\n".join(wrong)
