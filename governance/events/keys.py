"""Fields and datasets as texts of one form, by which stored tables know them.

A *key* is ``namespace``, dataset and field joined by U+001F; the field is empty for a dataset.
"""

from governance.dataset import Dataset, Field

SEPARATOR = "\x1f"


def key(thing: Field | Dataset) -> str:
    """Return the key of a field or dataset."""
    dataset, name = (thing.dataset, thing.name) if isinstance(thing, Field) else (thing, "")
    return SEPARATOR.join((dataset.namespace, dataset.name, name))


def thing(text: str) -> Field | Dataset:
    """Return the field or dataset whose key is ``text``."""
    namespace, table, field = text.split(SEPARATOR)
    dataset = Dataset(namespace, table)
    return Field(dataset, field) if field else dataset


def field_of(text: str) -> Field:
    """Return the field whose key is ``text``."""
    namespace, table, name = text.split(SEPARATOR)
    return Field(Dataset(namespace, table), name)
