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
    words = _Words.of(policy)
    read = {thing: tuple(_read(tags, words)) for thing, tags in graph.tags.items()}
    return {thing: found for thing, found in read.items() if found}


def unknown_classes(graph: Graph, policy: LineagePolicy) -> Iterator[tuple[Field | Dataset, Tagged]]:
    """Yield the tags that are to name a class and name none that there is, in order of what they are on."""
    words = _Words.of(policy)
    for thing, tags in sorted(graph.tags.items(), key=lambda it: str(it[0])):
        for tag in tags:
            named = _key(tag.key) == KEY and _foreign(tag) and _key(tag.value) not in NOT_SO
            if named and words.of_tag(tag) is None:
                yield thing, tag


@dataclass(frozen=True, slots=True)
class _Words:
    """What tags mean, by tags and classes in lower case: producers spell them in each their own way."""

    tags: Mapping[str, str]
    classes: Mapping[str, str]

    @classmethod
    def of(cls, policy: LineagePolicy) -> "_Words":
        return cls(
            {_key(tag): name for tag, name in policy.tags.items()}, {_key(it): it for it in policy.lattice.classes}
        )

    def of_tag(self, tag: Tagged) -> str | None:
        given = self.tags.get(f"{_key(tag.key)}={_key(tag.value)}")
        if given is None and _key(tag.value) not in NOT_SO:
            given = self.tags.get(_key(tag.key))
        if given is None and _key(tag.key) == KEY:
            given = self.classes.get(_key(tag.value))
        return given


def _read(tags: tuple[Tagged, ...], words: _Words) -> Iterator[Evidence]:
    for tag in tags:
        given = words.of_tag(tag) if _foreign(tag) else None
        if given is not None:
            yield Evidence(given, tag)


def _foreign(tag: Tagged) -> bool:
    return tag.source.upper() != OWN


def _key(text: str) -> str:
    return text.strip().lower()
