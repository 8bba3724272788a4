"""What became of an ingested query log, as a page."""

from collections.abc import Iterator

from governance.queries.ingest import Ingested
from governance.queries.model import Fate
from governance.report.page import Figures, Part


def ingested_page(ingested: Ingested) -> Iterator[Part]:
    """Yield the lines by what became of them, the window, and where something stays unknown."""
    total = sum(ingested.fates.values())
    window = f", of {ingested.window}" if ingested.window else ""
    yield f"{ingested.file}: {total:,} lines of the form {ingested.form}{window}; {ingested.added:,} reads are new."
    rows = [(fate.value, f"{ingested.fates.get(fate, 0):,}") for fate in Fate]
    yield Figures("What became of them", ("Lines", "Count"), rows)
    for fate, told in ingested.lines.items():
        if told:
            places = ", ".join(f"line {line}{f' ({reason})' if reason else ''}" for line, reason in told)
            yield f"{fate.value}: {places}{' and more' if ingested.fates[fate] > len(told) else ''}"
