"""What commands about events have in common: the options that say what to read, and the forms of an answer."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from governance.report.page import Part
    from governance.report.tree import Line

Path_ = click.Path(path_type=Path, exists=True)
EVENTS = click.option(
    "--events", type=Path_, help="Events to read: a file, a folder or a store. Default: the project's own store."
)
FORMAT = click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)


@dataclass(frozen=True, slots=True)
class Tree:
    """An answer as a tree under a title, and what is said below it."""

    title: str
    lines: "Callable[[], Iterable[Line]]"
    closing: "Callable[[], Iterable[Part]]"


def say(
    form: str,
    text: Callable[[], str],
    markdown: Callable[[], str],
    value: Callable[[], Any],
    tree: Tree | None = None,
) -> None:
    """Print an answer in the form asked for; on a terminal its tree is drawn in place of the text."""
    if tree and form == "text" and sys.stdout.isatty():
        _show(tree)
        return

    def as_json() -> str:
        return json.dumps(value(), indent=2, ensure_ascii=False)

    def as_html() -> str:
        from governance.report.html import page_html

        return page_html(tree.title, [tuple(tree.lines()), *tree.closing()]) if tree else ""

    click.echo({"text": text, "md": markdown, "json": as_json, "html": as_html}[form]())


def _show(tree: Tree) -> None:
    """Draw the tree on the terminal that somebody looks at, and say below it what the tree cannot."""
    from governance.report.page import page_text
    from platform_assets.commands.colour import show_tree

    show_tree(tree.lines())
    click.echo(f"\n{page_text(tree.closing())}")
