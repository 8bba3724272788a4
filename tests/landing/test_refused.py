"""What sources.toml may not say of files: each mistake names its table and key, and what to write."""

import re
from tomllib import loads

import pytest

from governance.errors import PolicyError
from governance.policy_file import Section
from governance.sources import sources_in

LANDING = '[locations.landing]\nat = "landing"\n'
A = '["landing/a.csv"]\n'
X = 'columns.x = "bigint"\n'
T = '["landing/p.txt"]\nformat = "fixed"\n'
R = '["landing/p.txt"]\nformat = "fixed"\nrecord_type = [1, 1]\n'
J = '["landing/b.json"]\nrows = "r"\ncolumns.x = "bigint"\n'
H = 'records.h = { value = "H", columns = { k = { type = "bigint", at = [2, 3] } } }\n'


def refused(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        sources_in(Section("sources.toml", "", loads(text)))
    assert caught.value.fix
    return caught.value


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


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        (T + 'columns.x = "date"', "columns.x", "must say where the column is"),
        (T + 'columns.x = { type = "date" }', "columns.x", "must say where the column is"),
        (T + 'columns.x = { type = "date", at = [0, 1] }', "columns.x.at", "no place in a line"),
        (T + 'columns.x = { type = "date", at = [3, 2] }', "columns.x.at", "no place in a line"),
        (T + 'columns.x = { type = "date", at = [1] }', "columns.x.at", "no place in a line"),
        (T + 'columns.x = { type = "date", at = "1-2" }', "columns.x.at", "no place in a line"),
        (
            T + 'columns.x = { type = "date", at = [5, 9] }\ncolumns.y = { type = "date", at = [1, 5] }',
            "columns.x",
            "overlaps y at character 5",
        ),
        (R, "record_type", "declares no kinds of record"),
        (R + "records = { }", "records", "names no kind of record"),
        (T + H, "record_type", "it is missing"),
        (R + H + X, "columns", "those of each kind"),
        (R + 'records."h#" = { value = "H" }', 'records."h#"', "no name of a kind"),
        (R + 'records.h = { columns = { x = "date" } }', "records.h.value", "it is missing"),
        (R + 'records.h = { value = "HH", columns = { } }', "records.h.value", "longer than its place"),
        (R + 'records.h = { value = "H" }', "records.h.columns", "names no column"),
        (R + 'records.h = { value = "H", colums = { } }', "records.h.colums", "unknown key"),
        (
            R + 'records.h = { value = "H", columns = { k = { type = "date", at = [1, 8] } } }',
            "records.h.columns.k",
            "overlaps record_type at character 1",
        ),
        (
            R + 'records.h = { value = "H", columns = { Record_Type = { type = "date", at = [2, 8] } } }',
            "records.h.columns.Record_Type",
            "the file's own column",
        ),
        (R + H + H.replace("records.h", "records.d"), "records.d.value", "'H' is the value of h"),
        (R + H + H.replace("records.h", "records.H"), "records.H", "one name in SQL"),
        (
            R + H + H.replace("records.h", "records.d").replace('"H"', '"D"').replace("bigint", "date"),
            "records.d.columns.k",
            "it is date here and bigint in h",
        ),
        (
            R + H + H.replace("records.h", "records.d").replace('"H"', '"D"').replace(" k ", " K "),
            "records.d.columns.K",
            "it is written k in h",
        ),
        (R + H.replace('"H",', '"H", parent = "x",'), "records.h.join_key", "said together"),
        (R + H.replace('"H",', '"H", join_key = "k",'), "records.h.parent", "said together"),
        (R + H.replace('"H",', '"H", parent = "x", join_key = "k",'), "records.h.parent", "no other kind"),
        (R + H.replace('"H",', '"H", parent = "h", join_key = "k",'), "records.h.parent", "no other kind"),
        (
            R + H + H.replace("records.h", "records.d").replace('"H",', '"D", parent = "h", join_key = "z",'),
            "records.d.join_key",
            "d has no column z",
        ),
        (
            R
            + H.replace("k =", "j =")
            + H.replace("records.h", "records.d").replace('"H",', '"D", parent = "h", join_key = "k",'),
            "records.d.join_key",
            "h has no column k",
        ),
        (
            R
            + H.replace('"H",', '"H", parent = "d", join_key = "k",')
            + H.replace("records.h", "records.d").replace('"H",', '"D", parent = "h", join_key = "k",'),
            "records.h.parent",
            "is above itself",
        ),
        (R + 'filename = "K"\n' + H, "filename", "a column K of its own"),
        (R + 'filename = "record_type"\n' + H, "filename", "a column record_type of its own"),
        (R + 'rows = "a"\n' + H, "rows", "a fixed file is its rows"),
    ],
)
def test_places_and_kinds_of_record(text: str, key: str, says: str) -> None:
    error = refused(LANDING + text)
    assert (error.key, says in error.problem) == (f'"landing/p.txt".{key}', True), error


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('record_type = [2, 2]\nrecords.h = { value = "H", columns = { x = "date" } }', "its first field"),
        ('options = { header = true }\nrecords.h = { value = "H", columns = { x = "date" } }', "names columns"),
    ],
)
def test_delimited_kinds_of_record(text: str, says: str) -> None:
    assert says in refused(f"{LANDING}{A}{text}").problem


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ('["landing/b.json"]\n' + X + 'sections.h.x = "date"', "rows", "must say where its rows are"),
        ('["landing/b.xml"]\n' + X, "rows", "it is missing"),
        (J.replace('"r"', '"a..b"'), "rows", "'a..b' is no path"),
        (J + "sections = { }", "sections", "names no section"),
        (J + "sections.h = { }", "sections.h", "names no value"),
        (J + 'sections.h = "date"', "sections.h", "a table is expected"),
        (J + 'sections.h.x = "money"', "sections.h.x", "no type that Iceberg stores"),
        (J + 'sections.h."a.b" = "date"', 'sections.h."a.b"', "a dot parts"),
        (J + 'sections."h.i".x = "date"', 'sections."h.i"', "a dot parts"),
        (J + 'sections.h.x = "date"\nsections.H.x = "date"', "sections.H", "one name in SQL"),
        (J + 'sections.h.x = "date"\nsections.h.X = "date"', "sections.h.X", "one name in SQL"),
        (J + 'sections.h.x = { type = "date", path = "." }', "sections.h.x.path", "is no path"),
        (J + 'records.h = { value = "H", columns = { x = "date" } }', "records", "has one kind of record"),
    ],
)
def test_documents(text: str, key: str, says: str) -> None:
    error = refused(LANDING + text)
    assert error.key.partition(".")[2].partition(".")[2] == key or error.key.endswith(f'".{key}'), error
    assert says in error.problem
