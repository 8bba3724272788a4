"""What a statement over datasets of files reads, by the views that stand before it."""

import tomllib
from itertools import permutations

import pytest

from governance.block import Block, BlockKind
from governance.landing.views import file_blocks
from governance.lineage import column_lineage
from governance.policy_file import Section
from governance.sources import Source, sources_in

SOURCES = """
[locations.landing]
at = "landing"

["landing/a.csv"]
columns.x = "date"

["landing/payments.txt"]
format = "fixed"
record_type = [1, 2]
filename = "source file"
["landing/payments.txt".records.header]
value = "H'"
columns.batch_id = { type = "bigint", at = [3, 9] }
columns.day = { type = "date", at = [10, 17] }
["landing/payments.txt".records.detail]
value = "D"
parent = "header"
join_key = "batch_id"
columns.batch_id = { type = "bigint", at = [3, 9] }
columns.'odd"name' = { type = "bigint", at = [10, 17] }

["landing/batch.json"]
rows = "body.payments"
columns.payment_id = "bigint"
sections.header.batch_date = "date"
sections.trailer.record_count = "bigint"
"""
TXT, HEADER, DETAIL = "landing/payments.txt", "landing/payments.txt#header", "landing/payments.txt#detail"
JSON = "landing/batch.json"


@pytest.fixture(scope="module")
def sources() -> tuple[Source, ...]:
    return sources_in(Section("sources.toml", "", tomllib.loads(SOURCES)))


def edges(sources: tuple[Source, ...], blocks: tuple[Block, ...], query: str) -> dict[str, object]:
    schema = {it.table: dict(it.columns) for it in sources}
    (lineage,) = column_lineage(f"create table x.y as {query}", schema, prelude=blocks)
    found = lineage.as_dict()
    assert found["output"] == "x.y"
    short = {name: sorted(f"{d}.{f} {t} {s}" for d, f, t, s, _ in deps) for name, deps in found["fields"].items()}
    return {**short, "*": sorted(f"{d}.{f} {t} {s}" for d, f, t, s, _ in found["dataset"]), "inputs": found["inputs"]}


def test_what_is_one_dataset_needs_no_view(sources: tuple[Source, ...]) -> None:
    blocks = file_blocks(sources)
    assert [it.name for it in blocks] == [JSON, TXT, HEADER, DETAIL]
    assert {it.kind for it in blocks} == {BlockKind.FILE}


def test_every_record_lists_each_kind_that_has_the_column(sources: tuple[Source, ...]) -> None:
    assert edges(sources, file_blocks(sources), "select * from 'landing/payments.txt' where record_type <> 'X'") == {
        "record_type": [f"{TXT}.record_type DIRECT IDENTITY"],
        "source file": [f"{TXT}.source file DIRECT IDENTITY"],
        "batch_id": [f"{DETAIL}.batch_id DIRECT IDENTITY", f"{HEADER}.batch_id DIRECT IDENTITY"],
        "day": [f"{HEADER}.day DIRECT IDENTITY"],
        'odd"name': [f'{DETAIL}.odd"name DIRECT IDENTITY'],
        "*": [f"{TXT}.record_type INDIRECT FILTER"],
        "inputs": [TXT, DETAIL, HEADER],
    }


def test_one_kind_of_record_is_told_by_the_files_discriminator(sources: tuple[Source, ...]) -> None:
    for blocks in permutations(file_blocks(sources)):
        assert edges(sources, blocks, "select * from 'landing/payments.txt#detail'") == {
            "batch_id": [f"{DETAIL}.batch_id DIRECT IDENTITY"],
            'odd"name': [f'{DETAIL}.odd"name DIRECT IDENTITY'],
            "source file": [f"{TXT}.source file DIRECT IDENTITY"],
            "*": [f"{TXT}.record_type INDIRECT FILTER"],
            "inputs": [TXT, DETAIL],
        }


def test_kinds_of_record_join_by_their_key(sources: tuple[Source, ...]) -> None:
    query = """
        select d."odd""name" n, h.day
        from 'landing/payments.txt#detail' d join 'landing/payments.txt#header' h using (batch_id)
    """
    assert edges(sources, file_blocks(sources), query) == {
        "n": [f'{DETAIL}.odd"name DIRECT IDENTITY'],
        "day": [f"{HEADER}.day DIRECT IDENTITY"],
        "*": [
            f"{DETAIL}.batch_id INDIRECT JOIN",
            f"{HEADER}.batch_id INDIRECT JOIN",
            f"{TXT}.record_type INDIRECT FILTER",
        ],
        "inputs": [TXT, DETAIL, HEADER],
    }


@pytest.mark.parametrize("doc", ['"$doc"', "$doc", 'b."$doc"'])
@pytest.mark.parametrize("read", ["'landing/batch.json'", "read_json('landing/batch.json', format = 'array')"])
def test_a_value_beside_the_rows_is_a_field_of_the_document(sources: tuple[Source, ...], doc: str, read: str) -> None:
    query = """
        select payment_id, $.header.batch_date as day
        from %
        where $.trailer.record_count > 0
    """
    query = query.replace("$", doc).replace("%", f"{read} b")
    assert edges(sources, file_blocks(sources), query) == {
        "payment_id": [f"{JSON}.payment_id DIRECT IDENTITY"],
        "day": [f"{JSON}.$doc.header.batch_date DIRECT IDENTITY"],
        "*": [f"{JSON}.$doc.trailer.record_count INDIRECT FILTER"],
        "inputs": [JSON],
    }


def test_a_reading_function_reads_every_record_too(sources: tuple[Source, ...]) -> None:
    blocks = file_blocks(sources)
    assert edges(sources, blocks, "select day, record_type from read_csv('landing/payments.txt', skip = 1)") == edges(
        sources, blocks, "select day, record_type from 'landing/payments.txt'"
    )
