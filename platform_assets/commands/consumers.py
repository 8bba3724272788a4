"""The commands about consumers, coverage and query logs: ``cli`` adds ``COMMANDS`` to its own.

Each imports what it needs when it is called, so that none is slow for another's sake.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from governance.duration import EXPECTED, parse_duration
from governance.errors import HeadwaterError
from governance.project import Project, find_project
from platform_assets.commands.answer import EVENTS, FORMAT, Path_
from platform_assets.commands.asked import events_path, latest_look, warn

if TYPE_CHECKING:
    from governance.consumers.records import Records
    from governance.graph import Graph
    from governance.identity import Schemas
    from governance.names import Spelling
    from governance.policy import Policy
    from governance.queries.files import Line
    from governance.report.page import Part
    from governance.runs import Run

QUERIES = click.option("--queries", type=Path_, help="Folder of ingested query logs. Default: the project's own.")
WINDOW = click.option("--window", help="How far back query logs count, as in 90 days. Default: all that was ingested.")
AUTO = "auto"
UNQUOTED = str.maketrans("", "", "\"'`")


@click.command()
@EVENTS
@QUERIES
@WINDOW
@click.option("--inventory", type=Path_, help="The tables there are, one a line. Default: the project's catalog.")
@click.option("--over-time", is_flag=True, help="Show what was measured before, instead of measuring.")
@FORMAT
def coverage(  # one parameter an option
    *,
    events: Path | None,
    queries: Path | None,
    window: str | None,
    inventory: Path | None,
    over_time: bool,
    form: str,
) -> None:
    """Say how much of what there is the lineage knows: tables of the catalog, reads of the query log."""
    from governance.coverage.history import history, keep
    from governance.coverage.measure import measure, typed_inputs
    from governance.report.coverage import coverage_page, history_page

    project, now = find_project(), datetime.now(UTC)
    if over_time:
        measured = history(project.state / "coverage")
        _say(form, history_page(measured), [_plain(it) for it in measured])
        return
    records, runs = _records(project, events, queries, _since(window, now))
    typed = typed_inputs(runs(), records.graph)
    tables = _listed(inventory) if inventory else _catalog_tables(project)
    found = measure(records, tables, now, typed)
    if not (events or queries or window or inventory):
        # a figure of other events or another window would make a trend of what did not change
        keep(project.state / "coverage", found)
    _say(form, coverage_page(found), found.as_dict())


@click.command()
@click.argument("name")
@EVENTS
@QUERIES
@WINDOW
@FORMAT
def consumers(name: str, events: Path | None, queries: Path | None, window: str | None, form: str) -> None:
    """List who reads NAME, a table or table.column: by lineage, query logs, declarations and BI metadata."""
    from governance.consumers.asked import asked
    from governance.consumers.find import consumers_of
    from governance.dataset import Field
    from governance.graph.stored_graph import around, meant
    from governance.report.consumers import consumers_page

    project, now = find_project(), datetime.now(UTC)
    records, _ = _records(project, events, queries, _since(window, now))
    thing = meant(records.graph, name) or asked(name, records)
    graph = around(records.graph, thing.dataset if isinstance(thing, Field) else thing)
    found = consumers_of(thing, replace(records, graph=graph), now)
    _say(form, consumers_page(found), found.as_dict())


@click.command("ingest-queries")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--form", "export", default=AUTO, show_default=True, help="Which export it is; a wrong one lists them.")
@click.option("--dialect", default="", help="SQL dialect. Default: the export's own.")
@click.option("--schema", help="Schema in which names without one live.")
@click.option("--user", default="", help="Account of lines that name none.")
@click.option("--log", default="", help="Which log it is a part of. Default: the name of its form.")
@click.option("--from", "start", type=click.DateTime(), help="Since when the log covers, UTC. Default: its first line.")
@click.option("--to", "end", type=click.DateTime(), help="Until when. Default: its last line.")
@FORMAT
def ingest_queries(  # one parameter an option
    *,
    file: Path,
    export: str,
    dialect: str,
    schema: str | None,
    user: str,
    log: str,
    start: datetime | None,
    end: datetime | None,
    form: str,
) -> None:
    """Read a query log, NDJSON, CSV or Parquet, and keep who read which tables and columns; SQL itself is not kept.

    Exit code 1 where no line of it is one of a log.
    """
    from governance.queries.formats import NAMES
    from governance.queries.ingest import Export, ingest
    from governance.queries.model import Fate
    from governance.queries.store import QueryStore
    from governance.report.queries import ingested_page
    from platform_assets.commands.colour import counted

    if export not in (AUTO, *NAMES):
        raise HeadwaterError(f"unknown form {export!r}", fix=f"write one of {', '.join((AUTO, *NAMES))}")
    project = find_project()
    said = Export(file.name, export, dialect, schema, user, (_utc(start), _utc(end)), log)
    lines = counted(_log_lines(file), f"reading {file.name}")
    found = ingest(lines, said, _schemas(project), QueryStore(project.state / "queries"))
    _say(form, ingested_page(found), found.as_dict())
    malformed = found.fates.get(Fate.MALFORMED, 0)
    sys.exit(1 if malformed and malformed == sum(found.fates.values()) else 0)


COMMANDS: tuple[click.Command, ...] = (coverage, consumers, ingest_queries)


def _records(
    project: Project, events: Path | None, queries: Path | None, since: datetime | None
) -> "tuple[Records, Callable[[], tuple[Run, ...]]]":
    """Return what is asked, and how to read the runs that stand with all that they said."""
    from governance.consumers.declared import load_declarations
    from governance.consumers.records import Records
    from governance.identity import carried
    from governance.policy import load_policy
    from governance.queries.store import QueryStore

    policy = load_policy(project)
    catalog = None if events else latest_look(project)
    schemas = catalog.schemas(policy.lineage.namespace) if catalog else {}
    graph, runs = _graph(project, events, policy, schemas)
    log = QueryStore(queries or project.state / "queries").read()
    for problem in log.problems:
        click.echo(f"warning: {problem}", err=True)
    records = Records(graph, log.since(since) if since else log, load_declarations(project), carried(policy, schemas))
    return records, runs


def _graph(
    project: Project, events: Path | None, policy: "Policy", schemas: "Schemas"
) -> "tuple[Graph, Callable[[], tuple[Run, ...]]]":
    from governance.followed import followed_store
    from governance.graph.stored_graph import StoredGraph
    from governance.graph.whole import whole_runs

    path, spellings = events_path(project, events), policy.lineage.spellings
    stored = None if events else followed_store(path, project.state, datetime.now(UTC), spellings, schemas)
    if stored is None:
        return _whole(path, spellings, schemas)
    warn(stored.problems)
    known = stored.known()
    ran = [it for it in known.standing.said if it[0].state == "COMPLETE"]
    return StoredGraph(known), lambda: whole_runs(known, ran)


def _whole(
    path: Path, spellings: "Mapping[str, Spelling]", schemas: "Schemas"
) -> "tuple[Graph, Callable[[], tuple[Run, ...]]]":
    from governance.events.reading import read_events
    from governance.graph import build_graph
    from governance.runs import read_runs
    from governance.telling import told

    reading = read_events(path)
    warn(reading.problems)
    known = told(reading.events, spellings, schemas=schemas)
    return build_graph(known), lambda: read_runs(known)


def _catalog_tables(project: Project) -> Iterable[str]:
    from platform_assets.iceberg.catalog import inventory, open_catalog

    with open_catalog(project) as catalog:
        return inventory(catalog)


def _schemas(project: Project) -> Mapping[str, Mapping[str, str]]:
    from governance.load import load_pipelines
    from governance.policy import load_sources
    from governance.statement import read_program
    from platform_assets.iceberg.catalog import inventory, load_known, open_catalog, schema_of

    declared = read_program(load_pipelines(project), load_sources(project)).schemas
    with open_catalog(project) as catalog:
        there = {name: schema_of(table) for name, table in load_known(catalog, inventory(catalog)).items()}
    return {**declared, **there}


def _log_lines(file: Path) -> "Iterable[Line]":
    if file.suffix.lower() == ".parquet":
        from governance.queries.parquet import parquet_lines

        return parquet_lines(file)
    from governance.queries.files import lines_of

    return lines_of(file)


def _since(window: str | None, now: datetime) -> datetime | None:
    length: timedelta | None = parse_duration(window) if window else None
    if window and length is None:
        raise HeadwaterError(f"--window: {window!r} is no span of time", fix=EXPECTED)
    return now - length if length else None


def _utc(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _listed(file: Path) -> list[str]:
    """Return the tables that an inventory lists, one a line; what begins with ``#`` is said to people."""
    try:
        lines = [line.strip().translate(UNQUOTED) for line in file.read_text("utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise HeadwaterError(f"{file} cannot be read: {error}", fix="name a readable UTF-8 file") from error
    names = [(number, name) for number, name in enumerate(lines, start=1) if name and not name.startswith("#")]
    odd = next(((number, name) for number, name in names if "." not in name), None)
    if odd or not names:
        problem = f"line {odd[0]}: {odd[1]!r} is no table" if odd else "it lists no table"
        raise HeadwaterError(f"{file.name}: {problem}", fix="write one table a line, as in crm.learners")
    return [name for _, name in names]


def _plain(record: object) -> object:
    import msgspec

    return msgspec.to_builtins(record)


def _say(form: str, page: "Iterable[Part]", document: object) -> None:
    from governance.report.page import page_markdown, page_text

    if form == "json":
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo({"text": page_text, "md": page_markdown}[form](page))
