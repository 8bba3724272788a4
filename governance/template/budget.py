"""What rendering may cost: each step is counted, so that the same template always ends at the same place.

A clock would end it elsewhere on another machine. All steps together take about a second.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import GeneratorType

from governance.template.refused import TooMuch

WORK = 300_000
"""Steps of one rendering: a pass of a loop, a call, an element of a list that something looks at."""

TEXT = 1_000_000
"""Characters of the rendered text, and of any text on the way to it."""

WRITTEN = 4 * TEXT
"""Characters that a rendering may write in all, those of macros and blocks on the way too."""

BITS = 4096
"""Size of the greatest whole number."""

CHARACTERS = 64
"""Characters that one step goes over."""

LESS = "write fewer columns or tables in one file, or a loop over fewer things"


class Budget:
    """What is left to one rendering."""

    def __init__(self) -> None:
        self._work = WORK
        self._written = WRITTEN

    def spend(self, steps: int) -> None:
        """Take ``steps`` off what is left.

        Raises:
            TooMuch: nothing is left.
        """
        self._work -= steps
        if self._work < 0:
            raise TooMuch(f"rendering takes more than {WORK:,} steps: a loop or a macro is repeated too often", LESS)

    def write(self, characters: int) -> None:
        """Take characters that are written off what is left, and a step.

        Raises:
            TooMuch: nothing is left.
        """
        self.spend(1 + characters // CHARACTERS)
        self._written -= characters
        if self._written < 0:
            raise TooMuch(f"the template writes more than {WRITTEN:,} characters on the way to its text", LESS)

    def look(self, *values: object) -> None:
        """Take off what looking at all of ``values`` costs.

        Raises:
            TooMuch: nothing is left.
        """
        left: list[object] = [*values]
        while left:
            value = left.pop()
            if isinstance(value, str):
                self.spend(1 + len(value) // CHARACTERS)
            elif isinstance(value, Mapping):
                self.spend(1 + len(value))
                left += [*value.keys(), *value.values()]
            elif isinstance(value, list | tuple):
                self.spend(1 + len(value))
                left += value
            else:
                self.spend(1 + (len(value) if isinstance(value, range) else 0))

    def kept(self, made: object) -> object:
        """Return ``made``, which a template may keep, and take off what it holds; elements made later cost a step each.

        Raises:
            TooMuch: nothing is left, or it is a text that is too long.
        """
        if isinstance(made, GeneratorType | map | filter | reversed):
            return self._each(made)
        if isinstance(made, str):
            require_text(len(made))
        if isinstance(made, str | list | tuple | dict):
            self.look(made)
        return made

    def _each(self, made: Iterable[object]) -> Iterator[object]:
        for value in made:
            self.spend(1)
            yield value


def require_text(characters: int) -> None:
    """Raise TooMuch where a text of so many characters is too long."""
    if characters > TEXT:
        raise TooMuch(f"a text would have {characters:,} characters, and {TEXT:,} are the most", LESS)


def require_number(bits: float) -> None:
    """Raise TooMuch where a whole number of so many bits is too great."""
    if bits > BITS:
        raise TooMuch(f"a number would have more than {BITS:,} bits", "reckon in SQL")
