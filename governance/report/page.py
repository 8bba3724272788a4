"""A page of paragraphs and titled tables, as text or Markdown: what a report says stands once, apart from its form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from governance.report.table import markdown, markdown_table, plain, text_table


@dataclass(frozen=True, slots=True)
class Listing:
    """A table under its title; one without rows is its title alone, which says how many there are: none."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]

    @property
    def heading(self) -> str:
        """Return the title with the number of rows."""
        return f"{self.title}: {len(self.rows)}"


@dataclass(frozen=True, slots=True)
class Figures:
    """A table whose number of rows says nothing."""

    heading: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]


Part = str | Listing | Figures


def page_text(parts: Iterable[Part]) -> str:
    """Return the page as text, tables indented under their titles."""
    return "\n\n".join(map(_text, parts))


def page_markdown(parts: Iterable[Part]) -> str:
    """Return the page as Markdown."""
    return "\n\n".join(map(_markdown, parts))


def _text(part: Part) -> str:
    if isinstance(part, str):
        return plain(part)
    lines = text_table(part.head, part.rows).splitlines() if part.rows else []
    return "\n".join((part.heading, *(f"  {line}" for line in lines)))


def _markdown(part: Part) -> str:
    if isinstance(part, str):
        return markdown(part)
    table = f"\n\n{markdown_table(part.head, part.rows)}" if part.rows else ""
    return f"**{markdown(part.heading)}**{table}"
