"""What other producers' tags say of classes: evidence beside what people declared here.

A tag that Headwater sent itself repeats a declaration of that day and is none: counted, it would keep a class alive
that its owner has taken away since.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from governance.dataset import Dataset, Field
from governance.graph import Graph, Tagged
from governance.policy import LineagePolicy

OWN = "HEADWATER"
KEY = "classification"
NOT_SO = frozenset({"false", "no", "0", "none"})
"""Values by which a producer says that the tag does not hold."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A class that a tag stands for."""

    classification: str
    tag: Tagged

    def __str__(self) -> str:
        """Return ``the tag pii=true (DBT, job staging)``."""
        by = ", ".join(part for part in (self.tag.source, f"job {self.tag.job}") if part)
        return f"the tag {self.tag.key}={self.tag.value} ({by})"


def evidence(graph: Graph, policy: LineagePolicy) -> Mapping[Field | Dataset, tuple[Evidence, ...]]:
    """Return the classes that tags give fields, or whole datasets and with them each of their fields."""
    classes = frozenset(policy.lattice.classes)
    read = {thing: tuple(_read(tags, policy, classes)) for thing, tags in graph.tags.items()}
    return {thing: found for thing, found in read.items() if found}


def _read(tags: tuple[Tagged, ...], policy: LineagePolicy, classes: frozenset[str]) -> Iterator[Evidence]:
    for tag in tags:
        if tag.source.upper() == OWN:
            continue
        given = policy.tags.get(f"{tag.key}={tag.value}")
        if given is None and tag.value.lower() not in NOT_SO:
            given = policy.tags.get(tag.key)
        if given is None and tag.key.lower() == KEY and tag.value in classes:
            given = tag.value
        if given is not None:
            yield Evidence(given, tag)
