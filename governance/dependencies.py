"""The columnLineage facet as dependencies: which field flows into or steers which, in Headwater's own words.

Producers differ: old ones send no transformations, some leave the subtype out or have subtypes of their own. What is
missing reads as the widest of its type, so that no dependency is lost and none looks more exact than it is.
"""

from collections.abc import Iterator

from governance.dataset import Dataset, Field
from governance.events.model import ColumnLineagePart, InputFieldPart
from governance.lineage.model import Transformation

Dependency = tuple[Field, Field | Dataset, Transformation, bool]
"""Source, target (a dataset: every row of it), transformation, masking."""

SPELLED = {transformation.value: transformation for transformation in Transformation}
OLD_TYPES = {"IDENTITY": (Transformation.IDENTITY, False), "MASKED": (Transformation.TRANSFORMATION, True)}
"""``transformationType`` of a field, which producers sent before facet version 1-1-0."""


def input_datasets(lineage: ColumnLineagePart) -> frozenset[Dataset]:
    """Return the datasets that ``lineage`` names as inputs."""
    fields = (part for said in lineage.fields.values() for part in said.input_fields)
    return frozenset(Dataset(part.namespace, part.name) for part in (*lineage.dataset, *fields))


def dependencies(output: Dataset, lineage: ColumnLineagePart) -> Iterator[Dependency]:
    """Yield every dependency of ``output`` that ``lineage`` tells, one for each transformation."""
    for name, said in lineage.fields.items():
        old = OLD_TYPES.get((said.transformation_type or "").upper(), (Transformation.TRANSFORMATION, False))
        for part in said.input_fields:
            for transformation, masking in _transformations(part, Transformation.CONDITIONAL, old):
                yield _source(part), Field(output, name), transformation, masking
    for part in lineage.dataset:
        for transformation, masking in _transformations(part, Transformation.FILTER, (Transformation.FILTER, False)):
            yield _source(part), output, transformation, masking


def _source(part: InputFieldPart) -> Field:
    return Field(Dataset(part.namespace, part.name), part.field)


def _transformations(
    part: InputFieldPart, indirect: Transformation, untyped: tuple[Transformation, bool]
) -> list[tuple[Transformation, bool]]:
    return [
        (
            SPELLED.get(
                (said.type.upper(), (said.subtype or "").upper()),
                indirect if said.type.upper() == "INDIRECT" else Transformation.TRANSFORMATION,
            ),
            bool(said.masking),
        )
        for said in part.transformations
    ] or [untyped]
