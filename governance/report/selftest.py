"""What the seeded changes showed, as text, Markdown and JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from governance.report.page import Figures, Listing, Part, page_markdown, page_text
from governance.selftest import Tried, by_construct


def selftest_text(tried: Sequence[Tried]) -> str:
    """Return the parts as text."""
    return page_text(_parts(tried))


def selftest_markdown(tried: Sequence[Tried]) -> str:
    """Return the parts as Markdown."""
    return page_markdown(_parts(tried))


def selftest_json(tried: Sequence[Tried]) -> str:
    """Return ``{"constructs": {construct: {"exact", "blind", "skipped"}}, "tried": […]}``."""
    counts = {
        name: dict(zip(("exact", "blind", "skipped"), it, strict=True)) for name, it in by_construct(tried).items()
    }
    return json.dumps({"constructs": counts, "tried": [it.as_dict() for it in tried]}, indent=2, ensure_ascii=False)


def _parts(tried: Sequence[Tried]) -> Iterator[Part]:
    pipelines = len({it.pipeline for it in tried})
    yield f"Seeded into {pipelines} pipelines, collected again: exactly the new edges, or not."
    rows = [(name, *map(str, counts)) for name, counts in by_construct(tried).items()]
    yield Figures("constructs", ("Construct", "Exact", "Blind", "No place for it"), rows)
    blind = [(it.pipeline, it.construct, said) for it in tried if it.blind for said in _wrong(it)]
    if blind:
        yield Listing("blind spots", ("Pipeline", "Construct", "What"), blind)
    skipped = [(it.pipeline, it.construct, it.skipped) for it in tried if it.skipped]
    if skipped:
        yield Listing("not tried", ("Pipeline", "Construct", "Why"), skipped)


def _wrong(it: Tried) -> Iterator[str]:
    yield from ([f"refused: {it.problem}"] if it.problem else [])
    yield from (f"missing: {edge}" for edge in it.missing)
    yield from (f"too much: {edge}" for edge in it.extra)


FORMATS: Mapping[str, Callable[[Sequence[Tried]], str]] = {
    "text": selftest_text,
    "md": selftest_markdown,
    "json": selftest_json,
}
