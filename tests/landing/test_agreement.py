"""What lineage takes a file's datasets to be, and what the engine makes of the same declaration: one set of columns."""

import tomllib
from pathlib import Path

import duckdb

from governance.landing.model import FileSource
from governance.landing.views import file_blocks
from governance.lineage import column_lineage
from governance.policy_file import Section
from governance.project import project_at
from governance.sources import Source, sources_in
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import create_landing
from platform_assets.engines.sql import quoted
from platform_assets.landing.find import find, staged

SOURCES = """
[locations.landing]
at = "in"

["landing/a.csv"]
filename = "file"
columns.x = "bigint"

["landing/a.json"]
filename = "file"
columns.x = "bigint"

["landing/fixed.txt"]
format = "fixed"
filename = "file"
columns.x = { type = "bigint", at = [1, 2] }

["landing/kinds.txt"]
format = "fixed"
record_type = [1, 1]
filename = "file"
records.h = { value = "H", columns = { k = { type = "bigint", at = [2, 3] }, a = { type = "bigint", at = [4, 4] } } }
records.d = { value = "D", columns = { b = { type = "date", at = [4, 11] }, k = { type = "bigint", at = [2, 3] } } }

["landing/kinds.csv"]
records.h = { value = "H", columns = { k = "bigint", a = "varchar" } }
records.d = { value = "D", columns = { b = "bigint", k = "bigint" } }

["landing/doc.json"]
filename = "file"
rows = "body"
columns.x = "bigint"
sections.header.day = "date"
sections.trailer.count = "bigint"

["landing/rows.json"]
rows = "body"
columns.x = "bigint"
"""
FILES = {
    "a.csv": "x\n1\n",
    "a.json": '{"x": 1}\n',
    "fixed.txt": "12\n",
    "kinds.txt": "H123\nD1220240101\n",
    "kinds.csv": "H,1,x\nD,2,3\n",
    "doc.json": '{"header": {"day": "2024-01-01"}, "body": [{"x": 1}], "trailer": {"count": 1}}',
    "rows.json": '{"body": [{"x": 1}]}',
}


def in_engine(folder: Path, files: FileSource, connection: duckdb.DuckDBPyConnection) -> None:
    project = project_at(folder)
    found = find(project, files)
    with staged(project, found) as paths:
        landing = Landing(files, paths, tuple(it.shown for it in found))
        create_landing(connection, f"main.{quoted(files.name)}", landing)


def in_lineage(sources: tuple[Source, ...], table: str) -> list[str]:
    schema = {it.table: dict(it.columns) for it in sources}
    query = f"select * from {quoted(table)}"  # noqa: S608  # it is quoted
    (lineage,) = column_lineage(query, schema, prelude=file_blocks(sources))
    return [it.name for it in lineage.fields]


def test_every_dataset_has_the_columns_that_the_engine_reads(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in FILES.items():
        (tmp_path / "in" / name).write_text(text)
    sources = sources_in(Section("sources.toml", "", tomllib.loads(SOURCES)))
    assert len(sources) == len(FILES) + 4
    with duckdb.connect() as connection:
        for source in sources:
            if source.files is not None and source.table == source.files.name:
                in_engine(tmp_path, source.files, connection)
        for source in sources:
            described = connection.execute(f"describe main.{quoted(source.table)}").fetchall()
            assert [it[0] for it in described] == in_lineage(sources, source.table)
