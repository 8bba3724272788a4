"""Which tables and columns of a large graph a few letters mean: as the page itself finds them, among millions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest

from governance.dataset import Dataset
from governance.events.redact import redact_url
from governance.page.tables import Tables

MOST = 50
"""Names that one answer holds."""

LETTERS = 400
"""Of what was typed, as in the page's own box."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A table, or a column of it."""

    dataset: Dataset
    column: str | None


@dataclass(frozen=True, slots=True)
class Hits:
    """The best, and how many more there are."""

    best: tuple[Hit, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Names:
    """All names in small letters.

    tables:  by table
    columns: by column the tables that have it
    """

    tables: Mapping[Dataset, str]
    columns: Mapping[str, tuple[Dataset, ...]]

    @classmethod
    def of(cls, tables: Tables) -> "Names":
        """Return the names of ``tables``."""
        # the short ones come first where all else is alike
        order = sorted(tables.names, key=lambda it: (len(it.name), it))
        columns: dict[str, list[Dataset]] = defaultdict(list)
        for dataset in order:
            for column in tables.columns.get(dataset, ()):
                columns[column].append(dataset)
        small = {it: redact_url(it.name).casefold() for it in order}
        return cls(small, {column: tuple(having) for column, having in columns.items()})

    def find(self, typed: str, most: int = MOST) -> Hits:
        """Return the best names for what was typed, best first: every word of it is in each."""
        words = typed[:LETTERS].casefold().split()
        if not words:
            return Hits((), 0)
        found: list[tuple[int, int, str, Hit]] = []
        count = 0
        for dataset, small in self.tables.items():
            if all(word in small for word in words):
                count += 1
                found.append((_score(words, small, small.rpartition(".")[2]), len(small), small, Hit(dataset, None)))
        found = _best(found, most)
        having_all: dict[tuple[str, ...], frozenset[Dataset]] = {}
        for column in self.columns:
            several, having = self._having(column, words, most, having_all)
            count += having
            found += several
            if len(found) > 20 * most:
                found = _best(found, most)
        best = tuple(hit for *_, hit in _best(found, most))
        return Hits(best, count - len(best))

    def _having(
        self, column: str, words: list[str], most: int, having_all: dict[tuple[str, ...], frozenset[Dataset]]
    ) -> tuple[list[tuple[int, int, str, Hit]], int]:
        """The best tables of ``column`` that have the words in their name and its, and how many have.

        having_all: the tables that have all of some words in their own name, as far as they were asked for
        """
        small = column.casefold()
        # letters in the table's name alone find the table
        if not any(word in small or _begins(small, word) for word in words):
            return [], 0
        tables = self.columns[column]
        rest = tuple(word for word in words if word not in small)
        if any("." in word for word in rest):
            tables = tuple(it for it in tables if all(word in f"{self.tables[it]}.{small}" for word in rest))
        elif rest:
            if rest not in having_all:
                having_all[rest] = frozenset(
                    it for it, name in self.tables.items() if all(word in name for word in rest)
                )
            among = having_all[rest]
            tables = tuple(it for it in tables if it in among)
        return list(self._hits(column, small, tables[:most], words)), len(tables)

    def _hits(
        self, column: str, small: str, tables: tuple[Dataset, ...], words: list[str]
    ) -> Iterator[tuple[int, int, str, Hit]]:
        for dataset in tables:
            text = f"{self.tables[dataset]}.{small}"
            yield 1 + _score(words, text, small), len(text), text, Hit(dataset, column)


def _best(found: list[tuple[int, int, str, Hit]], most: int) -> list[tuple[int, int, str, Hit]]:
    return nsmallest(most, found, key=lambda it: (*it[:3], it[3].dataset))


def _begins(column: str, word: str) -> bool:
    """Whether the column begins with what stands behind a dot of ``word``."""
    steps = word.split(".")
    rests = (".".join(steps[at:]) for at in range(1, len(steps)))
    return any(rest and column.startswith(rest) for rest in rests)


def _score(words: list[str], text: str, own: str) -> int:
    """Less is better, as in the page's ``find.js``."""
    return sum(_word(word, text, own) for word in words)


def _word(word: str, text: str, own: str) -> int:
    if text == word:
        return -10
    if own == word:
        return 0
    if own.startswith(word):
        return 10
    if (at := own.find(word)) > 0:
        return 25 if own[at - 1].isalnum() or own[at - 1] == "_" else 15
    return 20 if text.startswith(word) else 30
