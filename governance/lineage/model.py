"""The values of column lineage, in the shape of OpenLineage's ColumnLineageDatasetFacet 1-2-0.

So writing the facet is translation and no computation
(https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json).

Datasets are named as the SQL's catalog names them (``crm.learners``, ``landing/orders.csv``); the namespace is the
event's business.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias


class Transformation(Enum):
    """How an input is used: a subtype that knows its type, so that an INDIRECT IDENTITY cannot be written."""

    IDENTITY = ("DIRECT", "IDENTITY")
    TRANSFORMATION = ("DIRECT", "TRANSFORMATION")
    AGGREGATION = ("DIRECT", "AGGREGATION")
    JOIN = ("INDIRECT", "JOIN")
    FILTER = ("INDIRECT", "FILTER")
    GROUP_BY = ("INDIRECT", "GROUP_BY")
    SORT = ("INDIRECT", "SORT")
    WINDOW = ("INDIRECT", "WINDOW")
    CONDITIONAL = ("INDIRECT", "CONDITIONAL")

    @property
    def type(self) -> str:
        """``DIRECT`` where the value flows, ``INDIRECT`` where it only steers."""
        return self.value[0]

    @property
    def subtype(self) -> str:
        """OpenLineage's subtype, the member's own name."""
        return self.value[1]

    @property
    def direct(self) -> bool:
        """Whether the input's value flows into the output's."""
        # asked of every edge: ``value`` takes three times as long
        return bool(self._value_[0] == "DIRECT")


@dataclass(frozen=True, slots=True)
class InputField:
    """One dependency: a field of an input dataset and how it is used."""

    dataset: str
    field: str
    transformation: Transformation
    masking: bool = False

    def as_list(self) -> list[str | bool]:
        """Return ``[dataset, field, type, subtype, masking]``."""
        return [self.dataset, self.field, self.transformation.type, self.transformation.subtype, self.masking]


@dataclass(frozen=True, slots=True)
class OutputField:
    """A field of the output and what it depends on; no inputs means "from no column", never "unknown".

    ``known`` is False only in best-effort lineage, for a column that could not be placed.
    """

    name: str
    inputs: tuple[InputField, ...]
    known: bool = True

    @property
    def word(self) -> str:
        """How the field came about, in a word of lineage semantics, section 8."""
        if not self.known:
            return "unknown"
        if not self.inputs:
            return "source"
        if len(self.inputs) == 1 and self.inputs[0].transformation is Transformation.IDENTITY:
            return "pass-through" if self.inputs[0].field == self.name else "renamed"
        return "derived"


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """The lineage of one statement's output.

    output:  the dataset written; None for a bare SELECT
    fields:  every output field, in table order
    dataset: INDIRECT inputs that shape which rows exist, once each, sorted
    inputs:  every dataset read, sorted, also those of which no column matters
    """

    output: str | None
    fields: tuple[OutputField, ...]
    dataset: tuple[InputField, ...]
    inputs: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the public JSON form, sorted, the same on every run."""
        return {
            "output": self.output,
            "fields": {out.name: sorted(i.as_list() for i in out.inputs) for out in self.fields},
            "dataset": sorted(i.as_list() for i in self.dataset),
            "inputs": sorted(self.inputs),
        }


Span: TypeAlias = tuple[int, int]
"""A stretch of text, (start, end) in characters from 0 on, the end not included."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A piece of SQL on one line, comments left out; ``line`` is where it begins in the text, from 1 on.

    ``template`` is the line of the template that wrote it; None where the text was not rendered from one.
    """

    text: str
    line: int
    template: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One edge and a piece of the SQL that it goes through.

    field:      the output field; None where the input shapes the rows
    input:      the edge's other end and its kind
    expression: an item of a select list, or a clause
    marks:      where in its text the input is named, or what came from it
    steps:      how many names of the text stand between the source column and these: 0 where it is named itself
    """

    field: str | None
    input: InputField
    expression: Expression
    marks: tuple[Span, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """What made the edges of one output, in the order of its lineage; of an edge the source's own name comes first."""

    output: str | None
    uses: tuple[Use, ...]
