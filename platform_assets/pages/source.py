"""What the page can be of: a project that one page shows whole, or one of which it shows the tables around one.

A long store is not read whole for its page: what stands is gone on with from where it was read before, as the rules do,
and of the few runs that a part shows the events are read when it is asked for.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from governance import findings_seen
from governance.catalog_seen import seen
from governance.consumers.declared import load_declarations
from governance.dataset import Dataset
from governance.events.open import event_store
from governance.events.pieces import Problem
from governance.events.redact import secrets_of
from governance.followed import is_long
from governance.graph.build import edges_of, fields_of, flows_of
from governance.graph.model import Graph, Write
from governance.graph.stored_graph import StoredGraph
from governance.graph.whole import columns_known, whole_runs
from governance.heard import heard_of
from governance.impact.facts import facts_of
from governance.page.document import Cut, Own, Shown
from governance.page.earlier import Slot, runs_since, since_then
from governance.page.part import Part, part_around
from governance.page.tables import Tables
from governance.policy import Policy
from governance.project import Project
from governance.queries.store import QueryStore
from governance.rules.finding import Finding
from governance.runs import Run, RunDataset
from platform_assets.pages.gathered import events_page, files_of, own_of, project_page
from platform_assets.pages.proposed import proposed_in

Earlier = Callable[[Collection[Slot], datetime], tuple[Run, ...]]


@dataclass(frozen=True, slots=True)
class Source:
    """What pages are made from.

    shown:    all there is; without the runs where ``graph`` has them
    whole:    reads all there is, for whoever wants it whatever its size
    problems: what of the events could not be read
    graph:    what stands of a store that was not read whole
    earlier:  reads what jobs' runs said since a moment; of a store that was read whole all of them are there
    """

    shown: Shown
    tables: Tables
    whole: Callable[[], Shown]
    problems: tuple[Problem, ...] = ()
    graph: StoredGraph | None = None
    earlier: Earlier | None = None

    def around(self, dataset: Dataset, past: int = 0) -> Shown:
        """Return what the page shows around a table, with all runs of so many days where not all of them are there.

        Raises:
            EventStoreError: the store cannot be read.
        """
        part = part_around(self.tables, dataset)
        graph, shown = self.graph, self.shown
        since = _midnight(shown.now - timedelta(days=past)) if past and self.earlier else None
        found = _of_followed(shown, graph, part) if graph else _of_whole(shown, part)
        if since and self.earlier:
            # of what stands since before that moment nothing stood then that is not here
            slots = {(it.dataset, it.job) for it in found.graph.writes if it.dataset in part.made and it.at >= since}
            runs = self.earlier(slots, since)
            found = replace(found, runs=tuple(_together(found.runs, _writing(runs, part.made))))
        proposals = (
            proposed_in(graph, self.tables, part.tables, shown.policy, shown.now.date()) if graph else shown.proposals
        )
        findings = tuple(_of_tables(shown.findings, part.tables))
        names = {it.name for it in part.tables if shown.policy.lineage.owns(it)}
        cut = Cut(
            part,
            len(shown.findings) - len(findings),
            latest=graph is not None and not since,
            proposed=proposals is not None,
            since=since,
        )
        own = {name: shown.own[name] for name in names & shown.own.keys()}
        stale = shown.stale & part.tables
        return replace(found, proposals=proposals or {}, own=own, findings=findings, stale=stale, cut=cut)

    def opening(self) -> Shown:
        """Return what the page shows where nobody asked for a table: all of a small graph.

        Raises:
            EventStoreError: the store cannot be read.
        """
        first = self.tables.most_read() if self.tables.large else None
        return self.around(first) if first else self.shown


def page_source(project: Project, events: Path | None, now: datetime, as_of: datetime | None = None) -> Source:
    """Return what the page of the project's own store, or of ``events``, is made from.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
        EventStoreError: the store cannot be read.
    """
    if events is None and as_of is None:
        found = _followed(project, now)
        if found:
            return found
    gathered = events_page(project, events, now, as_of) if events else project_page(project, now, as_of)
    shown = gathered.shown
    columns = {dataset: tuple(it.name for it in fields) for dataset, fields in shown.graph.fields.items()}
    tables = _tables(shown.graph.writes, columns, shown.policy, shown.own)
    return Source(shown, tables, lambda: shown, gathered.reading.problems)


def _followed(project: Project, now: datetime) -> Source | None:
    """Return what stands of a long store, if it can be followed and is more than one page shows."""
    folder = event_store(project).refresh()
    if not is_long(folder):
        return None
    files = files_of(project, seen(project.state))
    lineage = files.policy.lineage
    heard = heard_of(folder, project.state, now, lineage.spellings, files.schemas)
    graph = heard.graph
    if not isinstance(graph, StoredGraph):
        return None
    own = own_of(files)
    tables = _tables(graph.writes, columns_known(graph.known), files.policy, own)
    if not tables.large:
        return None
    last = findings_seen.seen(project.state)
    log = QueryStore(project.state / "queries").read()
    shown = Shown(
        title=lineage.namespace,
        now=now,
        policy=files.policy,
        graph=graph,
        runs=(),
        findings=last.findings if last else (),
        facts=facts_of(graph, files.policy, load_declarations(project), log),
        own=own,
        stale=frozenset(files.catalog.gone(graph, lineage)) if files.catalog else frozenset(),
        dagster=files.policy.ui.dagster,
        secrets=secrets_of(),
    )
    whole = partial(_whole, project, now)
    # which names mean one thing all events say together
    read = partial(runs_since, folder, spellings=lineage.spellings, schemas=files.schemas)
    earlier = partial(_earlier, whole) if graph.known.aliases else read
    return Source(shown, tables, whole, heard.problems, graph, earlier)


def _whole(project: Project, now: datetime) -> Shown:
    return project_page(project, now).shown


def _earlier(whole: Callable[[], Shown], slots: Collection[Slot], since: datetime) -> tuple[Run, ...]:
    return since_then(whole().runs, slots, since)


def _tables(
    writes: Iterable[Write], columns: Mapping[Dataset, tuple[str, ...]], policy: Policy, own: Mapping[str, Own]
) -> Tables:
    mine = {policy.lineage.dataset(name): tuple(it.columns) for name, it in own.items()}
    both = {it: tuple(dict.fromkeys((*columns.get(it, ()), *names))) for it, names in mine.items()}
    return Tables.of(writes, {**columns, **both}, mine.keys())


def _of_whole(shown: Shown, part: Part) -> Shown:
    graph = shown.graph
    edges = tuple(it for it in graph.edges if (getattr(it.target, "dataset", it.target)) in part.made)
    writes = tuple(it for it in graph.writes if it.dataset in part.tables)
    cut = Graph(
        edges=edges,
        flows=tuple(it for it in graph.flows if it.target in part.made),
        writes=writes,
        fields={dataset: fields for dataset, fields in graph.fields.items() if dataset in part.tables},
        dropped=graph.dropped,
    )
    return replace(
        shown,
        graph=cut,
        runs=tuple(_writing(shown.runs, part.made)),
        declared=tuple(_writing(shown.declared, part.made)),
    )


def _writing(runs: Iterable[Run], made: Collection[Dataset]) -> Iterable[Run]:
    """Yield the runs that write one of ``made``, without their other outputs."""
    for run in runs:
        outputs = tuple(it for it in run.outputs if it.dataset in made)
        if outputs:
            yield replace(run, outputs=outputs)


def _of_followed(shown: Shown, graph: StoredGraph, part: Part) -> Shown:
    standing = graph.known.standing
    said = [it for it in standing.said if it[1].dataset in part.made]
    runs = whole_runs(graph.known, said)
    whole = [(run, output) for run in runs for output in run.outputs]
    edges = tuple(edges_of(sorted(whole, key=_place)))
    writes = tuple(it for it in standing.writes if it.dataset in part.tables)
    cut = Graph(
        edges=edges,
        flows=tuple(flows_of(it for it in writes if it.dataset in part.made)),
        writes=writes,
        fields=fields_of(standing, writes, (it.source for it in edges), part.tables),
        dropped=standing.dropped,
    )
    return replace(
        shown,
        graph=cut,
        runs=tuple(it for it in runs if it.state == "COMPLETE"),
        declared=tuple(it for it in runs if it.state != "COMPLETE"),
    )


def _place(said: tuple[Run, RunDataset]) -> tuple[object, ...]:
    run, output = said
    return output.dataset, run.job, run.run_id


def _together(standing: Iterable[Run], recent: Iterable[Run]) -> Iterable[Run]:
    """Return each run once: of one that stands for some of what it wrote all that it wrote."""
    return ({(it.run_id, it.job): it for it in standing} | {(it.run_id, it.job): it for it in recent}).values()


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _of_tables(findings: Iterable[Finding], tables: Collection[Dataset]) -> Iterable[Finding]:
    names = {name for it in tables for name in (it.name, f"{it.namespace}/{it.name}")}
    return (it for it in findings if it.table in names)
