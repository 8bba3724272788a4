"""What a terminal shows in colour: trees, and how far long work has come. Piped output never comes through here."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text
from rich.tree import Tree

from governance.report.table import plain
from governance.report.tree import Line

STYLES: Mapping[str, str] = {
    "start": "bold",
    "value": "bold blue",
    "population": "yellow",
    "rows": "bold yellow",
    "unknown": "italic magenta",
}
"""The two colours of the page: blue where values flow, yellow where rows do."""

Item = TypeVar("Item")


def show_tree(lines: Iterable[Line], console: Console | None = None) -> None:
    """Draw ``lines`` as a tree. Names are text: nothing in them is read as markup or as a terminal's code."""
    above: list[Tree] = []
    for line in lines:
        del above[line.depth :]
        label = _label(line)
        above.append(above[-1].add(label) if above else Tree(label, guide_style="dim"))
    if above:
        (console or Console(highlight=False)).print(above[0])


def counted(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield ``items``, and show on a terminal how many of them there were so far."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        yield from progress.track(items, description=what)


def working(what: str) -> AbstractContextManager[object]:
    """Show on a terminal that ``what`` goes on, for work whose end nobody knows."""
    return Console(stderr=True).status(what)


def _label(line: Line) -> Text:
    detail = f"  [{plain(line.detail)}]" if line.detail else ""
    said = (plain(line.name), STYLES[line.kind]), f"  {plain(line.note)}" if line.note else "", (detail, "dim")
    # a line each, cut where the terminal ends: wrapped lines would hide the shape, and a pipe gets all of it
    return Text.assemble(*said, no_wrap=True, overflow="ellipsis")
