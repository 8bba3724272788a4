"""What sources.toml may not say of places in a line, kinds of record and documents."""

import pytest

from tests.landing.refusing import LANDING, A, H, J, R, T, X, refused


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
