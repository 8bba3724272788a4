"""A row that does not fit is kept whole, and one that is too long says what it was."""

from pathlib import Path

from governance.landing.model import FileColumn, Format
from platform_assets.engines.landing.name import ROW_LENGTH
from tests.engines.landed import landed, read, source


def kept(folder: Path, content: str, form: Format = Format.CSV) -> list[str]:
    columns = {"a": FileColumn("", "bigint", (1, 1)), "b": FileColumn("", "varchar", (2, 3))}
    landing = landed(folder, source("a.x", form, columns), {"a.x": content})
    _, outcome = read("from 'landing/a.x'", landing)
    return [str(it) for it in outcome["landing/a.x"].rejects["row"].to_pylist()]


def test_long_rows_are_whole(tmp_path: Path) -> None:
    rows = [f"x,{'y' * 50_000}", 'x,"' + "é\n" * 9_000 + '"', "x,short", "x," + "z" * 9_998, "x," + "z" * 9_999]
    for end in ("\n", ""):
        assert kept(tmp_path, "a,b\n1,k\n" + "\n2,k\n".join(rows) + end) == rows


def test_one_that_is_too_long_says_so(tmp_path: Path) -> None:
    (row,) = kept(tmp_path, f"a,b\n1,k\nx,{'y' * 1_500_000}\n2,k\n")
    assert row[ROW_LENGTH:] == "… cut: the row has 1500002 characters, and begins at byte 9 of the file"
    (row,) = kept(tmp_path, f"1ab\nx{'y' * 1_500_000}\n", Format.FIXED)
    assert row[ROW_LENGTH:] == "… cut: the row has 1500001 characters"
