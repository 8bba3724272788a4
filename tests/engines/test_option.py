from pathlib import Path

import pytest

from governance.errors import EngineError
from governance.landing.model import Format
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


def test_an_option_that_would_change_the_declaration_is_refused(tmp_path: Path) -> None:
    landing = landed(tmp_path, source("a.csv", Format.CSV, {"a": "bigint"}), {}, options=(("ignore_errors", "true"),))
    with pytest.raises(EngineError, match="ignore_errors would change what is declared"):
        options_of(landing)
