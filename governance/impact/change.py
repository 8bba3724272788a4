"""Kinds of change: what each breaks, what a lineage graph shows of it and cannot tell, and what else is needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Change(Enum):
    """What is to be changed, as ``--change`` names it."""

    RENAME = "rename"
    DROP = "drop"
    TYPE = "type"
    VALUE = "value"
    ENUM = "enum"
    UNIT = "unit"
    FILTER = "filter"
    BACKFILL = "backfill"


@dataclass(frozen=True, slots=True)
class Advice:
    """How far an answer carries for one kind of change.

    breaks: what goes wrong where nobody looks
    shows:  what of it the graph finds
    cannot: what the graph has no way to tell
    needs:  what has to be done beside reading the graph
    """

    breaks: str
    shows: str
    cannot: str
    needs: str

    def as_dict(self) -> dict[str, Any]:
        """Return the four texts under ``breaks``, ``shows``, ``cannot_tell`` and ``needs``."""
        return {"breaks": self.breaks, "shows": self.shows, "cannot_tell": self.cannot, "needs": self.needs}


_NAMED = Advice(
    breaks="every query that names the column, loudly: it fails as soon as it runs",
    shows="every job whose SQL names the column, and all that is derived from their outputs",
    cannot="names in dynamic SQL, in notebooks, and in tools that send no lineage",
    needs="parse or compile what is downstream against the new schema, and go in stages: the new name beside the old, "
    "readers moved, the old one taken away",
)

ADVICE: Mapping[Change, Advice] = {
    Change.RENAME: _NAMED,
    Change.DROP: _NAMED,
    Change.TYPE: Advice(
        breaks="casts, joins on another type, and readers with a strict schema",
        shows="every consumer of the column",
        cannot="whether a consumer bears the new type: an edge has no type",
        needs="run the tests of what is downstream on the new type",
    ),
    Change.VALUE: Advice(
        breaks="what compares, parses or aggregates the value; often silently",
        shows="the columns that the value flows into, and the conditions that it takes part in",
        cannot="whether a changed value is right for its reader",
        needs="compare the outputs before and after, for each asset",
    ),
    Change.ENUM: Advice(
        breaks="code that knows the present values: a new one falls into no branch, or into the wrong one",
        shows="the columns derived from it, and each filter and condition that it takes part in",
        cannot="which branch the new value takes, and what it should mean there",
        needs="review each condition and filter listed with the asset's owner",
    ),
    Change.UNIT: Advice(
        breaks="every number that is derived from it, silently",
        shows="the same edges as before the change: where the number goes",
        cannot="that its meaning changed: no edge is different",
        needs="change the column's contract and definition on record, and decide with the owners what is restated",
    ),
    Change.FILTER: Advice(
        breaks="which rows there are, and with them every count and sum; silently",
        shows="the conditions that name this very column, and what can lose or gain rows by them",
        cannot="how many rows, and whether they should be there; conditions on its copies are theirs: ask there",
        needs="compare the outputs before and after: rows added, rows removed, values changed",
    ),
    Change.BACKFILL: Advice(
        breaks="figures that were published already",
        shows="everything downstream, above all the aggregates",
        cannot="which figures were published, and to whom; whether an incremental job reads the past again",
        needs="announce a restatement, and rebuild incremental tables whose past changes",
    ),
}
"""After the change table of the post "Metadata and Lineage for Change Impact Analysis"."""
