"""What DuckDB says of a broken file is told in one sentence, and what raised it is not told with it: it has paths."""

from pathlib import Path

import duckdb
import pytest

from governance.errors import HeadwaterError, LandingError
from governance.landing.model import Format
from platform_assets.engines.engine import Query, QueryError
from platform_assets.engines.result import told
from platform_assets.engines.shape import check_shape
from tests.engines.landed import landed, read, source


def alone(error: HeadwaterError, folder: Path) -> bool:
    return error.__cause__ is None and error.__suppress_context__ and str(folder) not in str(error)


@pytest.mark.parametrize("form", [Format.PARQUET, Format.JSON])
def test_a_broken_file(tmp_path: Path, form: Format) -> None:
    landing = landed(tmp_path, source("a.x", form, {"a": "bigint"}), {"a.x": '[{"a": 1}, {"a": secret'})
    with duckdb.connect() as connection, pytest.raises(LandingError, match=r"landing/a\.x cannot be read") as raised:
        check_shape(connection, landing)
    assert alone(raised.value, tmp_path)


def test_mixed_line_ends(tmp_path: Path) -> None:
    declared = source("a.csv", Format.CSV, {"a": "varchar", "b": "varchar"})
    landing = landed(tmp_path, declared, {"a.csv": 'a,b\n7,x\r\n"k",y\n'})
    said = r"^q\.sql: landing/a\.csv cannot be read: its line ends are mixed"
    with pytest.raises(QueryError, match=said) as raised, told(Query("", "q.sql"), tmp_path, [landing]):
        read("from 'landing/a.csv'", landing)
    assert alone(raised.value, tmp_path)
    assert "\n" not in str(raised.value)
