"""What sources.toml may not say of files: each mistake names its table and key, and what to write."""

import re

import pytest

from tests.landing.refusing import LANDING, A, J, T, X, refused


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("[locations.landing]\n", "locations.landing.at", "it is missing"),
        ('[locations.landing]\nat = ""', "locations.landing.at", "a text is expected"),
        ('[locations.landing]\nat = "x"\nnamspace = "f"', "locations.landing.namspace", "unknown key"),
        ('[locations."my land"]\nat = "x"', 'locations."my land"', "no name of a location"),
        ('[locations.a]\nat = "x"\n[locations.A]\nat = "y"', "locations.A", "one name in SQL"),
        ('[locations.a]\nat = "x/"\n[locations.b]\nat = "x"', "locations.b.at", "it is where a is"),
        ('[locations.a]\nat = "http://host/x"', "locations.a.at", "http:// is no store"),
        ('[locations.a]\nat = "s3://"', "locations.a.at", "no bucket"),
        ('[locations.a]\nat = "s3://b/p?endpoint_override=x"', "locations.a.at", "no bucket and prefix"),
        ('[locations.a]\nat = "file://host/x"', "locations.a.at", "no path from the root"),
        ('locations = "landing"', "locations", "a table is expected"),
    ],
)
def test_locations(text: str, key: str, says: str) -> None:
    error = refused(text)
    assert (error.key, says in error.problem) == (key, True), error


@pytest.mark.parametrize("between", ["\\n", "\\t", "\\u007f"])
def test_a_name_with_control_characters_is_told_as_that(between: str) -> None:
    error = refused(f'[locations.landing]\nat = "in"\n["landing/a{between}b.csv"]\ncolumns.x = "date"')
    assert error.problem == "the name has control characters or others that are not seen, as a line end or a tab"
    assert "\n" not in str(error)
    assert "\t" not in str(error)


@pytest.mark.parametrize("secret", ["key:hush@bucket", "key:hu/sh@bucket", "key:hush", "hush@bucket"])
def test_credentials_of_a_location_are_not_repeated(secret: str) -> None:
    error = refused(f'[locations.a]\nat = "s3://{secret}/x"')
    assert "credentials do not belong" in error.problem
    assert "hush" not in str(error)


@pytest.mark.parametrize(
    ("name", "says", "fix"),
    [
        ("inbox/a.csv", "no location is called 'inbox'", "add [locations.inbox]"),
        ("/data/a.csv", "below a declared location", '["landing/a.csv"]'),
        ("s3://bucket/a.csv", "below a declared location", "locations.landing"),
        ("landing/../a.csv", "goes down from its location", "take out"),
        ("landing/./a.csv", "goes down from its location", "take out"),
        ("landing//a.csv", "goes down from its location", "take out"),
        ("landing/in/", "goes down from its location", "take out"),
        ("landing/a#b.csv", "# parts a file", "write ?"),
        ("landing/a**.csv", "** stands for folders", "landing/**/*.csv"),
        ("landing/**", "** stands for folders", "landing/**/*.csv"),
        ("landing/a.csv ", "without blanks", "otherwise"),
        ("landing", "by its location and path", "location/file.csv"),
    ],
)
def test_names(name: str, says: str, fix: str) -> None:
    error = refused(f'{LANDING}["{name}"]\n{X}')
    assert error.key == f'"{name}"' or name == "landing"
    assert says in error.problem
    assert fix in error.fix


def test_a_table_that_looks_like_a_file() -> None:
    error = refused(f'["orders.csv"]\nformat = "csv"\n{X}')
    assert error.key == '"orders.csv".format'
    assert '["landing/orders.csv"]' in error.fix


def test_a_name_in_two_pairs_of_quotes() -> None:
    assert 'here perhaps ["landing/orders.csv"]' in refused(f'{LANDING}[landing."orders.csv"]\n{X}').fix
    assert 'here perhaps ["crm.learners"]' in refused(f"[crm.learners]\n{X}").fix


def test_names_that_differ_in_case_alone() -> None:
    error = refused(f'{LANDING}{A}{X}["landing/A.csv"]\n{X}')
    assert error.key == '"landing/A.csv"'
    assert "it is landing/a.csv but for letters in capitals" in error.problem


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        (A, "columns", "names no column"),
        (A + X + 'owner = "team:x"', "owner", "unknown key"),
        (A + X + 'format = "excel"', "format", "unknown format 'excel'"),
        ('["landing/a.txt"]\n' + X, "format", "ending does not tell"),
        ('["landing/*"]\n' + X, "format", "ending does not tell"),
        ('["landing/a.parquet.gz"]\n' + X, "format", "not compressed as a whole"),
        (A + 'columns.x = "money"', "columns.x", "no type that Iceberg stores"),
        (A + 'columns.x = { type = "money" }', "columns.x.type", "no type that Iceberg stores"),
        (A + 'columns.x = "varchar[3]"', "columns.x", "no type that Iceberg stores"),
        (A + 'columns.x = "bigint[]"', "columns.x", "map of a csv is text"),
        (A + 'columns.x = "varchar[][]"', "columns.x", "map of a csv is text"),
        (T + 'columns.x = { type = "varchar[]", at = [1, 3] }', "columns.x", "fixed has no nested values"),
        ('["landing/a.xml"]\nrows = "r"\ncolumns.x = "map(varchar, date)"', "columns.x", "xml has no nested"),
        (J + 'sections.h.x = "map(integer[], date)[]"', "sections.h.x", "names a value in JSON is no list"),
        (A + "columns.x = { }", "columns.x.type", "it is missing"),
        (A + "columns.x = 3", "columns.x", "a text is expected"),
        (A + 'columns.x = { type = "date", fmt = "%Y" }', "columns.x.fmt", "unknown key"),
        (A + 'columns.x = { type = "bigint", format = "%Y" }', "columns.x.format", "only dates and times"),
        (A + 'columns.x = { type = "date", format = "%Y-%Q" }', "columns.x.format", "'%Q' is no word"),
        (A + 'columns.x = { type = "date", format = "yyyy" }', "columns.x.format", "names no part of a date"),
        (A + 'columns.x = { type = "date", at = [1, 2] }', "columns.x.at", "no fixed places"),
        (A + 'columns.x = { type = "date", path = "a" }', "columns.x.path", "no paths"),
        (A + 'columns.x = "date"\ncolumns.X = "date"', "columns.X", "one name in SQL"),
        (A + 'columns."" = "date"', 'columns.""', "no name of a column"),
        (A + 'columns.$doc = "date"'.replace("$doc", '"$doc"'), 'columns."$doc"', "the document itself"),
        (A + 'columns."$doc.h.x" = "date"', 'columns."$doc.h.x"', "the document itself"),
        (A + X + 'filename = "X"', "filename", "a column X of its own"),
        (A + X + "max_rejects = -1", "max_rejects", "a number of rows"),
        (A + X + "max_rejects = true", "max_rejects", "a number of rows"),
        (A + X + 'rows = "a"', "rows", "a csv file is its rows"),
        (A + X + 'sections.h.x = "date"', "sections", "a csv file has no sections"),
        (A + X + "record_type = [1, 1]", "record_type", "declares no kinds of record"),
        (
            '["landing/a.parquet"]\ncolumns.x = { type = "date", format = "%Y" }',
            "columns.x.format",
            "has dates and times as such",
        ),
    ],
)
def test_files(text: str, key: str, says: str) -> None:
    error = refused(LANDING + text)
    table = re.search(r'\["(.*?)"\]', text)
    assert table
    assert (error.key, says in error.problem) == (f'"{table[1]}".{key}', True), error


@pytest.mark.parametrize(
    ("options", "key", "says", "fix"),
    [
        ('{ delimm = ";" }', "delimm", "read_csv has no option delimm", "did you mean delim?"),
        ("{ zzz = 1 }", "zzz", "read_csv has no option zzz", "the options of csv are delim"),
        ("{ columns = 1 }", "columns", "would change what is declared", "columns.name"),
        ("{ Names = 1 }", "Names", "would change what is declared", "columns.name"),
        ("{ auto_detect = true }", "auto_detect", "would change", "headwater sniff"),
        ("{ store_rejects = true }", "store_rejects", "would change", "max_rejects"),
        ("{ ignore_errors = true }", "ignore_errors", "would change", "quarantine"),
        ("{ union_by_name = true }", "union_by_name", "would change", "columns.name"),
        ("{ filename = true }", "filename", "would change", "beside options"),
        ("{ hive_partitioning = true }", "hive_partitioning", "would change", "folders"),
        ('{ delim = ";", sep = "," }', "sep", "delim says the same", "one of the two"),
        ('{ delim = ";", DELIM = "," }', "DELIM", "one name in SQL", "apart"),
        ("{ delim = 1 }", "delim", "1 is no value of delim", 'delim = "…"'),
        ('{ header = "yes" }', "header", "'yes' is no value of header", "header = true"),
        ("{ header = 1 }", "header", "1 is no value of header", "header = true"),
        ("{ skip = true }", "skip", "True is no value of skip", "skip = 1"),
        ("{ skip = -1 }", "skip", "from 0, not -1", "skip = 1"),
        ("{ nullstr = [] }", "nullstr", "no value of nullstr", '["…", "…"]'),
        ('{ delim = [";"] }', "delim", "no value of delim", 'delim = "…"'),
        ('{ quote = "ab" }', "quote", "'ab' is too long", "1 bytes at most"),
        ('{ dateformat = "%Q" }', "dateformat", "'%Q' is no word", "strptime"),
        ('{ timestamp_format = "iso" }', "timestamp_format", "'iso' names no part", "strptime"),
        ('{ compression = "snappy" }', "compression", "'snappy' is no value", "'gzip', 'zstd'"),
        ('{ decimal_separator = ";" }', "decimal_separator", "';' is no value", "'.', ','"),
        ("{ skip = 1.5 }", "skip", "no value of skip", "skip = 1"),
    ],
)
def test_options(options: str, key: str, says: str, fix: str) -> None:
    error = refused(f"{LANDING}{A}{X}options = {options}")
    assert error.key == f'"landing/a.csv".options.{key}'
    assert says in error.problem
    assert fix in error.fix


def test_a_document_is_read_whole_and_other_formats_have_their_own_options() -> None:
    assert "a document is read whole" in refused(LANDING + J + 'options = { format = "array" }').problem
    assert (
        "xml has no option"
        in refused(LANDING + '["landing/a.xml"]\nrows = "r"\n' + X + "options = { skip = 1 }").problem
    )
    assert (
        "fixed has no option delim"
        in refused(LANDING + T + 'columns.x = { type = "date", at = [1, 8] }\noptions = { delim = ";" }').problem
    )
