"""``lineage.toml`` as frozen types: how lineage is named and how classifications follow it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from governance.dataset import Dataset
from governance.engines import DUCKDB, ENGINES
from governance.lattice import Lattice, NoBound, lattice_of
from governance.names import Spelling
from governance.policy_file import Section

THROUGH = ("DIRECT", "INDIRECT")
KEYS = ("order", "propagate_through", "masking_functions", "namespace", "job_namespace", "namespaces", "tags", "engine")
"""The keys that are read here; others of the file are read where they are used."""

REQUIRED = {
    "order": '["public", "personal"]',
    "propagate_through": '["DIRECT"]',
    "masking_functions": "[]",
    "namespace": '"…"',
    "job_namespace": '"…"',
}
"""What must be said, as it may be written."""


@dataclass(frozen=True, slots=True)
class NamespacePolicy:
    """What holds in one namespace of datasets only; None where the general setting does.

    names:             how it compares names
    propagate_through: the transformation types that count for columns in it
    """

    names: Spelling | None = None
    propagate_through: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class LineagePolicy:
    """How lineage is named and how classifications follow it.

    order:             the classes from least to most protected, or chains of a partial order (``"a < b"``)
    propagate_through: the transformation types that count, of ``DIRECT`` and ``INDIRECT``
    masking_functions: names of the team's own masking functions, in lower case
    namespace:         the datasets' namespace in events, but for those of files
    job_namespace:     the jobs' namespace in events
    namespaces:        what holds in single namespaces of datasets
    tags:              what other producers' tags mean here: a tag's key, or ``key=value``, to a class
    engine:            the engine of pipelines whose header names none (``[engine] default``)
    files:             the namespaces of declared datasets of files, by name and in declared order (``sources.toml``)
    """

    order: tuple[str, ...]
    propagate_through: frozenset[str]
    masking_functions: frozenset[str]
    namespace: str
    job_namespace: str
    namespaces: Mapping[str, NamespacePolicy] = field(default_factory=lambda: MappingProxyType({}))
    tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    engine: str = DUCKDB
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def dataset(self, name: str) -> Dataset:
        """Return the dataset that the project's own files call ``name``."""
        return Dataset(self.files.get(name, self.namespace), name)

    def owns(self, dataset: Dataset) -> bool:
        """Whether the project's own files mean ``dataset`` where they say its name."""
        return self.files.get(dataset.name, self.namespace) == dataset.namespace

    def in_catalog(self, dataset: Dataset) -> bool:
        """Whether ``dataset`` is a table of the catalog, and no file, by its name."""
        return dataset.namespace == self.namespace and dataset.name not in self.files

    @property
    def lattice(self) -> Lattice:
        """The classes and which protects more."""
        return lattice_of(self.order)

    @property
    def spellings(self) -> Mapping[str, Spelling]:
        """How each namespace compares names, as far as the file says."""
        return {name: it.names for name, it in self.namespaces.items() if it.names is not None}


def lineage_policy(files: tuple[Section, ...]) -> LineagePolicy:
    """Return what ``files`` say together; a later one replaces a setting of an earlier one.

    Raises:
        PolicyError: a setting is missing or says something that is not allowed.
    """

    def holder(key: str) -> Section:
        return next((file for file in reversed(files) if key in file.values), files[0])

    missing = [key for key in REQUIRED if key not in holder(key).values]
    if len(missing) > 1:
        fix = f"add the lines at its top\n{chr(10).join(f'{key} = {REQUIRED[key]}' for key in missing)}"
        raise files[0].wrong(missing[0], f"it is missing, as are {', '.join(missing[1:])}", fix=fix)
    classes = _order(holder("order")).classes
    return LineagePolicy(
        order=holder("order").texts("order"),
        propagate_through=_through(holder("propagate_through")),
        masking_functions=frozenset(name.lower() for name in holder("masking_functions").texts("masking_functions")),
        namespace=holder("namespace").text("namespace"),
        job_namespace=holder("job_namespace").text("job_namespace"),
        namespaces=MappingProxyType({name: it for file in files for name, it in _namespaces(file)}),
        tags=MappingProxyType({tag: name for file in files for tag, name in _tags(file, classes)}),
        engine=_engine(holder("engine")),
    )


def _engine(file: Section) -> str:
    section = file.section("engine")
    section.only("default")
    name = section.optional_text("default") or DUCKDB
    if name not in ENGINES:
        raise section.wrong("default", f"unknown engine {name!r}", fix=f"write one of {', '.join(ENGINES)}")
    return name


def _order(file: Section) -> Lattice:
    order = file.texts("order")
    if not order:
        raise file.wrong("order", "it names no class", fix='write order = ["public", "internal"]')
    fix = 'write a line, ["public", "internal"], or chains, ["public < internal", "public < billing"], that meet again'
    if any(not name.strip() for text in order for name in text.split("<")):
        raise file.wrong("order", "a class has no name", fix=fix)
    try:
        return lattice_of(order)
    except NoBound as error:
        raise file.wrong("order", str(error), fix=fix) from error


def _through(section: Section) -> frozenset[str]:
    through = section.texts("propagate_through")
    unknown = [word for word in through if word not in THROUGH]
    if unknown or not through:
        problem = f"unknown transformation type {unknown[0]!r}" if unknown else "it names no transformation type"
        raise section.wrong("propagate_through", problem, fix=f"write one or both of {', '.join(THROUGH)}")
    return frozenset(through)


def _namespaces(file: Section) -> Iterator[tuple[str, NamespacePolicy]]:
    for name, section in file.section("namespaces").sections():
        section.only("names", "propagate_through")
        through = _through(section) if "propagate_through" in section.values else None
        yield name, NamespacePolicy(_names(section), through)


def _names(section: Section) -> Spelling | None:
    written = section.optional_text("names")
    rules = {rule.value: rule for rule in Spelling}
    if written is not None and written not in rules:
        raise section.wrong("names", f"unknown rule {written!r}", fix=f"write one of {', '.join(rules)}")
    return rules[written] if written is not None else None


def _tags(file: Section, classes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    section = file.section("tags")
    for tag in section.values:
        name = section.text(tag)
        if name not in classes:
            raise section.wrong(tag, f"unknown class {name!r}", fix=f"write one of {', '.join(classes)}")
        yield tag, name
