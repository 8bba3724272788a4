"""A file of several kinds of record and what its kinds are: told by their names alone, whoever told of them."""

from collections.abc import Iterable

from governance.dataset import Dataset


def base_of(dataset: Dataset) -> Dataset | None:
    """Return the file of which ``dataset`` is one kind of record by its name; None for what is no kind of anything.

    ``landing/payments.txt#detail`` is a kind of ``landing/payments.txt``, in the same namespace.
    """
    name, _, kind = dataset.name.partition("#")
    return Dataset(dataset.namespace, name) if name and kind else None


def kinds_of(dataset: Dataset, known: Iterable[Dataset]) -> tuple[Dataset, ...]:
    """Return those of ``known`` that are kinds of record of ``dataset``, sorted: what changes when the file does."""
    return tuple(sorted(it for it in known if base_of(it) == dataset))
