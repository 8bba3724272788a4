"""DuckDB's reader of large files leaves out rows where a part begins with one that does not fit: it is seen."""

from pathlib import Path

import pytest

from governance.errors import LandingError
from governance.landing.model import FileColumn, FileSource, Format
from tests.engines.landed import landed, read, source

SMALL = {"header": True, "buffer_size": 20_000, "max_line_size": 1_000}
COLUMNS = {"a": "bigint", "b": "varchar"}


def rows(good: int, bad: int, more: int, text: str = "t" * 20) -> str:
    numbers = [*(f"{n:09}" for n in range(good)), *(f"x{n:08}" for n in range(bad)), *(f"{n:09}" for n in range(more))]
    return "".join(f"{number},{text}\n" for number in numbers)


def declared(**options: str | int | bool) -> FileSource:
    return source("a.csv", Format.CSV, COLUMNS, options={**SMALL, **options})


def test_rows_that_are_left_out_are_an_error(tmp_path: Path) -> None:
    landing = landed(tmp_path, declared(), {"a.csv": "a,b\n" + rows(5000, 10, 120)})
    with pytest.raises(LandingError, match=r"landing/a\.csv: DuckDB's reader left out 130 of 5130 rows") as raised:
        read("from 'landing/a.csv'", landing)
    assert "parallel = false" in raised.value.fix


def test_nothing_is_left_out_in_one_piece(tmp_path: Path) -> None:
    landing = landed(tmp_path, declared(parallel=False), {"a.csv": "a,b\n" + rows(5000, 10, 120)})
    _, outcome = read("select a from 'landing/a.csv' limit 1", landing)
    assert (outcome["landing/a.csv"].rows, outcome["landing/a.csv"].rejects.num_rows) == (5120, 10)


@pytest.mark.parametrize("text", ["t" * 20, '"quoted\nvalue"'])
def test_large_files_that_are_read_whole_are_no_error(tmp_path: Path, text: str) -> None:
    for content in (rows(5000, 0, 130, text), rows(5000, 10, 1200, text), rows(4000, 1, 10, text).rstrip("\n")):
        _, outcome = read("from 'landing/a.csv'", landed(tmp_path, declared(), {"a.csv": "a,b\n" + content}))
        told = outcome["landing/a.csv"]
        assert told.rows + told.rejects.num_rows == content.count(text)


def test_lines_are_counted_too(tmp_path: Path) -> None:
    columns = {"n": FileColumn("", "bigint", (1, 4)), "rest": FileColumn("", "varchar", (5, 14))}
    options = {"buffer_size": 20_000, "max_line_size": 1_000}
    good = b"".join(b"%04d some text\n" % (n % 10_000) for n in range(5_000))
    for bad in (b"\xff\xff\xff\xff\n", b"abcd\n"):
        content = good + bad * 30 + b"\n" + good
        landing = landed(tmp_path, source("a.txt", Format.FIXED, columns, options=options), {"a.txt": content})
        _, outcome = read("from 'landing/a.txt'", landing)
        told = outcome["landing/a.txt"]
        assert (told.rows, told.rejects.num_rows) == (10_000, 30)
