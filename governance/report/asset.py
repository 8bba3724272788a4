"""What an asset's page says beside its columns: whom a change of it reaches, and which classes it must carry."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from governance.classification import Proposal, declared, propose
from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph
from governance.impact import Facts, Impact, Ranked, impact, ranked
from governance.landing.kinds import kinds_of
from governance.policy import Policy
from governance.report.picture import Link, Picture, Stroke, picture
from governance.report.svg import markdown_image
from governance.report.table import markdown, markdown_table

SHOWN = 25
"""Tables listed in Dagster; ``headwater impact`` lists all."""

DECIDING = 3
"""Edges drawn for each column whose class they decide; ``headwater propose --format json`` has all."""


@dataclass(frozen=True, slots=True)
class Page:
    """One part of an asset's page as Markdown: ``text`` is short enough to be read in place; either may be empty."""

    text: str
    image: str

    @property
    def whole(self) -> str:
        """Return the picture above what it shows."""
        return "\n\n".join(filter(None, (self.image, self.text)))


def impact_page(graph: Graph, policy: Policy, facts: Facts, table: str) -> Page:
    """Return what a change of ``table`` reaches: a sentence and the tables; drawn, what its readers make of it."""
    dataset = policy.lineage.dataset(table)
    found = impact(graph, dataset)
    reached = ranked(found, facts)
    parts = [markdown(_sentence(found))]
    if reached:
        parts.append(markdown_table(("Table", "What changes", "Columns", "Hops", "Owner"), map(_row, reached[:SHOWN])))
    if len(reached) > SHOWN:
        parts.append(f"and {len(reached) - SHOWN} more tables: `headwater impact` lists all")
    drawn = impact_picture(graph, policy, dataset)
    return Page("\n\n".join(parts), markdown_image(drawn, f"What reads {table}") if drawn.right else "")


def proposal_page(graph: Graph, policy: Policy, table: str, today: date) -> Page:
    """Return the class that lineage proposes for each column of ``table`` and what decided it.

    Empty where no job is known to write the table.
    """
    dataset = policy.lineage.dataset(table)
    found = {field: it for field, it in propose(graph, policy, today=today).items() if field.dataset == dataset}
    if not found:
        return Page("", "")
    rows = (
        (field.name, declared(policy, field) or "", it.classification or "unknown", it.reason.removeprefix("from "))
        for field, it in found.items()
    )
    drawn = proposal_picture(found, policy)
    image = markdown_image(drawn, f"What decides the classes of {table}") if drawn.wires else ""
    return Page(markdown_table(("Column", "Declared", "Proposed", "Decided by"), rows), image)


def impact_picture(graph: Graph, policy: Policy, dataset: Dataset) -> Picture:
    """Return ``dataset`` at the left and, at the right, what the jobs that read it make of it, one hop away.

    A file stands there with its kinds of record.
    """
    own = {dataset, *kinds_of(dataset, graph.fields)}
    edges = [edge for edge in graph.edges if edge.source.dataset in own]
    told = {_dataset(edge) for edge in edges}
    flows = (flow for flow in graph.flows if flow.source in own and flow.target not in told)
    return picture([*map(_link, edges), *map(_flow, flows)], _classes(policy), {})


def proposal_picture(proposals: Mapping[Field, Proposal], policy: Policy) -> Picture:
    """Return the columns that decide at the left, the columns that they decide at the right, with both classes."""

    def class_of(table: str, column: str) -> str | None:
        own = next((it for it in proposals if it.dataset.name == table and it.name == column), None)
        said = policy.column(table, column).classification
        proposed = proposals[own].classification if own else None
        return f"{said or 'none'} → {proposed}" if proposed and proposed != said else said

    columns: dict[str, tuple[str, ...]] = {}
    for field in proposals:
        columns[field.dataset.name] = (*columns.get(field.dataset.name, ()), field.name)
    return picture(_deciding(proposals), class_of, columns)


def _deciding(proposals: Mapping[Field, Proposal]) -> Iterator[Link]:
    for field, proposal in proposals.items():
        # a class that came with the rows is drawn into the column that must carry it
        for edge in proposal.decided_by[:DECIDING]:
            stroke = Stroke.VALUE if edge.transformation.direct else Stroke.STEERS
            yield Link((edge.source.dataset.name, edge.source.name), (field.dataset.name, field.name), stroke)


def _link(edge: Edge) -> Link:
    target = (
        (edge.target.dataset.name, edge.target.name) if isinstance(edge.target, Field) else (edge.target.name, None)
    )
    stroke = Stroke.VALUE if edge.transformation.direct else Stroke.STEERS
    return Link((edge.source.dataset.name, edge.source.name), target, stroke, edge.masking)


def _flow(flow: Flow) -> Link:
    return Link((flow.source.name, None), (flow.target.name, None), Stroke.ROWS)


def _dataset(edge: Edge) -> Dataset:
    return edge.target.dataset if isinstance(edge.target, Field) else edge.target


def _classes(policy: Policy) -> Callable[[str, str], str | None]:
    return lambda table, column: policy.column(table, column).classification


def _sentence(found: Impact) -> str:
    values, rows = len(found.values), len(found.tables)
    unknown = f", {len(found.unknown)} unknown for want of column lineage" if found.unknown else ""
    return (
        f"A change here reaches {values} column{'s' * (values != 1)} by value and the rows of {rows} "
        f"table{'s' * (rows != 1)}{unknown}. {found.statement}."
    )


def _row(it: Ranked) -> tuple[str, ...]:
    what = {"value": "values", "rows": "rows", "population": "steered", "unknown": "unknown"}[it.arrives]
    return it.dataset.name, what, str(it.columns), str(len(it.first.path)), it.owner or ""
