from pathlib import Path

import duckdb
import pytest

from governance.errors import EngineError
from governance.landing.model import FileColumn, Format, Record
from platform_assets.engines.landing import create_landing
from platform_assets.engines.landing.option import options_of
from tests.engines.landed import landed, source


def test_options_of_the_query_go_before_those_of_the_declaration(tmp_path: Path) -> None:
    given = (("sep", "';'"), ("skip", "2"), ("HEADER", "False"), ("nullstr", "['', 'it''s']"), ("quote", "''"))
    declared = source("a.csv", Format.CSV, {"a": "bigint"}, options={"delim": ",", "comment": "#", "header": True})
    assert options_of(landed(tmp_path, declared, {}, options=given)) == {
        "delim": ";",
        "skip": 2,
        "header": False,
        "nullstr": ("", "it's"),
        "quote": "",
        "comment": "#",
    }


@pytest.mark.parametrize(
    "text", ["(select content from read_text('/etc/passwd'))", "getenv('HOME')", "'a' || 'b'", "[]"]
)
def test_an_option_is_a_literal_and_is_not_computed(tmp_path: Path, text: str) -> None:
    landing = landed(tmp_path, source("a.csv", Format.CSV, {"a": "bigint"}), {}, options=(("delim", text),))
    with pytest.raises(EngineError, match=r"landing/a\.csv: delim = .* is no value that is read"):
        options_of(landing)


def test_an_option_that_has_no_meaning_is_refused(tmp_path: Path) -> None:
    records = (Record("a", "A", (FileColumn("n", "double"),)),)
    declared = source("a.csv", Format.CSV, {}, records=records, record_type=(1, 1), options={"decimal_separator": ","})
    with duckdb.connect() as connection, pytest.raises(EngineError, match="decimal_separator has no meaning"):
        create_landing(connection, '"main"."landing/a.csv"', landed(tmp_path, declared, {"a.csv": "A,1\n"}))


def test_an_option_that_would_change_the_declaration_is_refused(tmp_path: Path) -> None:
    landing = landed(tmp_path, source("a.csv", Format.CSV, {"a": "bigint"}), {}, options=(("ignore_errors", "true"),))
    with pytest.raises(EngineError, match="ignore_errors would change what is declared"):
        options_of(landing)
