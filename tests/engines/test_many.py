"""Large files of which too many rows do not fit are an error before a query keeps them."""

from pathlib import Path

import duckdb
import pytest

from governance.landing.model import FileColumn, Format
from platform_assets.engines import many
from platform_assets.engines.shape import ShapeChanged
from tests.engines.landed import landed, source

COLUMNS: dict[str, str | FileColumn] = {
    "id": "bigint",
    "note": "varchar",
    "day": FileColumn("", "date", format="%d.%m.%Y"),
    "n": "decimal(5, 2)",
}
HEAD = "id,note,day,n\n"
FITS, NO_NUMBER, NO_DAY, SHORT = "1,x,31.12.2025,1.50\n", "1,x,,n/a\n", "1,x,2025-12-31,1\n", "1\n"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "KEPT", 10)


def problem(tmp_path: Path, *contents: str, **more: object) -> str:
    declared = source("*.csv", Format.CSV, COLUMNS, options={"header": True}, **more)
    files = landed(tmp_path, declared, {f"{number}.csv": it for number, it in enumerate(contents)})
    try:
        many.require_bounded(duckdb.connect(), files)
    except ShapeChanged as error:
        return error.problem
    return ""


def test_rows_that_fit_may_be_many(tmp_path: Path) -> None:
    assert problem(tmp_path, HEAD + FITS * 100 + NO_NUMBER * 10) == ""


def test_rows_that_do_not_fit_are_told_by_column_and_without_values(tmp_path: Path) -> None:
    content = HEAD + FITS + NO_NUMBER * 6 + NO_DAY * 4 + SHORT
    assert problem(tmp_path, content) == (
        "landing/*.csv: 11 rows do not fit, a run keeps 10 at most: "
        "day (4) is not date; n (6) is not decimal(5, 2); the row as a whole (1)"
    )


def test_files_of_one_dataset_are_counted_together(tmp_path: Path) -> None:
    assert "11 rows do not fit" in problem(tmp_path, HEAD + SHORT * 5 + FITS, HEAD + SHORT * 6 + FITS)


def test_what_is_allowed_is_told(tmp_path: Path) -> None:
    assert "max_rejects allows 3: " in problem(tmp_path, HEAD + SHORT * 11, max_rejects=3)
    assert "a run keeps 10 at most: " in problem(tmp_path, HEAD + SHORT * 11, max_rejects=99)


def test_ends_of_lines_within_values_are_none_of_rows(tmp_path: Path) -> None:
    assert problem(tmp_path, HEAD + '1,"a\n\n\n\n\nb",31.12.2025,1\n' * 5) == ""
