"""The names of things: a dataset is a namespace and a name, a field is a dataset and a path in it.

OpenLineage's naming (https://openlineage.io/docs/spec/naming): namespace and name together identify a dataset.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A table or file, for example ``Dataset("iceberg://platform", "crm.learners")``."""

    namespace: str
    name: str

    def __str__(self) -> str:
        """Return the name alone: people read within one namespace."""
        return self.name


@dataclass(frozen=True, slots=True, order=True)
class Field:
    """A column of a dataset; nested members are a dotted path (``address.city``)."""

    dataset: Dataset
    name: str

    def __str__(self) -> str:
        """Return ``dataset.field``, as it is typed on the command line."""
        return f"{self.dataset.name}.{self.name}"
