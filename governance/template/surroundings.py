"""The project's files → what its templates may name."""

from governance.blocks import FOLDER
from governance.policy import load_sources, load_variables
from governance.project import Project
from governance.template.model import MacroFile, Surroundings
from governance.text_file import read_text

ENDING = ".j2"


def surroundings(project: Project, tables: frozenset[str]) -> Surroundings:
    """Return what a template of ``project``, whose pipelines build ``tables``, may name.

    Raises:
        PolicyError: ``sources.toml`` or ``[vars]`` of ``lineage.toml`` is wrong.
        PipelineError: a file of macros cannot be read.
    """
    return Surroundings(
        tables=tables,
        sources=frozenset(source.table for source in load_sources(project)),
        variables=load_variables(project),
        macros=tuple(_macros(project)),
    )


def _macros(project: Project) -> list[MacroFile]:
    """Return the files of macros, by the names below their folder."""
    folder = project.root / "platform_assets" / FOLDER
    found = []
    for path in sorted(folder.rglob(f"*{ENDING}")):
        inside = path.resolve().is_relative_to(folder.resolve())
        if inside and path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            file = project.relative(path)
            found.append(MacroFile(path.relative_to(folder).as_posix(), file, read_text(path, file)))
    return found
