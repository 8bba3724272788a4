"""A kind of record of which no row fits is one that is declared wrongly, or came in another shape."""

from pathlib import Path

import pytest

from governance.errors import LandingError
from governance.landing.model import Format, Record
from tests.engines.landed import columns_of, landed, read, source

KINDS = (Record("header", "H", columns_of({"n": "bigint"})), Record("detail", "D", columns_of({"a": "bigint"})))


def test_a_kind_of_which_no_row_fits_is_an_error(tmp_path: Path) -> None:
    declared = source("r.csv", Format.CSV, {}, records=KINDS)
    landing = landed(tmp_path, declared, {"r.csv": "H,1\nD,x\nD,y\n"})
    with pytest.raises(LandingError, match=r"^landing/r\.csv: none of its 2 rows of detail fits"):
        read("from 'landing/r.csv'", landing)


def test_one_of_which_some_fit_is_none(tmp_path: Path) -> None:
    declared = source("r.csv", Format.CSV, {}, records=KINDS)
    _, outcome = read("from 'landing/r.csv'", landed(tmp_path, declared, {"r.csv": "H,1\nD,x\nD,2\n"}))
    assert outcome["landing/r.csv"].rows == 2
