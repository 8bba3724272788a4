"""The project's files → Pipelines."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from governance.block import BlockKind
from governance.blocks import Library, load_library
from governance.errors import PipelineError
from governance.include import with_includes
from governance.pipeline import Pipeline, parse_pipeline
from governance.project import Project, elsewhere
from governance.template.marks import TEMPLATE, is_template
from governance.template.model import Surroundings
from governance.template.surroundings import surroundings
from governance.text_file import read_text

TABLE = re.compile(r"(?P<schema>[a-z][a-z0-9_]*)/(?P<name>[a-z][a-z0-9_]*)\.sql(?:\.j2)?")


@dataclass(frozen=True, slots=True)
class _File:
    """One file of a pipeline folder; ``shown`` is its path as it may be shown."""

    path: Path
    shown: str


def load_pipelines(project: Project) -> tuple[Pipeline, ...]:
    """Return the project's pipelines, sorted by table; a later folder's file replaces its namesake.

    One whose text or header is wrong is among them with its problem: the others are none the worse for it.

    Raises:
        PipelineError: a file's path names no table, or the project has no pipeline folder.
            Or a file of building blocks cannot be read, or is wrong and names none.
        PolicyError: ``sources.toml`` is wrong, or what templates may name.
    """
    found = _files(project)
    around = cache(partial(surroundings, project, frozenset(found)))
    library = load_library(project, frozenset(found))
    loaded = {table: _with_blocks(_load(table, found[table], around), library) for table in sorted(found)}
    return tuple(with_includes(loaded).values())


def on_blocks(project: Project, pipeline: Pipeline) -> Pipeline:
    """Return a pipeline of whatever text with the project's building blocks that it may name, as one of its own has.

    Raises:
        PipelineError: as ``load_pipelines`` does.
        PolicyError: ``sources.toml`` is wrong.
    """
    return _with_blocks(pipeline, load_library(project, tables_of(project)))


def _with_blocks(pipeline: Pipeline, library: Library) -> Pipeline:
    """Return the pipeline with the building blocks that its text may name; one that does not stand is its problem."""
    if pipeline.problem is not None or not (library.blocks or library.broken):
        return pipeline
    try:
        macros = tuple(it.name for it in library.blocks if it.kind is BlockKind.MACRO)
        return replace(pipeline, blocks=library.named_by(pipeline), macros=macros)
    except PipelineError as error:
        return replace(pipeline, problem=error)


def tables_of(project: Project) -> frozenset[str]:
    """Return the tables that the project's pipelines build, by their files' paths alone.

    Raises:
        PipelineError: a file's path names no table, or the project has no pipeline folder.
    """
    return frozenset(_files(project))


def _files(project: Project) -> Mapping[str, tuple[_File, ...]]:
    folders = [folder for folder in project.pipelines if folder.is_dir()]
    if not folders:
        missing = project.relative(project.pipelines[0])
        raise PipelineError(missing, None, "there is no such folder", fix=f"make it{elsewhere()}")
    found: dict[str, tuple[_File, ...]] = {}
    wrong: list[PipelineError] = []
    for folder in folders:
        found |= _in_folder(project, folder, wrong)
    if wrong:
        raise _together(*wrong)
    return found


def _together(first: PipelineError, *others: PipelineError) -> PipelineError:
    """Return one error that has a line for each, so that nobody learns of the next by the next try."""
    return PipelineError(first.file, None, first.problem, fix="\n".join((first.fix, *map(str, others))))


def _in_folder(project: Project, folder: Path, wrong: list[PipelineError]) -> Mapping[str, tuple[_File, ...]]:
    """Return the files of each table, more than one an error of that pipeline's; ``wrong`` gets paths of no table."""
    found: dict[str, tuple[_File, ...]] = {}
    for inside in sorted(_texts(folder), key=lambda it: it.split("/")):
        path = folder / inside
        file = _File(path, project.relative(path))
        try:
            table = _table(folder, inside, file.shown)
        except PipelineError as error:
            wrong.append(error)
            continue
        found[table] = (*found.get(table, ()), file)
    return found


def _texts(folder: Path, above: str = "") -> Iterator[str]:
    """Yield the paths in ``folder`` that end as a pipeline's does; what begins with a dot is none of them."""
    with suppress(PermissionError), os.scandir(folder / above) as there:
        for it in there:
            if it.name.startswith("."):
                continue
            if it.name.lower().endswith((".sql", TEMPLATE)):
                yield f"{above}{it.name}"
            if it.is_dir(follow_symlinks=False):
                yield from _texts(folder, f"{above}{it.name}/")


def _load(table: str, files: tuple[_File, ...], around: Callable[[], Surroundings]) -> Pipeline:
    file, text = files[-1], ""
    try:
        _require_one(files)
        text = read_text(file.path, file.shown)
        if is_template(file.path.name, text):
            return _rendered(table, file.shown, text, around())
        return parse_pipeline(table, file.shown, text)
    except PipelineError as error:
        return Pipeline(table, file.shown, text, problem=error)


def _require_one(files: tuple[_File, ...]) -> None:
    first, last = files[0].shown, files[-1].shown
    if first != last:
        raise PipelineError(last, None, f"{first} gives the same table", fix="keep one of the two")


def _rendered(table: str, file: str, text: str, around: Surroundings) -> Pipeline:
    # a project without templates does not wait for Jinja
    from governance.template.pipeline import rendered_pipeline  # noqa: PLC0415

    return rendered_pipeline(table, file, text, around)


def _table(folder: Path, inside: str, file: str) -> str:
    match = TABLE.fullmatch(inside)
    if match is None:
        fix = "name it <schema>/<table>.sql in lower-case letters, digits and underscores, each beginning with a letter"
        raise PipelineError(file, None, "the path does not name a table", fix=fix)
    path = folder / inside
    # the folders on the way are none that lead elsewhere
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        raise PipelineError(file, None, "the file lies outside the pipelines folder", fix="put the file itself here")
    return f"{match['schema']}.{match['name']}"
