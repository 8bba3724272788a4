"""A quote that is not closed ends the reading: DuckDB takes lines for a value, and does not always say so."""

import gzip
from pathlib import Path

import pytest

from governance.errors import LandingError
from governance.landing.model import Format
from platform_assets.engines.landing.quote import unclosed
from tests.engines.landed import landed, read, source

COLUMNS = {"a": "bigint", "b": "varchar", "c": "decimal(10, 2)"}
MORE = "".join(f"{n},v,1.0\n" for n in range(3, 2003))
OPEN = {
    "first": '"2,x,2.0\n',
    "second": '2,"never closed,2.0\n',
    "last": '2,x,"2.0\n',
    "closed later by another": '2,"never closed,2.0\n3,v,1.0\n4,"quoted",1.0\n',
}


@pytest.mark.parametrize("options", [{}, {"parallel": False}, {"strict_mode": False}])
@pytest.mark.parametrize("line", OPEN.values(), ids=OPEN)
def test_a_quote_that_is_not_closed_is_an_error(tmp_path: Path, line: str, options: dict[str, bool]) -> None:
    declared = source("lost.csv", Format.CSV, COLUMNS, options=options)
    landing = landed(tmp_path, declared, {"lost.csv": f"a,b,c\n1,x,1.0\n{line}{MORE}"})
    with pytest.raises(LandingError, match=r"^landing/lost\.csv:3: a quote opens in this line and is not closed"):
        read("from 'landing/lost.csv'", landing)


def test_in_a_large_file_too_and_in_a_compressed_one(tmp_path: Path) -> None:
    rows = "".join(f"{n},v,1.0\n" for n in range(50_000))
    content = f"a,b,c\n{rows}{OPEN['second']}{rows}".encode()
    for name, written in (("lost.csv", content), ("lost.csv.gz", gzip.compress(content))):
        options = {} if name.endswith("gz") else {"buffer_size": 100_000, "max_line_size": 10_000}
        landing = landed(tmp_path, source(name, Format.CSV, COLUMNS, options=options), {name: written})
        with pytest.raises(LandingError, match=rf"^landing/{name}:50002: a quote opens"):
            read(f"from 'landing/{name}'", landing)


def test_a_line_end_that_is_quoted_and_a_row_that_does_not_fit_are_none(tmp_path: Path) -> None:
    content = 'a,b,c\n1,"x\ny",1.0\nk,"a\nb",2.0\n4,"a b" q,2.0\n\n5,5" pipe,1.0\n6,z,"7"\n'
    landing = landed(tmp_path, source("a.csv", Format.CSV, COLUMNS), {"a.csv": content})
    _, outcome = read("from 'landing/a.csv'", landing)
    told = outcome["landing/a.csv"]
    assert (told.rows, told.rejects["row"].to_pylist()) == (3, ['k,"a\nb",2.0', '4,"a b" q,2.0'])


def test_what_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for content, line, options in (
        ('"x""\n",1\n', None, {}),
        ('"x" "\n",1\n', None, {}),
        (' "x\n" ,1\n', None, {}),
        ('x "y\n', None, {}),
        ("'x\n,1\n", 1, {"quote": "'"}),
        ('"x\n,1\n', None, {"quote": ""}),
        ('"x\\"\n",1\n', None, {"escape": "\\"}),
        ('# it "s\n#,"\n1,"\n', 3, {"comment": "#"}),
    ):
        path.write_text(content)
        assert unclosed(str(path), options) == line, content
