"""The values of a comparison of two revisions, and its public JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from governance.classification import Understated
from governance.impact import Ranked
from governance.side import Side as Side  # noqa: PLC0414  # it is one of these values too


class Kind(Enum):
    """How a change is judged, what weighs most first."""

    BREAKING = "breaking"
    """A column that something reads is gone, renamed or retyped; or a pipeline can no longer be read."""
    POPULATION = "population"
    """What decides the rows changed: a condition, a join, a grouping, a limit."""
    VALUE = "value"
    """What a column holds changed."""
    ADDITIVE = "additive"
    """There is more than before, and nothing less."""
    COSMETIC = "cosmetic"
    """The text changed and its meaning did not: no finding."""


WEIGHT = {kind: place for place, kind in enumerate(Kind)}


Edge = tuple[str | None, str, str, str, bool]
"""Output column (None: every row), input table, input column, ``DIRECT IDENTITY`` and the like, masking."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How one table differs between two revisions, before anybody asks who reads it.

    table:   the pipeline's or source's
    file:    where it is written, relative to the project
    made:    whether only the later revision has it; ``removed`` whether only the earlier
    moved:   the table that it is now, or was before, where only its name is another
    problem: why the later revision's pipeline cannot be read, where the earlier one's can
    gone, renamed, retyped, added: columns; renamed as (old, new), retyped as (name, old type, new type)
    values:  columns that both have and that are computed otherwise
    rows:    whether what decides the rows changed
    read:    what is otherwise about how files are read, as (column, words); None is for every row
    blocks:  the building blocks under it that are written otherwise
    text:    whether the text changed
    said:    what changed that values and rows do not show: who owns it, its grain, the order of its columns; in words
    more, less: edges that only the later or the earlier revision has, sorted
    columns: of the earlier revision, of the later where it is new
    """

    table: str
    file: str
    made: bool = False
    removed: bool = False
    moved: str = ""
    problem: str = ""
    line: int | None = None
    gone: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    retyped: tuple[tuple[str, str, str], ...] = ()
    added: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    rows: bool = False
    read: tuple[tuple[str | None, str], ...] = ()
    blocks: tuple[str, ...] = ()
    text: bool = False
    said: tuple[str, ...] = ()
    more: tuple[Edge, ...] = ()
    less: tuple[Edge, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassChange:
    """A declared class that changed; None where nothing is declared."""

    table: str
    column: str
    base: str | None
    head: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"table", "column", "base", "head"}``."""
        return {"table": self.table, "column": self.column, "base": self.base, "head": self.head}


@dataclass(frozen=True, slots=True)
class Change:
    """One judged change of one pipeline.

    fields:  columns of the pipeline's table that it is about
    reason:  what changed, in words
    readers: who is known to read what changed, in words
    reaches: tables that it can reach, what to look at first first
    steps:   how to go about it, in order
    """

    pipeline: str
    file: str
    kind: Kind
    fields: tuple[str, ...]
    reason: str
    readers: tuple[str, ...] = ()
    reaches: tuple[Ranked, ...] = ()
    steps: tuple[str, ...] = ()
    line: int | None = None
    more: tuple[Edge, ...] = ()
    less: tuple[Edge, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form; ``reaches`` as ``headwater impact`` ranks them."""
        return {
            "pipeline": self.pipeline,
            "file": self.file,
            "line": self.line,
            "kind": self.kind.value,
            "fields": list(self.fields),
            "reason": self.reason,
            "readers": list(self.readers),
            "reaches": [it.as_dict() for it in self.reaches],
            "steps": list(self.steps),
            "edges": {"added": list(map(list, self.more)), "removed": list(map(list, self.less))},
        }


@dataclass(frozen=True, slots=True)
class Diff:
    """All that changed.

    changes:    what weighs most first, then by pipeline
    classes:    declared classes that changed
    understated: columns that the later revision declares too low and the earlier did not
    owners:     by owner, what they are asked to do
    """

    changes: tuple[Change, ...]
    classes: tuple[ClassChange, ...] = ()
    understated: tuple[Understated, ...] = ()
    unreadable: tuple[str, ...] = ()
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form: ``{"changes", "classes", "understated", "unreadable", "owners"}``."""
        return {
            "changes": [change.as_dict() for change in self.changes],
            "classes": [change.as_dict() for change in self.classes],
            "understated": [
                {
                    "field": str(it.field),
                    "declared": it.declared,
                    "proposed": it.proposal.classification,
                    "reason": it.proposal.reason,
                }
                for it in self.understated
            ],
            "unreadable": list(self.unreadable),
            "owners": {owner: list(asked) for owner, asked in self.owners.items()},
        }
