"""The scratch database holds no table in memory: what is larger than its limit is built and compared all the same."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

from pathlib import Path

import duckdb
import pytest

from governance.pipeline import Pipeline
from governance.statement import parse
from platform_assets.engines import scratch as module
from platform_assets.engines.engine import Column, Files
from platform_assets.engines.room import Readable
from platform_assets.engines.scratch import AFTER, BEFORE, scratch

ROWS = 800_000
LIMIT = "64MB"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A table that is some 80 MB once it is read."""
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    with duckdb.connect(":memory:") as connection:
        wide = f"select i as id, md5(i::varchar) || md5((i + 1)::varchar) as word from range({ROWS}) t(i)"
        connection.execute(f"copy ({wide}) to '{path}' (format parquet, field_ids {{id: 1, word: 2}})")
    return Files((str(path),), (Column(1, "id", "BIGINT"), Column(2, "word", "VARCHAR")))


def readable(sql: str) -> Readable:
    statement = parse(Pipeline("m.copy", "copy.sql", sql))
    return Readable(statement, statement.query)


@pytest.mark.parametrize("key", [("id",), pytest.param((), marks=pytest.mark.prove)])
def test_a_table_larger_than_the_memory_is_compared(
    large: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: tuple[str, ...]
) -> None:
    monkeypatch.setattr(module, "MEMORY", LIMIT)
    query = (
        "create table m.copy as select id, case when id % 100000 = {} then 'other' else word end as word from s.large"
    )
    with scratch(tmp_path, [large]) as room:
        room.give("s.large", large, None, [])
        for side, rest in ((BEFORE, -1), (AFTER, 7)):
            room.build(side, readable(query.format(rest)))
        found = room.revisions.compare("m.copy", key, (), tolerance=0.0)
    assert (found.before, found.after, found.same) == (ROWS, ROWS, ROWS - 8)
    assert (found.changed, found.added) == ((8, 0) if key else (0, 8))
