"""The command that shows what a template writes: ``cli`` adds ``COMMANDS`` to its own."""

from difflib import get_close_matches
from pathlib import Path

import click

from governance.errors import UnknownField
from governance.pipeline import Pipeline
from governance.project import Project, find_project


@click.command()
@click.argument("name", metavar="TABLE|FILE")
def render(name: str) -> None:
    """Show the SQL that a pipeline's template writes: what runs, and what its lineage is read from.

    TABLE is schema.table; FILE a template inside or outside of the project's folders. Exit code 1 where it cannot be
    rendered.
    """
    project = find_project()
    sql = shown(project, name)
    click.echo(sql, nl=not sql.endswith("\n"))


def shown(project: Project, name: str) -> str:
    """Return the SQL of a table's pipeline, or of a file.

    Raises:
        UnknownField: no pipeline builds such a table, and there is no such file.
        PipelineError: it cannot be rendered.
    """
    from governance.load import load_pipelines
    from governance.text_file import read_text

    pipelines = {it.table: it for it in load_pipelines(project)}
    if name in pipelines:
        return _sound(pipelines[name]).sql
    if not Path(name).is_file():
        near = get_close_matches(name, pipelines, n=3) or sorted(pipelines)
        problem = f"no pipeline builds {name}, and there is no such file"
        raise UnknownField(problem, fix=f"name one of {', '.join(near)}")
    return rendered(project, name, read_text(Path(name), name)).sql


def rendered(project: Project, file: str, text: str) -> Pipeline:
    """Return ``text`` of ``file`` as a pipeline without a header's words, rendered where it is a template.

    Its table is the one that the project's folders give it, else the file's own name; what stands outside of them is no
    pipeline, and its query stays as it is.

    Raises:
        PipelineError: it cannot be rendered.
    """
    from governance.load import tables_of
    from governance.template.marks import is_template
    from governance.template.surroundings import surroundings

    table = table_of(project, file)
    if not is_template(file, text):
        return Pipeline(table or job_of(file), file, text)
    from governance.template.render import render as render_text

    made = render_text(text, file, table, surroundings(project, tables_of(project)))
    return Pipeline(table or job_of(file), file, made.sql, origin=made.origin, template=made.template)


def table_of(project: Project, file: str) -> str | None:
    """Return the table of a file in one of the project's pipeline folders, None for one outside of them."""
    path = Path(file).resolve()
    folder = next((it for it in project.pipelines if path.is_relative_to(it)), None)
    return ".".join((*path.relative_to(folder).parent.parts, job_of(file))) if folder else None


def job_of(file: str) -> str:
    """Return a file's name without the endings that say how it is written."""
    name = Path(file).name
    return name.removesuffix(".j2").removesuffix(".sql") if name.endswith((".sql", ".sql.j2")) else Path(file).stem


def _sound(pipeline: Pipeline) -> Pipeline:
    if pipeline.problem is not None:
        raise pipeline.problem
    return pipeline


COMMANDS: tuple[click.Command, ...] = (render,)
