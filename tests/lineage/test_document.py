"""A document's sections are fields of its dataset, read by the struct that holds them."""

import pytest

from governance.block import Block, BlockKind
from governance.lineage import column_lineage

DOCUMENT = {"in/b.json": {"id": "bigint", "$doc.header.day": "date", "$doc.trailer.n": "int"}}
STRUCT = Block(
    "in/b.json",
    BlockKind.FILE,
    "sources.toml",
    1,
    'create view "in/b.json" as select "id", struct_pack("header" := struct_pack("day" := "$doc.header.day"), '
    '"trailer" := struct_pack("n" := "$doc.trailer.n")) as "$doc" from read_csv(\'in/b.json\')',
)


@pytest.mark.parametrize(
    ("sql", "fields", "rows"),
    [
        ("select $doc.header.day from 'in/b.json'", {"day": {("$doc.header.day", "IDENTITY")}}, set()),
        ("select b.\"$doc\".header.day as d from 'in/b.json' b", {"d": {("$doc.header.day", "IDENTITY")}}, set()),
        ("select b.$DOC.trailer.n + 1 as n from 'in/b.json' b", {"n": {("$doc.trailer.n", "TRANSFORMATION")}}, set()),
        (
            "select id from 'in/b.json' where $doc.trailer.n > 1",
            {"id": {("id", "IDENTITY")}},
            {("$doc.trailer.n", "FILTER")},
        ),
        (
            "with q as (from 'in/b.json') select q.$doc.header.day d from q",
            {"d": {("$doc.header.day", "IDENTITY")}},
            set(),
        ),
        (
            "select $doc from 'in/b.json'",
            {"$doc": {("$doc.header.day", "TRANSFORMATION"), ("$doc.trailer.n", "TRANSFORMATION")}},
            set(),
        ),
        (
            "select $doc.header.day as d from (select $doc from 'in/b.json' union all by name from 'in/b.json')",
            {"d": {("$doc.header.day", "IDENTITY")}},
            set(),
        ),
        (
            "select max($doc.trailer.n) as n from 'in/b.json' group by $doc.header.day order by $doc.header.day",
            {"n": {("$doc.trailer.n", "AGGREGATION")}},
            {("$doc.header.day", "GROUP_BY"), ("$doc.header.day", "SORT")},
        ),
    ],
)
def test_a_documents_sections_are_fields(
    sql: str, fields: dict[str, set[tuple[str, str]]], rows: set[tuple[str, str]]
) -> None:
    (found,) = column_lineage(sql, DOCUMENT, prelude=(STRUCT,))
    assert {it.name: {(x.field, x.transformation.name) for x in it.inputs} for it in found.fields} == fields
    assert {(it.field, it.transformation.name) for it in found.dataset} == rows
    assert found.inputs == ("in/b.json",)
