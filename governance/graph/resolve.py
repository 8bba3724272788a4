"""From a name as people type it to the dataset or field that it means."""

from collections import defaultdict
from difflib import get_close_matches
from fnmatch import fnmatchcase

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.graph.model import Graph
from governance.landing.locations import is_glob

_SHOWN = 5

Named = dict[str, list[Field | Dataset]]


def resolve(graph: Graph, name: str) -> Field | Dataset:
    """Return the dataset or field that ``name`` means: ``crm.learners``, ``landing/orders.csv.amount``.

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
    groups = (("location", "file", _under(graph, name)), ("schema", "table", _tables_in(graph, name)))
    for outer, inner, inside in groups:
        if inside:
            shown = f"{', '.join(inside[:_SHOWN])}{', …' if len(inside) > _SHOWN else ''}"
            fix = f"name one of its {inner}s: {shown}"
            raise UnknownField(f"{name} is a {outer}, not a {inner} or column", fix=fix)
    if globs := _globs(graph, name):
        dataset, rest = globs[0]
        fix = f"all files of it are one dataset: write {dataset}{rest}"
        raise UnknownField(f"no event names {name}, which is one of the files {dataset}", fix=fix)
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


def _under(graph: Graph, location: str) -> list[str]:
    """Names of the files in a location, or in a folder of it."""
    start = f"{location.removesuffix('/')}/"
    return sorted(dataset.name for dataset in graph.fields if dataset.name.startswith(start))


def _globs(graph: Graph, name: str) -> list[tuple[Dataset, str]]:
    """Return the datasets of several files of which ``name`` begins with one, with what of the name comes after it."""
    parts = name.split(".")
    heads = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    globs = [dataset for dataset in graph.fields if "/" in dataset.name and is_glob(dataset.name)]
    return [(it, name[len(head) :]) for head in heads for it in globs if fnmatchcase(head, it.name)]


def _any_case(exact: Named, name: str) -> list[Field | Dataset]:
    folded = name.casefold()
    return [thing for spelled, things in exact.items() if spelled.casefold() == folded for thing in things]


def _dataset(thing: Field | Dataset) -> Dataset:
    return thing.dataset if isinstance(thing, Field) else thing
