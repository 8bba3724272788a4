"""The text that made each edge as a facet of the output, ``headwater_expressions``, and what may be told of it.

A custom facet as OpenLineage allows one, beside ``columnLineage``, whose edges it names::

    {"expressions": [{"text": "sum(p.amount) / 100 as revenue", "line": 12}],
     "uses": [{"field": "revenue", "namespace": …, "name": …, "inputField": "amount",
               "type": "DIRECT", "subtype": "AGGREGATION", "expression": 0, "marks": [[4, 12]]}]}

``expression`` is a place in ``expressions``, ``marks`` are ranges in its text in UTF-16 units, as JavaScript and Java
count. A use without ``field`` is of an input that shapes the rows. An edge has a use for every piece of SQL that it
goes through, the one that names the source column first. ``line`` counts in the text of the job's ``sql`` facet;
``templateLine``, where that text was rendered, in the file that wrote it.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import msgspec
from openlineage.client.facet_v2 import DatasetFacet

from governance.dataset import Dataset
from governance.events.redact import redact_sql
from governance.lineage.model import Explanation, Expression, Span, Use

KEY = "headwater_expressions"

LARGEST = 128 * 1024
"""Bytes of the facet: beyond it only the places that name a source column are told, and if those are too many none."""


def redacted(explanation: Explanation, secrets: tuple[str, ...]) -> Explanation:
    """Return what of an explanation may be sent: a piece in which something is to be masked is left out.

    The text that was explained is masked before, as the sql facet is (:func:`governance.events.redact.redact_sql`), so
    that its marks are right; what a piece shows beyond that is not told.
    """
    shown = {it: _may_be_told(it.text, secrets) for it in {use.expression for use in explanation.uses}}
    return replace(explanation, uses=tuple(use for use in explanation.uses if shown[use.expression]))


@lru_cache(maxsize=16_384)
def _may_be_told(text: str, secrets: tuple[str, ...]) -> bool:
    """Whether nothing is masked in a piece; the same column is selected by many statements."""
    return redact_sql(text, secrets) == text


def expressions_facet(explanation: Explanation, named: dict[str, Dataset]) -> DatasetFacet | None:
    """Return the facet, None where there is nothing to tell; ``named`` has every input's name as events have it."""
    uses = explanation.uses
    if not uses:
        return None
    for kept in (uses, _nearest(uses)):
        told = _told(kept, named)
        if len(msgspec.json.encode(told)) <= LARGEST:
            return _facet(told)
    return _facet({"expressions": [], "uses": [], "omitted": True})


def _facet(told: dict[str, Any]) -> DatasetFacet:
    return cast("DatasetFacet", DatasetFacet().with_additional_properties(**told))


def _nearest(uses: Iterable[Use]) -> list[Use]:
    """The uses that are fewest steps from their source."""
    steps: dict[object, int] = {}
    for use in uses:
        edge = use.field, use.input
        steps[edge] = min(use.steps, steps.get(edge, use.steps))
    return [use for use in uses if use.steps == steps[use.field, use.input]]


def _told(uses: Iterable[Use], named: dict[str, Dataset]) -> dict[str, Any]:
    places: dict[Expression, int] = {}
    told = [_use(use, named[use.input.dataset], places.setdefault(use.expression, len(places))) for use in uses]
    return {"expressions": [_piece(it) for it in places], "uses": told}


def _piece(it: Expression) -> dict[str, Any]:
    return {"text": it.text, "line": it.line} | ({"templateLine": it.template} if it.template else {})


def _use(use: Use, dataset: Dataset, place: int) -> dict[str, Any]:
    target = {} if use.field is None else {"field": use.field}
    return target | {
        "namespace": dataset.namespace,
        "name": dataset.name,
        "inputField": use.input.field,
        "type": use.input.transformation.type,
        "subtype": use.input.transformation.subtype,
        "expression": place,
        "marks": [_units(use.expression.text, mark) for mark in use.marks],
    }


def _units(text: str, mark: Span) -> list[int]:
    return [len(text[:place].encode("utf-16-le", "surrogatepass")) // 2 for place in mark]
