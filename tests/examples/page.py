"""What docs/landing.md shows, piece by piece."""

import re
from typing import NamedTuple

from tests.examples.example import ORDERS

PAGE = (ORDERS.parents[1] / "docs" / "landing.md").read_text(encoding="utf-8")


class Shown(NamedTuple):
    """A command and what it prints; ``…`` stands for what differs from run to run, and for lines left out."""

    command: str
    output: str

    def agrees(self, said: str) -> bool:
        pattern = ".*?".join(re.escape(part) for part in self.output.split("…"))
        return re.fullmatch(pattern, said, flags=re.DOTALL) is not None


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)


def shown() -> list[Shown]:
    typed = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [Shown(*part.split("\n", 1)) for part in typed]
