"""The command that reads lineage out of SQL: ``cli`` adds ``COMMANDS`` to its own."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from governance.errors import HeadwaterError, LineageError, PipelineError, UnknownFunction
from governance.project import Project, find_project

if TYPE_CHECKING:
    from governance.events.facets import Naming
    from governance.events.static import StaticJob
    from governance.lineage import ColumnLineage
    from governance.lineage.model import Explanation
    from governance.pipeline import Pipeline

    _Stand = Callable[[Project, str, str], Pipeline]

Path_ = click.Path(path_type=Path, exists=True)


@dataclass(frozen=True, slots=True)
class _Read:
    """A text that was read; ``job`` makes it a job for events, since only those need to know more of it."""

    lineages: "tuple[ColumnLineage, ...]"
    explanations: "tuple[Explanation, ...]"
    job: "Callable[[], StaticJob]"


def _text_form(_project: Project, read: Sequence[_Read]) -> str:
    from governance.report.lineage import lineage_text

    return lineage_text(it for one in read for it in one.lineages)


def _explained_form(_project: Project, read: Sequence[_Read]) -> str:
    from governance.report.lineage import explained_text

    pairs = (zip(one.lineages, one.explanations, strict=True) for one in read)
    return explained_text(pair for of_one in pairs for pair in of_one)


def _json_form(_project: Project, read: Sequence[_Read]) -> str:
    return json.dumps([it.as_dict() for one in read for it in one.lineages], indent=2, ensure_ascii=False)


def _events_form(project: Project, read: Sequence[_Read]) -> str:
    from governance.events.static import ndjson, static_events

    how = _naming(project)
    return "\n".join(ndjson(event for one in read for event in static_events(one.job(), *how)))


def _declared_form(project: Project, read: Sequence[_Read]) -> str:
    from governance.events.static import declared_events, ndjson

    how = _naming(project)
    return "\n".join(ndjson(event for one in read for event in declared_events(one.job(), *how)))


def _naming(project: Project) -> "tuple[Naming, datetime]":
    from governance.events.facets import Naming
    from governance.policy import load_policy

    policy = load_policy(project).lineage
    return Naming(policy.namespace, policy.job_namespace, policy.files), datetime.now(UTC)


FORMATS: Mapping[str, Callable[[Project, Sequence[_Read]], str]] = {
    "text": _text_form,
    "json": _json_form,
    "openlineage": _events_form,
    "declared": _declared_form,
}


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option("--all", "everything", is_flag=True, help="Every pipeline of the project, in place of FILEs.")
@click.option(
    "--output", "-o", metavar="PATH", help="Write there, - for standard output; as events unless --format says."
)
@click.option("--schema", type=Path_, help="JSON: {table: {column: type}}. Default: the project's own.")
@click.option("--dialect", default="duckdb", show_default=True)
@click.option("--format", "form", type=click.Choice(FORMATS), help="Default: text, or openlineage where -o is given.")
@click.option("--explain", is_flag=True, help="Show under each edge the SQL that made it (as text).")
def lineage(  # one parameter an option
    *,
    files: tuple[str, ...],
    everything: bool,
    output: str | None,
    schema: Path | None,
    dialect: str,
    form: str | None,
    explain: bool,
) -> None:
    """Show the column lineage of SQL files; - reads standard input. Exit code 1 where one is refused.

    No data is read, and no table need exist. openlineage is START and COMPLETE of one run id for each text, declared
    what jobs and datasets declare, with the lineage facet, tied to no run.
    """
    if bool(files) is everything:
        raise click.UsageError("name FILEs, or --all")
    if everything and (schema or dialect != "duckdb"):
        raise click.UsageError("--all reads the project's own pipelines: leave out --schema and --dialect")
    shown = form or ("openlineage" if output else "text")
    if explain and shown != "text":
        raise click.UsageError(f"--explain is shown as text: leave out --format {shown}")
    project = find_project()
    refused: list[str] = []
    found = (
        _pipelines(project, refused, explain=explain)
        if everything
        else _files(project, files, schema, dialect, refused, explain=explain)
    )
    read = list(found)
    for problem in refused:
        click.echo(f"Error: {problem}".rstrip(), err=True)
    if read:
        _write(output, (_explained_form if explain else FORMATS[shown])(project, read))
    sys.exit(1 if refused else 0)


def _files(
    project: Project, files: tuple[str, ...], schema: Path | None, dialect: str, refused: list[str], *, explain: bool
) -> Iterator[_Read]:
    from governance.events.static import of_text
    from governance.lineage import column_lineage
    from governance.lineage.explain import explain as explained
    from governance.template.explained import at_home

    tables, stands = (_schema_file(schema), _alone) if schema else _of_project(project, dialect)
    for file in files:
        text = sys.stdin.read() if file == "-" else _text(Path(file))
        try:
            pipeline = stands(project, file, text)
        except (PipelineError, UnknownFunction) as error:
            refused.append(str(error))
            continue
        try:
            found = column_lineage(pipeline.sql, tables, dialect=dialect, prelude=pipeline.blocks)
            told = explained(pipeline.sql, tables, dialect=dialect, prelude=pipeline.blocks) if explain else ()
        except LineageError as error:
            refused.append(_refusal(pipeline, text, error))
            continue
        yield _Read(
            found, tuple(at_home(it, pipeline) for it in told), partial(of_text, pipeline.job, pipeline.sql, found)
        )


def _alone(project: Project, file: str, text: str) -> "Pipeline":
    """Return a text that no building block of the project stands before."""
    from platform_assets.commands.render import rendered

    return rendered(project, file, text)


def _of_project(project: Project, dialect: str) -> "tuple[Mapping[str, Mapping[str, str]], _Stand]":
    """Return the columns of the project's tables, and how a text stands in it: with the blocks that it may name."""
    from governance.load import on_blocks
    from platform_assets.commands.render import rendered, table_of
    from platform_assets.side import side_of_project

    side = side_of_project(project)
    if dialect != "duckdb":
        return side.program.schemas, _alone
    own = {it.table: it for it in side.pipelines}

    def stands(project: Project, file: str, text: str) -> "Pipeline":
        made = rendered(project, file, text)
        pipeline = own.get(table_of(project, file) or "") or on_blocks(project, made)
        if pipeline.problem:
            raise pipeline.problem
        unread = side.program.unreadable.get(pipeline.table)
        # of any other text, whoever runs it knows which functions there are
        if isinstance(unread, UnknownFunction) and pipeline.sql == made.sql:
            raise unread
        return replace(made, blocks=pipeline.blocks)

    return side.program.schemas, stands


def _refusal(pipeline: "Pipeline", text: str, error: LineageError) -> str:
    """Return the error with its place in the file, and the file's line."""
    from governance.report.place import caret

    if error.pipeline:
        # it is in a building block
        return str(error)
    if error.line is not None:
        error.line, error.column = pipeline.place(error.line, error.column)
    return f"{pipeline.file}:{error}\n{caret(text, error)}"


def _pipelines(project: Project, refused: list[str], *, explain: bool) -> Iterator[_Read]:
    """Yield the project's pipelines; one that is refused is in it, without lineage: its events say why."""
    from platform_assets.changes.static import explanations, static_jobs
    from platform_assets.side import side_of_project

    side = side_of_project(project)
    for job in static_jobs(project, side):
        if job.problem and job.problem not in refused:
            # what several pipelines build on is told once
            refused.append(job.problem)
        found = side.program.lineages.get(job.name)
        told = explanations(side, job.name) if explain else ()
        yield _Read((found,) if found else (), told, partial(_itself, job))


def _itself(job: "StaticJob") -> "StaticJob":
    return job


def _write(output: str | None, text: str) -> None:
    if output in (None, "-"):
        click.echo(text)
        return
    path = Path(output)
    beside = path.with_name(f".{path.name}.new")
    try:
        # whole or not at all: a reader must not take half an export for all of it
        beside.write_text(f"{text}\n", "utf-8")
        beside.replace(path)
    except OSError as error:
        raise HeadwaterError(
            f"{output} cannot be written: {error.strerror}", fix="name a file in a folder that is there"
        ) from error


def _schema_file(path: Path) -> Mapping[str, Mapping[str, str]]:
    try:
        found = json.loads(_text(path))
    except ValueError as error:
        raise HeadwaterError(f"{path}: not JSON: {error}", fix='write {"schema.table": {"column": "type"}}') from error
    columns = list(found.values()) if isinstance(found, dict) else [None]
    if not all(isinstance(it, dict) and all(isinstance(kind, str) for kind in it.values()) for it in columns):
        raise HeadwaterError(f"{path}: not a schema", fix='write {"schema.table": {"column": "type"}}')
    return dict(found)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise HeadwaterError(
            f"{path} cannot be read: {error}", fix="name a readable UTF-8 file, or - for input"
        ) from error


COMMANDS: tuple[click.Command, ...] = (lineage,)
