"""What a change reaches, as text and Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from governance.dataset import Dataset, Field
from governance.graph import Edge
from governance.impact import ADVICE, Hop, Impact, Ranked, Reached
from governance.impact.model import ends
from governance.report.page import Figures, Listing, Part, page_markdown, page_text

HEAD = ("Reached", "Through", "Hops", "Path")
RANK_HEAD = ("#", "Table", "Owner", "Criticality", "Reads", "Why here")
ADVISED = (
    ("What breaks", "breaks"),
    ("What the graph shows", "shows"),
    ("What it cannot tell", "cannot_tell"),
    ("What else is needed", "needs"),
)


def impact_parts(impact: Impact, ranking: Sequence[Ranked] = ()) -> Iterator[Part]:
    """Yield each list under its heading, the order in which to look, what the graph can tell, and the counts."""
    yield head_text(impact)
    for heading, reached in _lists(impact):
        yield Listing(heading, HEAD, _rows(impact, reached))
    yield from closing_parts(impact, ranking)


def closing_parts(impact: Impact, ranking: Sequence[Ranked] = ()) -> Iterator[Part]:
    """Yield what follows the lists, whatever form they have."""
    if ranking:
        yield Figures("look first at", RANK_HEAD, _ranks(ranking))
    yield from (f"{heading}: {said}" for heading, said in _advice(impact))
    yield _counts(impact)


def impact_text(impact: Impact, ranking: Sequence[Ranked] = ()) -> str:
    """Return the parts as text."""
    return page_text(impact_parts(impact, ranking))


def impact_markdown(impact: Impact, ranking: Sequence[Ranked] = ()) -> str:
    """Return the parts as Markdown."""
    return page_markdown(impact_parts(impact, ranking))


def head_text(impact: Impact) -> str:
    """Return what was asked."""
    kind = f" ({impact.change.value})" if impact.change else ""
    start = impact.start.dataset if isinstance(impact.start, Field) else impact.start
    along = f", and with it of {', '.join(map(str, impact.kinds))}," if impact.kinds else ""
    return f"A change of {impact.start}{' (stale: dropped)' * (start in impact.stale)}{along}{kind} can reach"


def _advice(impact: Impact) -> Iterator[tuple[str, str]]:
    if impact.change:
        said = ADVICE[impact.change].as_dict()
        yield from ((heading, said[key]) for heading, key in ADVISED)


def _ranks(ranking: Iterable[Ranked]) -> list[tuple[str, ...]]:
    return [
        (
            str(it.rank),
            str(it.dataset),
            it.owner or "none declared",
            it.criticality or "not stated",
            "" if it.reads is None else str(it.reads),
            "; ".join(it.reasons),
        )
        for it in ranking
    ]


def _lists(impact: Impact) -> tuple[tuple[str, tuple[Reached, ...]], ...]:
    return (
        ("columns whose values can change", impact.values),
        ("columns that can change with their rows, or are steered", impact.population),
        ("tables whose rows can change", impact.tables),
        ("unknown, for want of column lineage", impact.unknown),
    )


def _rows(impact: Impact, reached: Iterable[Reached]) -> list[tuple[str, ...]]:
    return [
        (
            f"{it.what}{' (stale: dropped)' * (it.dataset in impact.stale)}",
            ", ".join(dict.fromkeys(hop.how for hop in it.by)),
            str(len(it.path)),
            path_text(it.path),
        )
        for it in reached
    ]


def path_text(path: tuple[Hop, ...]) -> str:
    """Return ``a.b.c → a.d.c (DIRECT IDENTITY)``, hop after hop; an edge on a whole table ends in ``every row``.

    Of a very long path the middle is left out, and how much.
    """
    if not path:
        return ""
    near, far = ends(path)
    between = f" → … {len(path) - len(near) - len(far)} hops …" if far else ""
    begin, end = ("".join(f" → {_target(hop)} ({hop.how})" for hop in part) for part in (near, far))
    return f"{path[0].source}{begin}{between}{end}"


def _target(hop: Hop) -> str:
    on_rows = isinstance(hop, Edge) and isinstance(hop.target, Dataset)
    return f"{hop.target}, every row" if on_rows else str(hop.target)


def _counts(impact: Impact) -> str:
    if not impact.downstream:
        return "No consumers found among these sources over this window: the runs whose events were read."
    return (
        f"Tables reached by column: {len(impact.assets)}; derived from the table at all: {len(impact.downstream)}. "
        "Only consumers whose events were read are known."
    )
