import gzip
from datetime import date
from pathlib import Path

import pytest

from governance.errors import LandingError
from governance.landing.model import FileColumn, Format, Section
from platform_assets.engines.engine import Landing
from platform_assets.engines.shape import ShapeChanged
from platform_assets.engines.xml import readable
from tests.engines.landed import columns_of, landed, read, source, told

MANIFEST = source(
    "m.xml",
    Format.XML,
    {
        "parcel": FileColumn("", "varchar", path="@number"),
        "grams": "integer",
        "city": FileColumn("", "varchar", path="to.city"),
    },
    rows="manifest.parcels.parcel",
    filename="file",
    sections=(Section("header", columns_of({"day": FileColumn("", "date", path="manifest.header.day")})),),
)
CONTENT = """<?xml version="1.0"?>
<m:manifest xmlns:m="urn:m"><header><day> 2026-09-03 </day></header>
<parcels>
<parcel number="P1"><grams>30</grams><to><city>Ulm &amp; Umland</city></to></parcel>
<parcel number="P2"><grams>x</grams><to/></parcel>
<parcel number="P3"><grams>1</grams><grams>2</grams></parcel>
<parcel number="P4"><grams>1<kilo/></grams></parcel>
<parcel><grams/></parcel>
</parcels></m:manifest>"""
FIT = [
    ("P1", 30, "Ulm & Umland", "landing/m.xml", date(2026, 9, 3)),
    (None, None, None, "landing/m.xml", date(2026, 9, 3)),
]
QUERY = 'select * exclude ("$doc"), "$doc".header.day from "landing/m.xml" order by all'


def made(folder: Path, content: bytes | str, name: str = "m.xml") -> Landing:
    return readable(landed(folder, MANIFEST, {name: content}), folder)


def test_rows_sections_and_attributes(tmp_path: Path) -> None:
    rows, outcome = read(QUERY, made(tmp_path, CONTENT))
    assert rows == FIT
    assert told(outcome["landing/m.xml"]) == [
        (
            "landing/m.xml",
            5,
            "grams",
            "Could not convert string \"x\" to 'INTEGER'",
            '{"parcel":"P2","grams":"x","city":null}',
        ),
        ("landing/m.xml", 6, None, "grams: it is there more than once", '{"parcel":"P3","grams":"2","city":null}'),
        ("landing/m.xml", 7, None, "grams: it has elements in it", '{"parcel":"P4","grams":"1","city":null}'),
    ]
    assert outcome["landing/m.xml"].rows == 2


def test_compressed_files_and_other_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-16", "latin-1"):
        content = CONTENT.replace('"1.0"', f'"1.0" encoding="{encoding}"').replace("Ulm &amp; Umland", "Köln")
        rows, _ = read(QUERY, made(tmp_path, gzip.compress(content.encode(encoding)), "m.xml.gz"))
        assert rows[0][2] == "Köln"


def test_no_file_has_no_row_and_an_empty_file_is_no_document(tmp_path: Path) -> None:
    rows, outcome = read(QUERY, readable(landed(tmp_path, MANIFEST, {}), tmp_path))
    assert (rows, outcome["landing/m.xml"].rows) == ([], 0)
    with pytest.raises(ShapeChanged, match=r"landing/m\.xml: it is empty"):
        made(tmp_path, "")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("<?xml", '<!DOCTYPE m [<!ENTITY e "x">]><?x', "m.xml:1: it declares a document type"),
        ("</grams>", "</gram>", "m.xml:4:"),
        ("</parcels>", "", "no XML: mismatched tag"),
    ],
)
def test_what_is_no_xml_or_could_read_other_files_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(LandingError) as raised:
        made(tmp_path, CONTENT.replace(old, new, 1))
    assert problem in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("parcel ", "package ", "it has no manifest.parcels.parcel, and beside where it should be package"),
        ("parcels", "packages", "it has no manifest.parcels.parcel"),
        ("grams", "weight", "column grams is missing"),
        ("day", "date", "column $doc.header.day is missing"),
        ("<day>", "<day>1</day><day>", "$doc.header.day: it is there more than once"),
    ],
)
def test_what_is_not_where_it_is_declared_is_named(tmp_path: Path, old: str, new: str, problem: str) -> None:
    content = CONTENT.replace("</parcel>", "</parcel >").replace("<parcel>", "<parcel >")
    with pytest.raises(ShapeChanged) as raised:
        made(tmp_path, content.replace(old, new))
    assert f"landing/m.xml: {problem}" in str(raised.value)
    assert 'change ["landing/m.xml"] in sources.toml' in raised.value.fix


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("<grams>30</grams>", "<grams>30</grams><colour>red</colour>", "column colour is not declared"),
        ('number="P2"', 'number="P2" size="5"', "column @size is not declared"),
        ("<city>Ulm", "<street><no>1</no></street><city>Ulm", "column to.street is not declared"),
    ],
)
def test_what_a_row_has_and_no_column_is_changed_its_shape(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(ShapeChanged, match=rf"landing/m\.xml: {problem}"):
        made(tmp_path, CONTENT.replace(old, new))


def test_an_attribute_of_another_namespace_is_none_of_a_row(tmp_path: Path) -> None:
    rows, _ = read(QUERY, made(tmp_path, CONTENT.replace('number="P2"', 'number="P2" xmlns:x="urn:x" x:nil="true"')))
    assert rows == FIT


def test_a_document_may_have_no_row(tmp_path: Path) -> None:
    rows, _ = read(QUERY, made(tmp_path, "<manifest><header><day>2026-01-01</day></header><parcels/></manifest>"))
    assert rows == []
