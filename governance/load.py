"""The project's files → Pipelines."""

import re
from collections.abc import Iterator
from pathlib import Path

from governance.errors import PipelineError
from governance.pipeline import Pipeline, parse_pipeline
from governance.project import Project

TABLE = re.compile(r"(?P<schema>[a-z][a-z0-9_]*)/(?P<name>[a-z][a-z0-9_]*)\.sql")


def load_pipelines(project: Project) -> tuple[Pipeline, ...]:
    """Return the project's pipelines, sorted by table; a later folder's file replaces its namesake.

    One whose text or header is wrong is among them with its problem: the others are none the worse for it.

    Raises:
        PipelineError: a file's path names no table, or the project has no pipeline folder.
    """
    folders = [folder for folder in project.pipelines if folder.is_dir()]
    if not folders:
        raise PipelineError(project.pipelines[0], None, "there is no such folder", fix="make it, or set HEADWATER_ROOT")
    found: dict[str, Pipeline] = {}
    for folder in folders:
        found |= {pipeline.table: pipeline for pipeline in _in_folder(project, folder)}
    return tuple(found[table] for table in sorted(found))


def _in_folder(project: Project, folder: Path) -> Iterator[Pipeline]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.suffix.lower() == ".sql" and not any(part.startswith(".") for part in parts):
            file = project.relative(path)
            yield _load(_table(folder, path, file), path, file)


def _load(table: str, path: Path, file: str) -> Pipeline:
    sql = ""
    try:
        sql = _text(path, file)
        return parse_pipeline(table, file, sql)
    except PipelineError as error:
        return Pipeline(table, file, sql, problem=error)


def _table(folder: Path, path: Path, file: str) -> str:
    match = TABLE.fullmatch(path.relative_to(folder).as_posix())
    if match is None:
        fix = "name it <schema>/<table>.sql in lower-case letters, digits and underscores, each beginning with a letter"
        raise PipelineError(file, None, "the path does not name a table", fix=fix)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise PipelineError(file, None, "the file lies outside the pipelines folder", fix="put the file itself here")
    return f"{match['schema']}.{match['name']}"


def _text(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise PipelineError(file, line, "the text is not UTF-8", fix="save the file as UTF-8") from None
    except OSError as error:
        raise PipelineError(file, None, f"it cannot be read: {error.strerror}", fix="make it a readable file") from None
