"""The columnLineage facet as dependencies: which field flows into or steers which, in Headwater's own words.

Producers differ: old ones send no transformations, some leave the subtype out or have subtypes of their own. What is
missing reads as the widest of its type, so that no dependency is lost and none looks more exact than it is.
"""

from collections.abc import Iterator

from governance.dataset import Dataset, Field
from governance.events.model import ColumnLineagePart, InputFieldPart, TransformationPart
from governance.lineage.model import Transformation

Dependency = tuple[Field, Field | Dataset, Transformation, bool]
"""Source, target (a dataset: every row of it), transformation, masking."""

SPELLED = {transformation.value: transformation for transformation in Transformation}
OLD_TYPES = {"IDENTITY": (Transformation.IDENTITY, False), "MASKED": (Transformation.TRANSFORMATION, True)}
"""``transformationType`` of a field, which producers sent before facet version 1-1-0."""


def input_datasets(lineage: ColumnLineagePart) -> frozenset[Dataset]:
    """Return the datasets that ``lineage`` names as inputs."""
    fields = (part for said in lineage.fields.values() for part in said.input_fields)
    named = {(part.namespace, part.name) for part in (*lineage.dataset, *fields)}
    return frozenset(Dataset(namespace, name) for namespace, name in named)


def input_fields(lineage: ColumnLineagePart) -> frozenset[Field]:
    """Return the fields that ``lineage`` names as inputs."""
    fields = (part for said in lineage.fields.values() for part in said.input_fields)
    named = {(part.namespace, part.name, part.field) for part in (*lineage.dataset, *fields)}
    return frozenset(Field(Dataset(namespace, name), field) for namespace, name, field in named)


class Sources:
    """The fields that inputs name, each made once, however many columns read it."""

    __slots__ = ("_datasets", "_fields")

    def __init__(self) -> None:
        self._datasets: dict[tuple[str, str], Dataset] = {}
        self._fields: dict[tuple[str, str, str], Field] = {}

    def field(self, part: InputFieldPart) -> Field:
        """Return the field that ``part`` names."""
        key = part.namespace, part.name, part.field
        found = self._fields.get(key)
        if found is None:
            found = self._fields[key] = Field(self.dataset(part.namespace, part.name), part.field)
        return found

    def dataset(self, namespace: str, name: str) -> Dataset:
        """Return the dataset of that name."""
        found = self._datasets.get((namespace, name))
        if found is None:
            found = self._datasets[namespace, name] = Dataset(namespace, name)
        return found


def dependencies(output: Dataset, lineage: ColumnLineagePart, sources: Sources | None = None) -> Iterator[Dependency]:
    """Yield every dependency of ``output`` that ``lineage`` tells, one for each transformation.

    ``sources`` shares the fields that several outputs read; without it they are this output's own.
    """
    sources = sources or Sources()
    for name, said in lineage.fields.items():
        old = OLD_TYPES.get((said.transformation_type or "").upper(), (Transformation.TRANSFORMATION, False))
        target = Field(output, name)
        for part in said.input_fields:
            for transformation, masking in _transformations(part, Transformation.CONDITIONAL, old):
                yield sources.field(part), target, transformation, masking
    for part in lineage.dataset:
        for transformation, masking in _transformations(part, Transformation.FILTER, (Transformation.FILTER, False)):
            yield sources.field(part), output, transformation, masking


def _transformations(
    part: InputFieldPart, indirect: Transformation, untyped: tuple[Transformation, bool]
) -> list[tuple[Transformation, bool]]:
    if not part.transformations:
        return [untyped]
    return [(_transformation(said, indirect), bool(said.masking)) for said in part.transformations]


def _transformation(said: TransformationPart, indirect: Transformation) -> Transformation:
    found = SPELLED.get((said.type, said.subtype or ""))
    if found is None:
        kind = said.type.upper()
        widest = indirect if kind == "INDIRECT" else Transformation.TRANSFORMATION
        found = SPELLED.get((kind, (said.subtype or "").upper()), widest)
    return found
