"""Synthetic platforms: the same each time, and their edges are what Headwater reads in their SQL."""

from pathlib import Path

import pytest

from bench.large_forms import FORMS, sql
from bench.large_project import write_project
from bench.large_table import Table
from bench.large_tables import edges, tables
from governance.lineage import column_lineage
from governance.project import project_at
from platform_assets.side import side_of_project

SEVERAL = 60


def test_a_platform_is_the_same_each_time() -> None:
    assert [sql(it) for it in tables(SEVERAL, 7) if it.form] == [sql(it) for it in tables(SEVERAL, 7) if it.form]
    assert [it.name for it in tables(SEVERAL, 7)] != [it.name for it in tables(SEVERAL, 8)]


@pytest.mark.parametrize("pipelines", [1, 3, SEVERAL])
def test_a_platform_has_as_many_pipelines_as_asked_each_after_what_it_reads(pipelines: int) -> None:
    platform = tables(pipelines)
    assert sum(bool(it.form) for it in platform) == pipelines
    assert [it.place for it in platform] == [*range(len(platform))]
    assert len({it.name for it in platform}) == len(platform)
    assert all(one.place < it.place for it in platform for one in it.inputs)


def test_every_form_stands_in_a_platform_and_wide_tables_do() -> None:
    platform = tables(2 * SEVERAL)
    assert {it.form for it in platform} == {"", *FORMS}
    assert any(len(it.columns) > 80 for it in platform)


def test_the_edges_of_a_table_are_those_that_its_sql_has() -> None:
    platform = tables(SEVERAL, 3)
    schema = {it.name: dict(it.columns) for it in platform}
    for table in platform:
        if table.form:
            (read,) = column_lineage(sql(table), schema)
            assert {tuple(it) for it in edges(table)} == _edges(read.as_dict(), table), table.name


def _edges(read: dict[str, object], table: Table) -> set[tuple[object, ...]]:
    fields, rows = read["fields"], read["dataset"]
    assert isinstance(fields, dict)
    assert isinstance(rows, list)
    found = {(it[0], it[1], table.name, out, *it[2:4]) for out, its in fields.items() for it in its}
    return found | {(it[0], it[1], table.name, None, *it[2:4]) for it in rows}


def test_a_written_platform_is_a_project_that_can_be_read_whole(tmp_path: Path) -> None:
    platform = tables(SEVERAL)
    write_project(tmp_path, platform)
    side = side_of_project(project_at(tmp_path))
    assert not side.program.unreadable
    assert {it.pipeline.table for it in side.program.statements} == {it.name for it in platform if it.form}
    assert {it.table for it in side.sources} == {it.name for it in platform if not it.form}
    assert {tuple(side.program.schemas[it.name]) for it in platform} == {
        tuple(name for name, _ in it.columns) for it in platform
    }
    assert not side.program.undetermined
