"""Column lineage as text: every output field with its word and inputs, then what shapes the rows."""

from collections.abc import Iterable, Iterator

from governance.lineage.model import ColumnLineage, InputField


def lineage_text(lineages: Iterable[ColumnLineage]) -> str:
    """Return the lineage of each output, a blank line between outputs."""
    return "\n\n".join("\n".join(_lines(lineage)) for lineage in lineages)


def _lines(lineage: ColumnLineage) -> Iterator[str]:
    yield lineage.output or "(query)"
    width = max((len(out.name) for out in lineage.fields), default=0)
    for out in lineage.fields:
        yield f"  {out.name:<{width}}  {out.word:<12}  {', '.join(map(_edge, out.inputs)) or 'no column'}".rstrip()
    unplaced = [out.name for out in lineage.fields if not out.known]
    if unplaced:
        yield f"  not placed: {', '.join(unplaced)}"
    if lineage.dataset:
        yield "  rows shaped by"
        yield from (f"    {_edge(shaping)}" for shaping in lineage.dataset)
    yield f"  reads {', '.join(lineage.inputs) or 'nothing'}"


def _edge(used: InputField) -> str:
    masked = " masked" if used.masking else ""
    return f"{used.dataset}.{used.field} {used.transformation.type} {used.transformation.subtype}{masked}"
