"""Lineage in the shapes that tests compare: the engine's as ``Expected``, and either as fixture lines."""

from governance.lineage import ColumnLineage
from tests.lineage.cases import Expected


def as_expected(lineage: ColumnLineage) -> Expected:
    """The engine's result in the shape of a fixture's."""
    return Expected(
        lineage.output,
        tuple((out.name, frozenset(tuple(edge.as_list()) for edge in out.inputs)) for out in lineage.fields),
        frozenset(tuple(edge.as_list()) for edge in lineage.dataset),
        frozenset(lineage.inputs),
    )


def told(lineage: Expected) -> str:
    """The edges as fixture lines, so that a difference reads like a fixture."""
    head = [] if lineage.output is None else [f"--> [{lineage.output}]"]
    rows = [(name, edge) for name, edges in lineage.fields for edge in sorted(edges) or [()]]
    rows += [("*", edge) for edge in sorted(lineage.dataset)]
    lines = [f"--> {name}" + (f"  {e[0]}.{e[1]}  {e[2]} {e[3]}{' MASKED' * e[4]}" if e else "") for name, e in rows]
    return "\n".join([*head, *lines, *(f"--> reads {name}" for name in sorted(lineage.inputs))])
