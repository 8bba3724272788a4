"""The names of things: a dataset is a namespace and a name, a field is a dataset and a path in it.

OpenLineage's naming (https://openlineage.io/docs/spec/naming): namespace and name together identify a dataset.

They are msgspec structs, not dataclasses: a graph compares and looks up millions of them, which a struct does in C.
"""

import msgspec


class Dataset(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """A table or file, for example ``Dataset("iceberg://platform", "crm.learners")``."""

    namespace: str
    name: str

    def __str__(self) -> str:
        """Return the name alone: people read within one namespace."""
        return self.name


class Field(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """A column of a dataset; nested members are a dotted path (``address.city``)."""

    dataset: Dataset
    name: str

    def __str__(self) -> str:
        """Return ``dataset.field``, as it is typed on the command line."""
        return f"{self.dataset.name}.{self.name}"
