"""What a query reads of files: every place, as written, with its options; and what is refused, with place and fix."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import pytest

from governance.block import Block, BlockKind
from governance.errors import DynamicSql, LineageError, UnknownTable, UnreadConstruct
from governance.landing.model import FileColumn, FileSource, Format, Location
from governance.pipeline import Pipeline
from governance.sources import Source
from governance.statement import Statement, parse, read_program, trace

FILE = "pipelines/a/b.sql"
HEAD = "create table a.b as "
CALL = "read_csv('in/o.csv' /* , x */, nullstr = ['a,b)', '('])"
COLUMNS = (("id", "bigint"), ("amount", "decimal(10, 2)"))


def read(query: str) -> Statement:
    return parse(Pipeline("a.b", FILE, HEAD + query))


def source(name: str, form: Format = Format.CSV) -> Source:
    columns = tuple(FileColumn(*it) for it in COLUMNS)
    return Source(name, COLUMNS, files=FileSource(name, Location("in", "in"), form, columns))


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("from 'in/o.csv'", ["'in/o.csv'"]),
        ('select o.id from "in/o.csv" as o', ['"in/o.csv"']),
        ("select * from 'in/it''s.csv' o(a, b)", ["'in/it''s.csv'"]),
        ("select * from 'in/2026/*.csv', 'in/o.csv'", ["'in/2026/*.csv'", "'in/o.csv'"]),
        ("select * from read_csv('in/o.csv') o", ["read_csv('in/o.csv')"]),
        ("select * from READ_CSV_AUTO ( 'in/o.csv' )", ["READ_CSV_AUTO ( 'in/o.csv' )"]),
        ("from read_parquet(['in/o.parquet'])", ["read_parquet(['in/o.parquet'])"]),
        ("from parquet_scan('in/o.parquet')", ["parquet_scan('in/o.parquet')"]),
        ("with q as (from 'in/o.csv') select * from q union all from 'in/p.csv'", ["'in/o.csv'", "'in/p.csv'"]),
        ("select * from c.d where id in (select id from 'in/o.csv')", ["'in/o.csv'"]),
        ("select (select max(id) from read_csv('in/o.csv')) as m from c.d", ["read_csv('in/o.csv')"]),
        ("select * from c.d, lateral (from 'in/o.csv')", ["'in/o.csv'"]),
        ("select * from c.d cross join lateral read_csv('in/o.csv') r", ["read_csv('in/o.csv')"]),
        ("pivot 'in/o.csv' on id using sum(amount)", ["'in/o.csv'"]),
        ("unpivot 'in/o.csv' on id, amount into name k value v", ["'in/o.csv'"]),
        ("select * from read_csv('in/o.csv' /* , x */, nullstr = ['a,b)', '(']) -- 'in/p.csv'", [CALL]),
        ("select $doc.h.d, $DOC.h.e from 'in/b.json' b join 'in/o.csv' on b.$doc.h.f", ["'in/b.json'", "'in/o.csv'"]),
        ("with o as (select 1 as x) select * from 'o'", []),
        ("select 'in/o.csv' as x, '''in/o.csv' as y from c.d", []),
    ],
)
def test_each_place_is_as_it_stands_in_the_query(query: str, reads: list[str]) -> None:
    statement = read(query)
    assert [statement.query[slice(*it.span)] for it in statement.files] == reads
    assert {it.path for it in statement.files} == {name for name in statement.reads if "/" in name}


def test_places_hold_in_a_query_of_several_lines() -> None:
    query = "select $doc.h.d\nfrom read_json(\n  'in/b.json'\n) b -- 'in/o.csv'\njoin 'in/o.csv' o on $doc.h.d = o.id"
    sql = f"-- owner: team:x\ncreate table a.b as\n{query}\n"
    statement = parse(Pipeline("a.b", FILE, sql))
    assert statement.query.startswith('select "$doc".h.d\nfrom')
    assert [statement.query[slice(*it.span)] for it in statement.files] == [
        "read_json(\n  'in/b.json'\n)",
        "'in/o.csv'",
    ]
    assert (statement.line, statement.column) == (3, 1)


@pytest.mark.parametrize(
    ("call", "function", "options"),
    [
        ("read_csv('in/o.csv')", "read_csv", {}),
        ("read_csv('in/o.csv', delim = ';', header = true)", "read_csv", {"delim": "';'", "header": "true"}),
        (
            "read_csv('in/o.csv', SEP := '|', nullstr => ['', 'NA'])",
            "read_csv",
            {"delim": "'|'", "nullstr": "['', 'NA']"},
        ),
        ("read_csv_auto('in/o.csv', auto_detect = true, store_rejects=TRUE, skip = 2)", "read_csv_auto", {"skip": "2"}),
        ("read_json('in/o.json', format = 'array')", "read_json", {"format": "'array'"}),
        ("read_ndjson('in/o.json')", "read_ndjson", {"format": "'newline_delimited'"}),
    ],
)
def test_options_are_the_text_of_their_values(call: str, function: str, options: dict[str, str]) -> None:
    (found,) = read(f"select * from {call} o").files
    assert (found.function, dict(found.options)) == (function, options)


@pytest.mark.parametrize(
    ("query", "error", "column", "says", "fix"),
    [
        ("from 'o.csv'", UnknownTable, 6, "'o.csv' names no location", "location/path"),
        ("from '/in/o.csv'", UnknownTable, 6, "a path of this machine", "location/path"),
        ("from 'C:\\in\\o.csv'", UnknownTable, 6, "a path of this machine", "location/path"),
        ("from '~/o.csv'", UnknownTable, 6, "a path of this machine", "location/path"),
        ("from 'in/../o.csv'", UnknownTable, 6, "another way than down", "without . and .."),
        ("from './in/o.csv'", UnknownTable, 6, "another way than down", "without . and .."),
        ("from 's3://bucket/o.csv'", UnknownTable, 6, "a URL is read by the name", "[locations.name]"),
        ("from read_csv('https://x.y/o.csv')", UnknownTable, 15, "a URL is read by the name", "[locations.name]"),
        ("from read_csv('in/' || 'o.csv')", DynamicSql, 15, "not written as a text", "single quotes"),
        ("from read_csv(['in/o.csv', 'in/p.csv'])", UnreadConstruct, 15, "a list of paths", "a glob"),
        ("from read_text('in/o.txt')", UnreadConstruct, 6, "read_text reads past the catalog", "headwater sniff"),
        ("from read_blob('in/o.txt')", UnreadConstruct, 6, "read_blob reads past", "headwater sniff"),
        ("from glob('in/*')", UnreadConstruct, 6, "glob reads past", "headwater sniff"),
        ("from parquet_metadata('in/o.parquet')", UnreadConstruct, 6, "parquet_metadata reads past", "headwater sniff"),
        ("from sqlite_scan('in/o.db', 't')", UnreadConstruct, 6, "sqlite_scan reads past", "headwater sniff"),
        ("from main.read_csv('in/o.csv')", UnreadConstruct, 11, "stands in FROM, by its name alone", "FROM 'location"),
        ("from read_csv('in/o.csv', columns = {'a': 'int'})", UnreadConstruct, 27, "no option with", "name = value"),
        ("from read_csv('in/o.csv', names = ['a'])", UnreadConstruct, 27, "names would change", "columns.name"),
        ("from read_csv('in/o.csv', types = ['int'])", UnreadConstruct, 27, "types would change", "columns.name"),
        ("from read_csv('in/o.csv', all_varchar = true)", UnreadConstruct, 27, "would change", "columns.name"),
        ("from read_csv('in/o.csv', auto_detect = false)", UnreadConstruct, 27, "would change", "declared stands"),
        ("from read_csv('in/o.csv', ignore_errors = true)", UnreadConstruct, 27, "would change", "quarantine"),
        ("from read_csv('in/o.csv', rejects_table = 'r')", UnreadConstruct, 27, "would change", "quarantine"),
        ("from read_csv('in/o.csv', filename = true)", UnreadConstruct, 27, "filename would change", "source_file"),
        ("from read_csv('in/o.csv', union_by_name = true)", UnreadConstruct, 27, "would change", "columns"),
        ("from read_csv('in/o.csv', delimm = ';')", UnreadConstruct, 27, "no option delimm", "did you mean delim"),
        ("from read_csv('in/o.csv', skip = 'x')", UnreadConstruct, 27, "is no value of skip", "skip = 1"),
        ("from read_csv('in/o.csv', skip = 1 + 1)", UnreadConstruct, 27, "no option with", "name = value"),
        ("from read_csv('in/o.csv', header)", UnreadConstruct, 27, "no option with", "name = value"),
        ("select $1 as x from c.d", UnreadConstruct, 8, "a parameter is given no value", "$doc"),
        ("select x from c.d where y = ?", UnreadConstruct, 29, "a parameter is given no value", "$doc"),
        ("select $document.x from c.d", UnreadConstruct, 8, "a parameter is given no value", "$doc"),
    ],
)  # fmt: skip
def test_what_is_not_read_says_place_and_fix(
    query: str, error: type[LineageError], column: int, says: str, fix: str
) -> None:
    with pytest.raises(error) as caught:
        read(query)
    assert caught.value.where() == f"{FILE}:1:{len(HEAD) + column}"
    assert says in caught.value.problem
    assert fix in caught.value.fix


def test_a_path_of_this_machine_is_not_repeated() -> None:
    with pytest.raises(UnknownTable) as caught:
        read("from '/home/me/o.csv'")
    assert "/home" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "says", "fix"),
    [
        ("from 'in/x.csv'", "no source declares in/x.csv", "`headwater sniff --write in/x.csv` declares it"),
        ("from 'in/order.csv'", "no source declares in/order.csv", "did you mean in/orders.csv?"),
        ("from 'in/Orders.csv'", "no source declares in/Orders.csv", "did you mean in/orders.csv?"),
        ("from read_json('in/orders.csv')", "in/orders.csv is declared as csv", "FROM 'in/orders.csv'"),
    ],
)
def test_what_no_source_declares_is_told_with_what_to_do(query: str, says: str, fix: str) -> None:
    found = read_program([Pipeline("a.b", FILE, HEAD + query)], [source("in/orders.csv")])
    error = found.unreadable["a.b"]
    assert says in error.problem
    assert fix in error.fix
    assert error.where().startswith(f"{FILE}:1")


@pytest.mark.parametrize("relation", ["'in/o.csv'", "read_csv('in/o.csv', delim = ';')", '"in/o.csv"'])
def test_a_file_has_the_declared_columns(relation: str) -> None:
    statement = read(f"select o.id, o.amount * 2 as double from {relation} o where o.amount > 1")
    (declared,) = [source("in/o.csv")]
    lineage = trace(statement, {declared.table: dict(declared.columns)})
    assert lineage.as_dict() == {
        "output": "a.b",
        "fields": {
            "id": [["in/o.csv", "id", "DIRECT", "IDENTITY", False]],
            "double": [["in/o.csv", "amount", "DIRECT", "TRANSFORMATION", False]],
        },
        "dataset": [["in/o.csv", "amount", "INDIRECT", "FILTER", False]],
        "inputs": ["in/o.csv"],
    }


def test_inputs_stand_as_files_are_declared() -> None:
    names = ["in/p.txt", "in/p.txt#header", "in/p.txt#detail"]
    views = tuple(
        Block(name, BlockKind.FILE, "sources.toml", 1, f"create view \"{name}\" as select * from read_csv('{name}')")
        for name in names
    )
    query = "select d.id from 'in/p.txt#detail' d, 'in/p.txt#header' h, 'in/p.txt' p, c.d x, 'in/a.csv' a"
    statement = parse(Pipeline("a.b", FILE, HEAD + query, blocks=views))
    assert statement.reads == ("c.d", "in/a.csv", *names)
    lineage = trace(statement, {name: dict(COLUMNS) for name in statement.reads})
    assert lineage.inputs == statement.reads


def test_a_misspelt_kind_of_record_is_told_with_those_that_are_declared() -> None:
    sources = [source(name) for name in ("in/p.csv", "in/p.csv#detail", "in/p.csv#header", "in/one.csv")]
    for path, problem, fix in (
        ("in/p.csv#detial", "in/p.csv has no kind of record detial", "write # and one of detail, header"),
        ("in/one.csv#detail", "in/one.csv has no kind of record detail", "write 'in/one.csv'"),
    ):
        found = read_program([Pipeline("a.b", FILE, f"{HEAD}from '{path}'")], sources)
        error = found.unreadable["a.b"]
        assert error.problem == problem
        assert fix in error.fix
        assert "sniff" not in error.fix
