"""Where a table stands among the others once its run has told: whom a change reaches, which classes it must carry."""

from collections.abc import Iterable
from datetime import datetime

from dagster import MetadataValue

from governance.catalog_seen import seen
from governance.consumers.declared import load_declarations
from governance.events.open import event_store
from governance.graph import Graph, graph_of
from governance.identity import carried
from governance.impact.facts import facts_of
from governance.policy import Policy
from governance.project import Project
from governance.queries.store import QueryStore
from governance.report.asset import impact_page, proposal_page
from governance.runs import Run, read_declared, read_runs
from governance.telling import told


def standing(
    project: Project, policy: Policy, texts: Iterable[Run], table: str, now: datetime
) -> dict[str, MetadataValue]:
    """Return the impact of a change of ``table`` and the proposals for its columns, from the events as they are now.

    ``texts`` are what the project's pipelines say that have not run yet, as ``governance.graph.stated`` gives it: on a
    platform's first night what is downstream is built last.

    Raises:
        EventStoreError: the store cannot be read.
        PolicyError: consumers.toml is wrong.
    """
    graph, known = _graph(project, policy, texts)
    facts = facts_of(graph, known, load_declarations(project), QueryStore(project.state / "queries").read())
    impact, proposal = impact_page(graph, known, facts, table), proposal_page(graph, known, table, now.date())
    # apart, because Dagster's UI shows a Markdown value of less than 1,000 characters in place, a longer one on a click
    pages = {
        "impact of a change": impact.text,
        "impact of a change, drawn": impact.image,
        "proposed classes": proposal.text,
        "proposed classes, drawn": proposal.image,
    }
    return {name: MetadataValue.md(page) for name, page in pages.items() if page}


def _graph(project: Project, policy: Policy, texts: Iterable[Run]) -> tuple[Graph, Policy]:
    # by the catalog as last looked at: a look takes longer than all of this, and the checks take one after each run
    catalog = seen(project.state)
    schemas = catalog.schemas(policy.lineage.namespace) if catalog else {}
    events = told(event_store(project).read().events, policy.lineage.spellings, schemas=schemas)
    return graph_of((*texts, *read_runs(events)), read_declared(events)), carried(policy, schemas)
