from pathlib import Path

import pytest

from governance.dataset import Dataset
from governance.landing.model import FileColumn, FileSource, Format, Location, Record, Section
from governance.landing.names import in_order, namespaces
from governance.policy import Source, load_policy, load_sources
from governance.project import project_at

LANDING = '[locations.landing]\nat = "landing"\n'
PLACE = Location("landing", "landing")
PAYMENTS = """
["landing/payments.txt"]
format = "fixed"
record_type = [1, 1]
["landing/payments.txt".records.header]
value = "H"
columns.batch_id = { type = "bigint", at = [2, 9] }
columns.batch_date = { type = "date", at = [10, 17], format = "%Y%m%d" }
["landing/payments.txt".records.detail]
value = "D"
parent = "header"
join_key = "batch_id"
columns.batch_id = { type = "bigint", at = [2, 9] }
columns.amount = { type = "decimal(10,2)", at = [10, 21] }
"""
BATCH = """
["landing/batch.json"]
rows = "body.payments"
columns.payment_id = "bigint"
sections.header.batch_date = "date"
sections.trailer.record_count = { type = "bigint", path = "trailer.count" }
"""


def loaded(folder: Path, text: str, locations: str = LANDING) -> tuple[Source, ...]:
    project = project_at(folder)
    project.sources.parent.mkdir(parents=True, exist_ok=True)
    project.sources.write_text(locations + text, encoding="utf-8")
    return load_sources(project)


def test_policy_speaks_of_files_of_kinds_of_record_and_of_a_documents_header(tmp_path: Path) -> None:
    loaded(tmp_path, PAYMENTS + BATCH)
    metadata = """
["landing/payments.txt#detail"]
owner = "team:billing"
columns.amount = { classification = "internal" }
["landing/batch.json"]
columns."$doc.header.batch_date" = { classification = "public", description = "Day of the batch." }
"""
    folder = tmp_path / "governance"
    folder.mkdir()
    (folder / "metadata.toml").write_text(metadata)
    (folder / "lineage.toml").write_text(
        'order = ["public", "internal"]\npropagate_through = ["DIRECT"]\nmasking_functions = []\n'
        'namespace = "iceberg://x"\njob_namespace = "headwater"\n'
    )
    policy = load_policy(project_at(tmp_path))
    assert policy.tables["landing/payments.txt#detail"].owner == "team:billing"
    assert policy.column("landing/payments.txt#detail", "amount").classification == "internal"
    assert policy.column("landing/batch.json", "$doc.header.batch_date").description == "Day of the batch."
    assert policy.lineage.dataset("landing/payments.txt#detail") == Dataset("file", "landing/payments.txt#detail")


def declared(folder: Path, text: str) -> FileSource:
    files = loaded(folder, text)[0].files
    assert files is not None
    return files


def test_a_csv_file_is_one_dataset_of_its_location(tmp_path: Path) -> None:
    text = """
["landing/orders/*.csv"]
description = "Orders."
options = { sep = ";", nullstr = ["NA", "-"], skip = 2 }
columns.order_id = "int8"
columns.paid_on = { type = "date", format = "%d.%m.%Y" }
filename = "source_file"
max_rejects = 100
"""
    (source,) = loaded(tmp_path, text, '[locations.landing]\nat = "s3://bucket/in/"\nnamespace = "s3://bucket"\n')
    assert source.table == "landing/orders/*.csv"
    assert source.description == "Orders."
    assert source.columns == (("order_id", "bigint"), ("paid_on", "date"), ("source_file", "varchar"))
    assert source.files == FileSource(
        name="landing/orders/*.csv",
        location=Location("landing", "s3://bucket/in", "s3://bucket"),
        format=Format.CSV,
        columns=(FileColumn("order_id", "bigint"), FileColumn("paid_on", "date", format="%d.%m.%Y")),
        options={"delim": ";", "nullstr": ("NA", "-"), "skip": 2, "header": True},
        filename="source_file",
        max_rejects=100,
    )
    assert namespaces([source]) == {"landing/orders/*.csv": "s3://bucket"}


@pytest.mark.parametrize(
    ("name", "form", "options"),
    [
        ("a.csv", Format.CSV, {"header": True}),
        ("A.CSV.GZ", Format.CSV, {"header": True}),
        ("a.tsv.zst", Format.CSV, {"delim": "\t", "header": True}),
        ("a.json", Format.JSON, {}),
        ("a.jsonl", Format.JSON, {"format": "newline_delimited"}),
        ("deep/**/a.ndjson.gz", Format.JSON, {"format": "newline_delimited"}),
        ("a.parquet", Format.PARQUET, {}),
    ],
)
def test_the_ending_tells_the_format(tmp_path: Path, name: str, form: Format, options: dict[str, str | bool]) -> None:
    source = declared(tmp_path, f'["landing/{name}"]\ncolumns.x = "bigint"\n')
    assert (source.format, source.options) == (form, options)


def test_several_kinds_of_record_are_datasets_after_the_file_in_declared_order(tmp_path: Path) -> None:
    sources = loaded(
        tmp_path, '["a.b"]\ncolumns.x = "date"\n' + PAYMENTS.replace("[1, 1]", '[1, 1]\nfilename = "file"', 1)
    )
    assert [(it.table, [name for name, _ in it.columns]) for it in sources] == [
        ("a.b", ["x"]),
        ("landing/payments.txt", ["record_type", "file"]),
        ("landing/payments.txt#header", ["batch_id", "batch_date"]),
        ("landing/payments.txt#detail", ["batch_id", "amount"]),
    ]
    files = sources[1].files
    assert files is not None
    assert all(it.files is files for it in sources[2:])
    batch = FileColumn("batch_id", "bigint", (2, 9))
    assert (files.columns, files.record_type) == ((), (1, 1))
    assert files.records == (
        Record("header", "H", (batch, FileColumn("batch_date", "date", (10, 17), "%Y%m%d"))),
        Record("detail", "D", (batch, FileColumn("amount", "decimal(10, 2)", (10, 21))), "header", "batch_id"),
    )
    names = namespaces(sources)
    assert list(names) == [it.table for it in sources[1:]]
    assert in_order(
        ["z.z", "landing/payments.txt#detail", "landing/payments.txt#header", "landing/payments.txt"], names
    ) == (
        "landing/payments.txt",
        "landing/payments.txt#header",
        "landing/payments.txt#detail",
        "z.z",
    )


def test_a_delimited_record_is_told_by_its_first_field(tmp_path: Path) -> None:
    text = '["landing/p.csv"]\nrecords.a = { value = "A", columns = { x = "date" } }\n'
    source = declared(tmp_path, text)
    assert (source.record_type, source.options) == ((1, 1), {"header": False})


def test_a_document_has_a_field_for_each_value_beside_its_rows(tmp_path: Path) -> None:
    (source,) = loaded(tmp_path, BATCH)
    assert source.columns == (
        ("payment_id", "bigint"),
        ("$doc.header.batch_date", "date"),
        ("$doc.trailer.record_count", "bigint"),
    )
    assert source.files is not None
    assert source.files.rows == "body.payments"
    assert source.files.sections == (
        Section("header", (FileColumn("batch_date", "date", path="header.batch_date"),)),
        Section("trailer", (FileColumn("record_count", "bigint", path="trailer.count"),)),
    )
