"""Column lineage as text: every output field with its word and inputs, then what shapes the rows; each explained."""

from collections.abc import Iterable, Iterator, Mapping

from governance.lineage.model import ColumnLineage, Explanation, InputField, Use
from governance.report.place import underlined


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


def explained_text(told: Iterable[tuple[ColumnLineage, Explanation]]) -> str:
    """Return the lineage of each output with the pieces of SQL that made each edge under it, by line."""
    return "\n\n".join("\n".join(_explained(lineage, explanation)) for lineage, explanation in told)


def _explained(lineage: ColumnLineage, explanation: Explanation) -> Iterator[str]:
    uses: dict[tuple[str | None, InputField], list[Use]] = {}
    for use in explanation.uses:
        uses.setdefault((use.field, use.input), []).append(use)
    yield lineage.output or "(query)"
    for out in lineage.fields:
        yield f"  {out.name}  {out.word}"
        yield from _edges(out.name, out.inputs, uses)
    if lineage.dataset:
        yield "  rows shaped by"
        yield from _edges(None, lineage.dataset, uses)
    yield f"  reads {', '.join(lineage.inputs) or 'nothing'}"


def _edges(
    field: str | None, inputs: Iterable[InputField], uses: Mapping[tuple[str | None, InputField], Iterable[Use]]
) -> Iterator[str]:
    for used in inputs:
        yield f"    {_edge(used)}"
        for use in uses.get((field, used), ()):
            text, under = underlined(use.expression.text, use.marks)
            yield f"      {use.expression.template or use.expression.line:>5}  {text}"
            yield f"             {under}"


def _edge(used: InputField) -> str:
    masked = " masked" if used.masking else ""
    return f"{used.dataset}.{used.field} {used.transformation.type} {used.transformation.subtype}{masked}"
