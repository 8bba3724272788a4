"""The block of sources.toml that a file itself proposes."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from governance.errors import LandingError, PolicyError
from governance.landing.model import FileColumn, FileSource, Format, Location, Option
from governance.landing.proposed import Proposed, block, dataset_name, differences, storable, written

COLUMNS = (("order_id", "bigint"), ("odd name", "decimal(10, 2)"))
LOCATIONS = {
    "landing": Location("landing", "in"),
    "deep": Location("deep", "in/deep"),
    "lake": Location("lake", "s3://bucket/prefix"),
}


def proposed(name: str = "landing/a.csv", word: str = "csv", **options: Option) -> Proposed:
    return Proposed(name, word, options, COLUMNS)


def test_what_the_name_tells_is_not_said_again() -> None:
    assert block(proposed()) == (
        '["landing/a.csv"]\ncolumns.order_id = "bigint"\ncolumns."odd name" = "decimal(10, 2)"\n'
    )
    assert block(proposed("landing/a.txt", "tsv", delim="\t", nullstr=("NA", '"'), header=False, skip=2)) == (
        '["landing/a.txt"]\nformat = "tsv"\n'
        'options = { delim = "\\t", nullstr = ["NA", "\\""], header = false, skip = 2 }\n'
        'columns.order_id = "bigint"\ncolumns."odd name" = "decimal(10, 2)"\n'
    )


@pytest.mark.parametrize(
    ("before", "between"),
    [
        ("", ""),
        ("# ours\n", "\n"),
        ('["a.b"] # note\ncolumns.x  =  "date"', "\n\n"),
        ('["a.b"]\n\n', ""),
        ('# ours\r\n["a.b"]\r\ncolumns.x = "date"\r\n', "\r\n"),
    ],
)
def test_what_people_wrote_stays_to_the_byte(before: str, between: str) -> None:
    end = "\r\n" if "\r" in before else "\n"
    after = written(before, proposed(), "sources.toml")
    assert after == before + between + block(proposed()).replace("\n", end)
    assert tomllib.loads(after)["landing/a.csv"]["columns"] == dict(COLUMNS)


def test_a_name_is_declared_once_and_broken_files_are_left_alone() -> None:
    with pytest.raises(PolicyError, match="it is declared already"):
        written(block(proposed()), proposed(), "sources.toml")
    with pytest.raises(PolicyError, match="it is not TOML"):
        written("[a", proposed(), "sources.toml")


def test_differences_are_told_one_by_one() -> None:
    def declared(*columns: tuple[str, str]) -> FileSource:
        return FileSource(
            "landing/a.csv", LOCATIONS["landing"], Format.CSV, tuple(FileColumn(name, kind) for name, kind in columns)
        )

    assert differences(declared(*COLUMNS), proposed()) == ()
    assert differences(declared(("order_id", "boolean"), ("gone", "date")), proposed()) == (
        "gone is declared, and the file has no such column",
        "the file has odd name (decimal(10, 2)), which is not declared",
        "order_id is declared boolean, and the file's values are bigint",
    )
    assert differences(
        declared(("order_id", "bigint"), ("odd name", "date")),
        replace(proposed(), columns=(("order_id", "varchar"), ("odd name", "date"))),
    ) == ("order_id is declared bigint, which not every value in the file is",)
    assert differences(declared(*reversed(COLUMNS)), proposed()) == (
        "the columns are declared in another order than the file's: order_id, odd name",
    )


@pytest.mark.parametrize(
    ("declared", "seen", "fits"),
    [
        ("decimal(10, 2)", "double", True),
        ("decimal(10, 2)", "decimal(5, 1)", True),
        ("integer", "bigint", True),
        ("varchar", "date", True),
        ("timestamp", "date", True),
        ("date", "timestamp", False),
        ("bigint", "double", False),
        ("bigint", "varchar", False),
        ("boolean", "bigint", False),
    ],
)
def test_a_files_text_may_be_meant_as_a_wider_type(declared: str, seen: str, *, fits: bool) -> None:
    source = FileSource("landing/a.csv", LOCATIONS["landing"], Format.CSV, (FileColumn("x", declared),))
    assert (differences(source, Proposed("landing/a.csv", "csv", {}, (("x", seen),))) == ()) is fits


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("landing/x/*.csv", "landing/x/*.csv"),
        ("in/a.csv", "landing/a.csv"),
        ("./in/../in/[ab].csv", "landing/[ab].csv"),
        ("in/deep/a.csv", "deep/a.csv"),
        ("{root}/in/a.csv", "landing/a.csv"),
        ("{root}/linked/a.csv", "landing/a.csv"),
        ("s3://bucket/prefix/a.csv", "lake/a.csv"),
    ],
)
def test_a_path_is_called_by_the_location_that_it_lies_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, name: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "in")
    monkeypatch.chdir(tmp_path)
    assert dataset_name(path.format(root=tmp_path), LOCATIONS, tmp_path) == name


@pytest.mark.parametrize("path", ["elsewhere/a.csv", "inn/a.csv", "s3://bucket/prefixed/a.csv", "s3://other/a.csv"])
def test_a_path_elsewhere_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LandingError, match=r"a\.csv: it lies below no declared location .* add \[locations"):
        dataset_name(path, LOCATIONS, tmp_path)
    with pytest.raises(LandingError, match="none is declared"):
        dataset_name(path, {}, tmp_path)


def test_what_iceberg_does_not_store_is_named() -> None:
    assert storable((("a", "INTEGER"), ("b", "string")), "landing/a.csv") == (("a", "integer"), ("b", "varchar"))
    with pytest.raises(LandingError, match="stores no values as b has them"):
        storable((("a", "integer"), ("b", "interval")), "landing/a.csv")
