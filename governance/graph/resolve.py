"""From a name as people type it to the dataset or field that it means."""

from collections import defaultdict
from difflib import get_close_matches

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.graph.model import Graph

_SHOWN = 5

Named = dict[str, list[Field | Dataset]]


def resolve(graph: Graph, name: str) -> Field | Dataset:
    """Return the dataset or field that ``name`` means: ``crm.learners``, ``crm.learners.email``.

    ``namespace/name`` tells apart what two namespaces share. A name that nothing has exactly may differ in case.

    Raises:
        UnknownField: no event names it, it is a schema or nothing at all, or several things have it.
    """
    if not name.strip():
        raise UnknownField("the name is empty", fix="write a table, crm.learners, or a column, crm.learners.email")
    exact = _named(graph)
    found = exact.get(name) or _any_case(exact, name)
    if len(found) == 1:
        return found[0]
    if found:
        # a dataset and a field of another dataset may share a dotted name, and so may two namespaces
        choices = ", ".join(sorted(f"{_dataset(thing).namespace}/{thing}" for thing in found))
        raise UnknownField(f"{name} is ambiguous", fix=f"write one of {choices}")
    if tables := _tables_in(graph, name):
        shown = f"{', '.join(tables[:_SHOWN])}{', …' if len(tables) > _SHOWN else ''}"
        raise UnknownField(f"{name} is a schema, not a table or column", fix=f"name one of its tables: {shown}")
    close = get_close_matches(name, exact, n=3)
    fix = f"did you mean {', '.join(close)}?" if close else "run its pipeline once, so that an event names it"
    raise UnknownField(f"no event names {name}", fix=fix)


def _named(graph: Graph) -> Named:
    named: Named = defaultdict(list)
    for dataset, fields in graph.fields.items():
        things: tuple[Field | Dataset, ...] = (dataset, *fields)
        for thing in things:
            for spelled in (str(thing), f"{dataset.namespace}/{thing}"):
                named[spelled].append(thing)
    return named


def _tables_in(graph: Graph, schema: str) -> list[str]:
    """Names of the tables in a schema, as ``schema`` spells them: with their namespace where it has one."""
    start = f"{schema.casefold().removesuffix('.')}."
    spelt = {name for dataset in graph.fields for name in (str(dataset), f"{dataset.namespace}/{dataset}")}
    return sorted(name for name in spelt if name.casefold().startswith(start))


def _any_case(exact: Named, name: str) -> list[Field | Dataset]:
    folded = name.casefold()
    return [thing for spelled, things in exact.items() if spelled.casefold() == folded for thing in things]


def _dataset(thing: Field | Dataset) -> Dataset:
    return thing.dataset if isinstance(thing, Field) else thing
