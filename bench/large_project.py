"""A synthetic platform as a project's folder: ``python -m bench.large_project FOLDER 1000``.

What stands in the folder is what people write: a file for each pipeline, ``sources.toml``, owners and classes of the
sources and of each tenth pipeline's table in ``metadata.toml``, and ``lineage.toml``.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from bench.large_forms import sql
from bench.large_table import Table
from bench.large_tables import tables

CLASSES = {"email": "personal", "phone": "personal", "note": "personal", "balance": "sensitive"}
"""The classes of columns by the first word of their names; the others are internal."""

POLICY = """order = ["public", "internal", "personal", "sensitive"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://large"
job_namespace = "large"
"""

DECLARED = 10
"""Of so many pipelines' tables one has its classes declared."""


def write_project(root: Path, platform: Iterable[Table]) -> None:
    """Write the project of ``platform`` into ``root``, which is made; files of an earlier one are replaced.

    Raises:
        OSError: the folder cannot be written.
    """
    platform = tuple(platform)
    folder, policy = root / "platform_assets", root / "governance"
    # with a state folder, as a project has one that was run: without, no text is remembered
    for place in (folder / "pipelines", policy, root / ".headwater"):
        place.mkdir(parents=True, exist_ok=True)
    for schema in {it.name.partition(".")[0] for it in platform if it.form}:
        (folder / "pipelines" / schema).mkdir(exist_ok=True)
    for table in platform:
        if table.form:
            pipeline_file(root, table).write_text(sql(table), encoding="utf-8")
    (folder / "sources.toml").write_text("\n".join(_source(it) for it in platform if not it.form), encoding="utf-8")
    declared = (it for it in platform if not it.form or it.place % DECLARED == 0)
    (policy / "metadata.toml").write_text("\n".join(map(_metadata, declared)), encoding="utf-8")
    (policy / "lineage.toml").write_text(POLICY, encoding="utf-8")


def pipeline_file(root: Path, table: Table) -> Path:
    """Return where the SQL of a table's pipeline stands in the project at ``root``."""
    return root / "platform_assets" / "pipelines" / f"{table.name.replace('.', '/')}.sql"


def class_of(column: str) -> str:
    """Return the class that people declare for a column of this name."""
    return CLASSES.get(column.partition("_")[0], "internal")


def _source(table: Table) -> str:
    columns = "".join(f'columns.{name} = "{kind}"\n' for name, kind in table.columns)
    return f'["{table.name}"]\ndescription = "As it arrives."\n{columns}'


def _metadata(table: Table) -> str:
    columns = "".join(f'columns.{name} = {{ classification = "{class_of(name)}" }}\n' for name, _ in table.columns)
    return f'["{table.name}"]\nowner = "{table.owner}"\n{columns}'


if __name__ == "__main__":
    write_project(Path(sys.argv[1]), tables(int(sys.argv[2])))
