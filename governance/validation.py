"""What a change was predicted to do beside what it was seen to do, table by table.

The engine that rebuilds and compares is handed in by whoever has one; here is what to expect, and what it means where
the two differ. A difference that nothing predicted is a fault of the lineage.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from governance.dataset import Field
from governance.diff.model import Change, Kind
from governance.graph import Graph
from governance.impact import Change as ChangeOf
from governance.impact import Impact, impact
from governance.policy_lineage import LineagePolicy
from governance.simulate import Simulated

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """A column of one side: how it is spread. ``mean`` is None where values have none, ``top`` (value, count) pairs."""

    least: Value
    greatest: Value
    mean: float | None
    nulls: int
    top: tuple[tuple[Value, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"min", "max", "mean", "nulls", "top"}``."""
        return {
            "min": self.least,
            "max": self.greatest,
            "mean": self.mean,
            "nulls": self.nulls,
            "top": [{"value": value, "count": count} for value, count in self.top],
        }


class Presence(Enum):
    """Which side has a column."""

    BOTH = "both"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class ColumnCompared:
    """One column of either side.

    name, was: in the later and the earlier revision; they differ where it was renamed
    changed:   rows of a key that both sides have and in which it IS DISTINCT
    retyped:   ``BIGINT → VARCHAR`` where its type is another; empty where not
    examples:  (key, before, after) of some of them
    before, after: its figures where it changed
    """

    name: str
    was: str
    changed: int
    retyped: str = ""
    examples: tuple[tuple[tuple[Value, ...], Value, Value], ...] = ()
    before: Figures | None = None
    after: Figures | None = None
    presence: Presence = Presence.BOTH

    @property
    def otherwise(self) -> str:
        """What is otherwise about the column itself, whatever it holds, in words; empty where nothing is."""
        moved = f"is now {self.name}" if self.name != self.was else ""
        return moved if self.presence is Presence.BOTH else f"is {self.presence.value}"

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form."""
        return {
            "name": self.name,
            "was": self.was,
            "presence": self.presence.value,
            "changed": self.changed,
            "retyped": self.retyped or None,
            "examples": [{"key": list(key), "before": old, "after": new} for key, old, new in self.examples],
            "before": self.before.as_dict() if self.before else None,
            "after": self.after.as_dict() if self.after else None,
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """One table built by both revisions.

    key:     what rows were matched by; empty where whole rows were counted against each other
    why:     why there was no key, in words
    before, after: rows of each side
    added, removed, changed, same: rows by what became of them; without a key nothing can have changed
    columns: of both sides, then those that only the earlier and only the later has
    duplicates: keys that occur more than once, on each side
    """

    table: str
    key: tuple[str, ...]
    why: str
    before: int
    after: int
    added: int
    removed: int
    changed: int
    same: int
    columns: tuple[ColumnCompared, ...] = ()
    duplicates: tuple[int, int] = (0, 0)

    @property
    def differs(self) -> bool:
        """Whether anything was seen to differ."""
        rows = self.added or self.removed or self.changed
        return bool(rows or any(it.retyped or it.otherwise for it in self.columns))


ABSENT = "this revision has no such pipeline"
"""Why a side has nothing to build."""


class Verdict(Enum):
    """Prediction beside evidence."""

    BOTH = "predicted and seen"
    UNSEEN = "predicted and not seen"
    FAULT = "seen and not predicted"
    NEITHER = "neither predicted nor seen"
    UNSTEADY = "differs from run to run"
    UNBUILT = "cannot be rebuilt"
    ALONE = "nothing to compare with"


@dataclass(frozen=True, slots=True)
class Predicted:
    """What impact says can change: by table its columns, and the tables whose rows can."""

    columns: Mapping[str, frozenset[str]]
    rows: frozenset[str]
    unknown: frozenset[str] = frozenset()

    def of(self, table: str) -> dict[str, Any]:
        """Return ``{"columns", "rows", "unknown"}`` of one table."""
        return {
            "columns": sorted(self.columns.get(table, ())),
            "rows": table in self.rows,
            "unknown": table in self.unknown,
        }


@dataclass(frozen=True, slots=True)
class Evidence:
    """One rebuilt table: what was predicted, what was seen, what is wrong.

    problem: why it could not be rebuilt; empty where it was
    faults:  differences that nothing predicted
    checks:  what its checks say of the later side: ``grain unique`` and the like, to what is wrong, empty if nothing
    """

    table: str
    verdict: Verdict
    compared: Compared | None
    predicted: Mapping[str, Any]
    faults: tuple[str, ...] = ()
    problem: str = ""
    checks: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form."""
        it = self.compared
        return {
            "table": self.table,
            "verdict": self.verdict.value,
            "owner": self.owner,
            "predicted": dict(self.predicted),
            "problem": self.problem or None,
            "faults": list(self.faults),
            "checks": {name: problem or None for name, problem in self.checks.items()},
            "key": list(it.key) if it else [],
            "why_no_key": (it.why or None) if it else None,
            "rows": {
                "before": it.before,
                "after": it.after,
                "added": it.added,
                "removed": it.removed,
                "changed": it.changed,
                "unchanged": it.same,
            }
            if it
            else None,
            "columns": [column.as_dict() for column in it.columns] if it else [],
        }


def predict(changes: Iterable[Change], tried: Iterable[Simulated], graph: Graph, naming: LineagePolicy) -> Predicted:
    """Return what ``changes`` of pipelines and those ``tried`` of sources can do, as impact on ``graph`` says."""
    columns: dict[str, set[str]] = {}
    rows: set[str] = set()
    unknown: set[str] = set()

    def take(found: Impact) -> None:
        for it in (*found.values, *found.population):
            if isinstance(it.what, Field):
                columns.setdefault(it.dataset.name, set()).add(it.what.name)
        rows.update(it.dataset.name for it in found.tables)
        unknown.update(it.dataset.name for it in found.unknown)

    for change in changes:
        dataset = naming.dataset(change.pipeline)
        if change.kind is Kind.COSMETIC:
            continue
        columns.setdefault(change.pipeline, set()).update(change.fields)
        if change.kind is Kind.POPULATION or not change.fields:
            rows.add(change.pipeline)
            take(impact(graph, dataset, ChangeOf.FILTER))
        for name in change.fields if change.kind is not Kind.POPULATION else ():
            take(impact(graph, Field(dataset, name)))
    for it in tried:
        if it.kind is not None:
            take(impact(graph, Field(naming.dataset(it.table), it.column), it.kind))
    return Predicted({table: frozenset(names) for table, names in columns.items()}, frozenset(rows), frozenset(unknown))


def evidence(
    table: str,
    compared: Compared | None,
    predicted: Predicted,
    *,
    before: str = "",
    after: str = "",
    checks: Mapping[str, str],
    owner: str | None,
) -> Evidence:
    """Return the two beside each other for one table; no comparison where it could not be built on both sides.

    ``before`` and ``after`` say why a side could not be; that only one has a table is no fault of a change.
    """
    expected = table in predicted.rows or table in predicted.unknown or bool(predicted.columns.get(table))
    if compared is None:
        problem = "; ".join(f"{when}: {said}" for when, said in (("before", before), ("after", after)) if said)
        verdict = Verdict.UNBUILT if after not in ("", ABSENT) else Verdict.ALONE
        return Evidence(table, verdict, None, predicted.of(table), (), problem, checks, owner)
    faults = _faults(compared, predicted)
    verdicts = {
        (True, True): Verdict.BOTH,
        (True, False): Verdict.UNSEEN,
        (False, True): Verdict.FAULT,
        (False, False): Verdict.NEITHER,
    }
    verdict = Verdict.FAULT if faults else verdicts[expected, compared.differs]
    return Evidence(table, verdict, compared, predicted.of(table), faults, "", checks, owner)


def excused(found: Evidence, predicted: Predicted, itself: Compared | None) -> Evidence:
    """Return ``found`` without the faults that the table shows beside itself too: now() and random() are no change.

    ``itself`` compares two builds of the earlier revision, the second over the same rows in another order.
    """
    if found.compared is None or itself is None or not itself.differs:
        return found
    table = found.table
    unsteady = frozenset(name for it in itself.columns if it.changed for name in (it.name, it.was))
    columns = {**predicted.columns, table: predicted.columns.get(table, frozenset()) | unsteady}
    rows = predicted.rows | ({table} if itself.added or itself.removed else set())
    faults = _faults(found.compared, replace(predicted, columns=columns, rows=rows))
    return replace(found, faults=faults, verdict=Verdict.FAULT if faults else Verdict.UNSTEADY)


def _faults(compared: Compared, predicted: Predicted) -> tuple[str, ...]:
    table = compared.table
    if table in predicted.unknown:
        # without column lineage nothing of it was predicted not to change
        return ()
    known = predicted.columns.get(table, frozenset())
    found: list[str] = []
    # a key that changed, or any value where rows are counted whole, shows as one row removed and one added
    anything = table in predicted.rows or bool(known & set(compared.key) if compared.key else known)
    if (compared.added or compared.removed) and not anything:
        found.append(f"rows of {table} changed: {compared.added} added, {compared.removed} removed")
    if table not in predicted.rows:
        found += [
            f"{table}.{it.name} changed in {it.changed} rows"
            for it in compared.columns
            if it.changed and not {it.name, it.was} & known
        ]
    found += [
        f"{table}.{it.name} has another type: {it.retyped}"
        for it in compared.columns
        if it.retyped and not {it.name, it.was} & known
    ]
    found += [
        f"{table}.{it.was} {it.otherwise}" for it in compared.columns if it.otherwise and not {it.name, it.was} & known
    ]
    return tuple(found)
