"""What to do about a change: in stages where readers must move first, and owner by owner."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from governance.dataset import Dataset
from governance.diff.model import Change, Difference, Kind

Owner = Callable[[Dataset], str | None]

NOBODY = "no owner declared"

ASKED: Mapping[Kind, str] = {
    Kind.BREAKING: "move off what is going",
    Kind.POPULATION: "agree to other rows, or compare before and after with headwater validate",
    Kind.VALUE: "agree to other values, or compare before and after with headwater validate",
}
"""What owners of reached tables are asked to do; nothing for what only adds or looks otherwise."""


def steps(change: Change, difference: Difference, owner: Owner) -> tuple[str, ...]:
    """Return how to ship ``change``, in order: expand, move the readers, contract; empty where nothing has to wait."""
    if change.kind is not Kind.BREAKING:
        return ()
    if difference.problem:
        return (f"correct {change.file}, or what it reads, and compare again",)
    first = _expand(change, difference)
    tables = ", ".join(_owned(it.dataset, owner) for it in change.reaches) or ", ".join(change.readers)
    return (
        f"expand: {first}",
        f"move the readers: {tables}",
        f"contract: take the old form away once headwater consumers {change.pipeline} shows no reader of it any more",
    )


def asked(changes: Iterable[Change], whom: Callable[[Change], Iterable[tuple[str, str]]]) -> dict[str, tuple[str, ...]]:
    """Return, by owner, what that owner is asked to do about what; ``whom`` gives (owner, what) of a change."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for change in changes:
        for who, what in whom(change) if change.kind in ASKED else ():
            found[who][f"{what}: {ASKED[change.kind]} ({change.pipeline}: {change.reason})"] = None
    return {who: tuple(found[who]) for who in sorted(found)}


def _expand(change: Change, difference: Difference) -> str:
    table = change.pipeline
    renamed, retyped = dict(difference.renamed), {name: new for name, _, new in difference.retyped}
    if difference.moved:
        return f"let {table} be built beside {difference.moved}, with the same rows"
    if difference.removed:
        return f"keep building {table} while it is read"
    (column,) = change.fields
    if column in renamed:
        return f"let {table} have {renamed[column]} beside {column}, with the same values"
    if column in retyped:
        return f"let {table} have a column of type {retyped[column]} beside {column}"
    return f"keep {column} in {table} while it is read"


def _owned(dataset: Dataset, owner: Owner) -> str:
    who = owner(dataset)
    return f"{dataset.name} ({who})" if who else dataset.name
