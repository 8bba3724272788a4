"""Files as they landed, through the engine itself: written as Parquet, with what did not fit beside."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from governance.errors import HeadwaterError
from governance.landing.model import FileColumn, Format
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Column, Landing, Outcome, Query, QueryError
from platform_assets.engines.shape import ShapeChanged
from tests.engines.landed import landed, source, told

ORDERS = source("orders.csv", Format.CSV, {"id": "bigint", "amount": "decimal(10, 2)"})
CONTENT = "id,amount\n1,2.5\n2,x\n3,4\n"


def write(folder: Path, query: str, landing: Landing, columns: dict[str, str]) -> tuple[list[dict[str, Any]], Outcome]:
    engine = DuckDb(lambda: duckdb.connect(config={"temp_directory": str(folder / "spill")}))
    with engine.open(Query(query, "q.sql"), {landing.source.name: landing}) as result:
        files = result.write([Column(number, *it) for number, it in enumerate(columns.items(), 1)])
        rows = [row for file in files for row in pq.read_table(file).to_pylist()]
        return rows, result.outcomes()[landing.source.name]


def test_what_fits_is_written_and_the_rest_is_told(tmp_path: Path) -> None:
    for query, ids in (
        ("select id from 'landing/orders.csv'", [1, 3]),
        ("select id from 'landing/orders.csv' limit 1", [1]),
    ):
        rows, outcome = write(tmp_path, query, landed(tmp_path, ORDERS, {"orders.csv": CONTENT}), {"id": "bigint"})
        assert [row["id"] for row in rows] == ids
        assert (outcome.rows, [it[:3] for it in told(outcome)]) == (2, [("landing/orders.csv", 3, "amount")])


def test_xml_is_read_under_the_lock(tmp_path: Path) -> None:
    declared = source("m.xml", Format.XML, {"id": FileColumn("", "bigint", path="@id")}, rows="m.row")
    landing = landed(tmp_path, declared, {"m.xml": '<m><row id="1"/><row id="x"/></m>'})
    rows, outcome = write(tmp_path, "from 'landing/m.xml'", landing, {"id": "bigint"})
    assert rows == [{"id": 1}]
    assert [it[2] for it in told(outcome)] == ["id"]


def test_a_file_of_another_shape_stops_the_query_before_it_runs(tmp_path: Path) -> None:
    with pytest.raises(
        ShapeChanged, match=r"landing/orders\.csv: column amount is missing; column sum is not declared"
    ):
        write(tmp_path, "from 'landing/orders.csv'", landed(tmp_path, ORDERS, {"orders.csv": "id,sum\n1,2\n"}), {})


@pytest.mark.parametrize(
    ("name", "form", "content", "problem"),
    [
        ("a.json", Format.JSON, b'[{"id": 1}, {"id": ', "Malformed JSON"),
        ("a.json", Format.JSON, b'{\n"id" 1}', "Malformed JSON"),
        ("a.csv", Format.CSV, b"id\n1\r\n2\n", "its line ends are mixed"),
        ("a.csv.gz", Format.CSV, b"id\n1\n", "incorrect header"),
        ("a.parquet", Format.PARQUET, b"PAR1", "too small"),
        ("a.txt", Format.FIXED, b"1\r\n2\n", "invalid state"),
    ],
)
def test_a_broken_file_is_an_error_that_names_it_and_no_path(
    tmp_path: Path, name: str, form: Format, content: bytes, problem: str
) -> None:
    landing = landed(tmp_path, source(name, form, {"id": FileColumn("", "bigint", (1, 1))}), {name: content})
    with pytest.raises(HeadwaterError) as raised:
        write(tmp_path, f'from "landing/{name}"', landing, {"id": "bigint"})
    assert problem in str(raised.value)
    assert f"landing/{name}" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_an_option_that_duckdb_does_not_understand_is_an_error(tmp_path: Path) -> None:
    landing = landed(tmp_path, ORDERS, {"orders.csv": CONTENT}, options=(("encoding", "'klingon'"),))
    with pytest.raises(HeadwaterError, match="unknown encoding: klingon") as raised:
        write(tmp_path, "from 'landing/orders.csv'", landing, {})
    assert not isinstance(raised.value, QueryError)
