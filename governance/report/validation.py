"""The evidence of a validation as text, Markdown and JSON."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from governance.report.page import Figures as Table
from governance.report.page import Listing, Part, page_markdown, page_text
from governance.validation import Evidence, Figures, Verdict

HEAD = ("Table", "Verdict", "Rows", "Added", "Removed", "Changed", "Unchanged", "Owner")


def validation_text(found: Sequence[Evidence]) -> str:
    """Return the parts as text."""
    return page_text(_parts(found))


def validation_markdown(found: Sequence[Evidence]) -> str:
    """Return the parts as Markdown."""
    return page_markdown(_parts(found))


def validation_json(found: Sequence[Evidence]) -> str:
    """Return ``{"assets": […], "faults": […]}``: each table's evidence, and what nothing predicted."""
    document = {"assets": [it.as_dict() for it in found], "faults": [fault for it in found for fault in it.faults]}
    return json.dumps(document, indent=2, ensure_ascii=False)


def _parts(found: Sequence[Evidence]) -> Iterator[Part]:
    if not found:
        yield "Nothing that the change can touch is built here."
        return
    yield ", ".join(f"{count} {verdict}" for verdict, count in _counts(found).items())
    yield Table("tables", HEAD, [_row(it) for it in found])
    yield from _told("cannot be built", ((it.table, it.problem) for it in found if it.problem))
    yield from _told(
        "seen and not predicted: a fault of the lineage", ((it.table, f) for it in found for f in it.faults)
    )
    yield from _told(
        "checks that fail", ((it.table, f"{name}: {said}") for it in found for name, said in it.checks.items() if said)
    )
    yield from _told("predicted and not seen", ((it.table, _predicted(it)) for it in found if _unseen(it)))
    yield from _told("columns gone, new or renamed", _otherwise(found))
    yield from _told("columns of another type", _retyped(found))
    columns = [row for it in found for row in _columns(it)]
    if columns:
        yield Listing("columns whose values changed", ("Column", "Rows", "Before", "After", "For example"), columns)
    yield from _told(
        "rows counted whole, not by a key", ((it.table, it.compared.why) for it in found if _whole(it) and it.compared)
    )


def _told(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[Part]:
    listed = list(rows)
    if listed:
        yield Listing(title, ("Table", "What"), listed)


def _unseen(it: Evidence) -> bool:
    return it.verdict is Verdict.UNSEEN


def _predicted(it: Evidence) -> str:
    """Return what was predicted of a table, in words."""
    said = it.predicted
    rows, unknown = "which rows it has" if said["rows"] else "", "anything, it has no column lineage"
    return "; ".join(filter(None, (rows, unknown if said["unknown"] else "", ", ".join(said["columns"]))))


def _otherwise(found: Iterable[Evidence]) -> Iterator[tuple[str, str]]:
    for it in found:
        for column in it.compared.columns if it.compared else ():
            if column.otherwise:
                yield f"{it.table}.{column.was}", column.otherwise


def _retyped(found: Iterable[Evidence]) -> Iterator[tuple[str, str]]:
    for it in found:
        for column in it.compared.columns if it.compared else ():
            if column.retyped:
                yield f"{it.table}.{column.name}", column.retyped


def _whole(it: Evidence) -> bool:
    return it.compared is not None and not it.compared.key


def _counts(found: Iterable[Evidence]) -> Mapping[str, int]:
    counts = {verdict: sum(1 for it in found if it.verdict is verdict) for verdict in Verdict}
    return {verdict.value: count for verdict, count in counts.items() if count}


def _row(it: Evidence) -> tuple[str, ...]:
    owner = it.owner or "none declared"
    if it.compared is None:
        return it.table, it.verdict.value, "", "", "", "", "", owner
    c = it.compared
    rows = str(c.after) if c.before == c.after else f"{c.before} → {c.after}"
    return it.table, it.verdict.value, rows, str(c.added), str(c.removed), str(c.changed), str(c.same), owner


def _columns(it: Evidence) -> Iterator[tuple[str, ...]]:
    for column in it.compared.columns if it.compared else ():
        if column.changed and column.before and column.after:
            key, old, new = column.examples[0]
            example = f"{', '.join(map(str, key))}: {old} → {new}"
            yield (
                f"{it.table}.{column.name}",
                str(column.changed),
                _spread(column.before),
                _spread(column.after),
                example,
            )


def _spread(figures: Figures) -> str:
    mean = "" if figures.mean is None else f", mean {figures.mean:g}"
    return f"{figures.least} to {figures.greatest}{mean}{f', {figures.nulls} null' if figures.nulls else ''}"


FORMATS: Mapping[str, Callable[[Sequence[Evidence]], str]] = {
    "text": validation_text,
    "md": validation_markdown,
    "json": validation_json,
}
