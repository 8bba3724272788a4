"""headwater sniff: the block that declares a file, as the file itself tells it."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from governance.policy import load_sources
from governance.project import ROOT, Project, project_at
from platform_assets.cli import main

SOURCES = '# ours\n[locations.landing]\nat = "in"\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv(ROOT, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    made = project_at(tmp_path)
    made.sources.parent.mkdir()
    made.sources.write_text(SOURCES)
    return made


def put(project: Project, name: str, text: str) -> None:
    path = project.root / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def sniff(*words: str) -> Result:
    return CliRunner().invoke(main, ["sniff", *words])


def test_a_csv_tells_its_columns_and_how_it_is_written(project: Project) -> None:
    put(project, "orders.csv", "order_id;paid on;amount\n1;31.12.2024;1.5\n2;30.12.2024;22.25\n")
    result = sniff("landing/orders.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        '["landing/orders.csv"]\n'
        'options = { delim = ";", dateformat = "%d.%m.%Y" }\n'
        'columns.order_id = "bigint"\ncolumns."paid on" = "date"\ncolumns.amount = "double"\n'
    )
    assert project.sources.read_text() == SOURCES


def test_a_line_that_does_not_fit_hides_nothing(project: Project) -> None:
    put(project, "a.csv", "id,name,n\n1,x,2\n2,y\n3,z,4\n")
    assert sniff("landing/a.csv").stdout == (
        '["landing/a.csv"]\ncolumns.id = "bigint"\ncolumns.name = "varchar"\ncolumns.n = "bigint"\n'
    )
    put(project, "b.csv", "one column\nof text\n")
    assert 'columns."one column"' in sniff("landing/b.csv").stdout
    put(project, "c.csv", "")
    assert "landing/c.csv: there is no such file with anything in it" in sniff("landing/c.csv").stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_another_encoding_is_told_and_not_taken_for_names(project: Project, encoding: str) -> None:
    put(project, "a.csv", "")
    (project.root / "in" / "a.csv").write_bytes("id,name\n1,x\n".encode(encoding))
    result = sniff("landing/a.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "landing/a.csv: the file is not UTF-8; say its encoding, --option encoding=utf-16" in result.stderr


def test_what_is_written_is_read_again_and_then_declared_so_already(project: Project) -> None:
    put(project, "orders/01.csv", "1,x\n2,y\n")
    put(project, "orders/02.csv", "3,z\n")
    written = sniff("in/orders/*.csv", "--write")
    assert written.stderr == "landing/orders/*.csv written to platform_assets/sources.toml: review the difference\n"
    assert project.sources.read_text() == f"{SOURCES}\n{written.stdout}"
    (source,) = load_sources(project)
    assert source.table == "landing/orders/*.csv"
    assert [kind for _, kind in source.columns] == ["bigint", "varchar"]
    assert source.files is not None
    assert source.files.options == {"header": False}
    again = sniff("landing/orders/*.csv", "--write")
    assert (again.exit_code, again.stdout) == (0, written.stdout)
    assert again.stderr == "landing/orders/*.csv is declared so already\n"


def test_a_declaration_stays_as_it_is_and_what_differs_is_said(project: Project) -> None:
    put(project, "a.csv", "x,y\n1,2\n")
    put(project, "b.csv", "x\n1\n")
    declared = f'{SOURCES}["landing/a.csv"]\ncolumns.x = "date"\ncolumns.z = "date"\n'
    project.sources.write_text(declared)
    result = sniff("landing/a.csv", "landing/b.csv", "--write")
    assert result.exit_code == 1
    assert result.stderr == (
        "landing/a.csv is declared otherwise\n"
        "  z is declared, and the file has no such column\n"
        "  the file has y (bigint), which is not declared\n"
        "  x is declared date, and the file's values are bigint\n"
        "landing/b.csv written to platform_assets/sources.toml: review the difference\n"
    )
    assert project.sources.read_text() == f'{declared}\n["landing/b.csv"]\ncolumns.x = "bigint"\n'


def test_a_declared_file_is_read_as_it_is_declared(project: Project) -> None:
    put(project, "a.tsv", "id\tname\n1\tx,y\n")
    put(project, "a.txt", "id|name\n1|x,y\n")
    put(project, "a.json", '{"id": 1, "who": {"name": "x"}}')
    columns = 'columns.id = "bigint"\ncolumns.name = "varchar"\n'
    nested = 'columns.id = "bigint"\ncolumns.name = { type = "varchar", path = "who.name" }\n'
    txt = 'format = "csv"\noptions = { delim = "|" }\n'
    project.sources.write_text(
        f'{SOURCES}["landing/a.tsv"]\n{columns}["landing/a.txt"]\n{txt}{columns}["landing/a.json"]\n{nested}'
    )
    result = sniff("landing/a.tsv", "landing/a.txt", "landing/a.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        f'["landing/a.tsv"]\n{columns}\n["landing/a.txt"]\n{txt}{columns}\n'
        '["landing/a.json"]\ncolumns.id = "bigint"\ncolumns.who = "struct(name varchar)"\n'
    )


@pytest.mark.parametrize(
    ("name", "text", "block"),
    [
        ("a.json", '[{"id": 1, "at": "2024-01-01"}]', 'columns.id = "bigint"\ncolumns.at = "date"\n'),
        ("a.ndjson", '{"id": 1}\n{"id": 2}\n', 'columns.id = "bigint"\n'),
        ("a.tsv", "id\tname\n1\tx,y\n", 'columns.id = "bigint"\ncolumns.name = "varchar"\n'),
    ],
)
def test_other_formats_by_their_endings(project: Project, name: str, text: str, block: str) -> None:
    put(project, name, text)
    assert sniff(f"landing/{name}").stdout == f'["landing/{name}"]\n{block}'


def test_the_format_and_options_may_be_said(project: Project) -> None:
    put(project, "a.txt", "1;NA\n2;x\n")
    words = ("--format", "csv", "--option", "delim=;", "--option", "header=false", "--option", "nullstr=NA")
    assert sniff("landing/a.txt", *words).stdout.startswith(
        '["landing/a.txt"]\nformat = "csv"\noptions = { delim = ";", header = false, nullstr = "NA" }\n'
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("elsewhere/a.csv",), "a.csv: it lies below no declared location (landing); add [locations"),
        (("landing/none.csv",), "landing/none.csv: there is no such file"),
        (("landing/*.none.csv",), "landing/*.none.csv: there is no such file with"),
        (("landing/a#b.csv",), "# parts a file"),
        (("landing/a.txt",), "the name's ending does not tell how it is read; add --format"),
        (("landing/a.txt", "--format", "excel"), "add --format with one of csv"),
        (("landing/a.xml",), "such a file does not tell its columns; declare it by hand: rows, where its rows are"),
        (
            ("landing/a.txt", "--format", "fixed"),
            "does not tell its columns; declare its columns by hand, each with the characters",
        ),
        (("landing/a.csv", "--option", "delim"), "delim has no value; write delim=…"),
        (("landing/a.csv", "--option", "skip=x"), "'x' is no value of skip"),
        (("landing/a.csv", "--option", "names=x"), "names would change what is declared"),
        (("landing/a.csv", "--option", "delimm=x"), "did you mean delim?"),
    ],
)
def test_what_cannot_be_sniffed_is_said(project: Project, words: tuple[str, ...], says: str) -> None:
    for name in ("a.csv", "a.txt", "a.xml"):
        put(project, name, "x\n1\n")
    result = sniff(*words)
    assert result.exit_code == 1
    assert says in result.stderr
    assert str(project.root) not in result.stderr


NAMES = "name each column once in the file; or declare it by hand, with options = { header = false, skip = 1 }"
APART = "let all of them have the same columns in one order, or declare those apart that have others"


@pytest.mark.parametrize(
    ("files", "says", "fix"),
    [
        ({"a.csv": "a,b,b,c\n1,2,3,4\n"}, "landing/a.csv: column b is there more than once", NAMES),
        ({"a.csv": "a,B,b\n1,2,3\n"}, "landing/a.csv: columns B, b are there more than once", NAMES),
        ({"a.csv": "a;b;\n1;2;\n3;4;\n"}, "landing/a.csv: column 3 has no name in its header", NAMES),
        ({"a.csv": "a,b\n1,2\n", "b.csv": "b,a\n1,2\n"}, "landing/b.csv: the columns stand in another order", APART),
        ({"a.csv": "a,b\n1,2\n", "b.csv": "a,c\n1,2\n"}, "landing/a.csv: column c is missing", APART),
        ({"a.json": '{"a": 1}', "b.json": '{"b": 1}'}, "landing/a.json: column b is missing", APART),
    ],
)
def test_what_a_run_would_refuse_is_not_written(project: Project, files: dict[str, str], says: str, fix: str) -> None:
    for name, text in files.items():
        put(project, name, text)
    result = sniff(f"landing/*.{name.rpartition('.')[2]}" if len(files) > 1 else f"landing/{name}", "--write")
    assert (result.exit_code, result.stdout) == (1, "")
    assert says in result.stderr
    assert fix in result.stderr
    assert project.sources.read_text() == SOURCES


def test_a_file_that_is_not_utf_8_is_told_by_its_line(project: Project) -> None:
    (project.root / "in" / "a.csv").write_bytes("a;b\n1;x\n2;é\n".encode("latin-1"))
    result = sniff("landing/a.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: landing/a.csv: line 3 is not UTF-8; say its encoding")
    assert 'encoding = "latin-1"' in sniff("landing/a.csv", "--option", "encoding=latin-1").stdout
    (project.root / "in" / "a.csv").write_bytes(b"a;b\n1;\xc3")
    assert "landing/a.csv: line 2 is not UTF-8" in sniff("landing/a.csv").stderr


@pytest.mark.parametrize("name", ["a.parquet", "a.json"])
def test_a_broken_file_is_told_in_a_sentence(project: Project, name: str) -> None:
    put(project, name, '{"a": 1, "b": [}')
    result = sniff(f"landing/{name}")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: it cannot be read as {name[2:]}: ")
    assert "LINE 1" not in result.stderr
    assert result.stderr.count("\n") == 1
