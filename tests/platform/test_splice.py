"""A query's files become names of relations, and every line stays where it is."""

from dataclasses import replace

from governance.landing.model import FileSource, Format, Location
from governance.pipeline import parse_pipeline
from governance.sources import Source
from governance.statement import Kind, Statement
from governance.statement.model import FileRead
from platform_assets.runs.splice import Reading, splice

LANDING = Location("landing", "landing")
ORDERS = FileSource("landing/orders/*.csv", LANDING, Format.CSV)
PAY = FileSource("landing/pay.txt", LANDING, Format.FIXED)
SOURCES = {
    name: Source(name, (), None, files)
    for name, files in (("landing/orders/*.csv", ORDERS), ("landing/pay.txt", PAY), ("landing/pay.txt#detail", PAY))
}


def statement(query: str, *reads: tuple[str, str, tuple[tuple[str, str], ...]]) -> Statement:
    """``reads`` are (text in the query, path, options), in order."""
    files: list[FileRead] = []
    for text, path, options in reads:
        begin = query.index(text, files[-1].span[1] if files else 0)
        files.append(FileRead(path, options, (begin, begin + len(text))))
    pipeline = parse_pipeline("a.b", "a/b.sql", query)
    return Statement(pipeline, Kind.REPLACE, query, 1, 1, (), (), (), (0, len(query)), tuple(files))


def test_a_query_without_files_is_left_as_it_is() -> None:
    plain = replace(statement("select 1"), files=())
    assert splice(plain, {}).text == "select 1"


def test_paths_become_quoted_names_and_a_kind_of_record_keeps_its_own() -> None:
    text = "select * from 'landing/orders/*.csv' o, 'landing/pay.txt#detail' d"
    read = statement(
        text,
        ("'landing/orders/*.csv'", "landing/orders/*.csv", ()),
        ("'landing/pay.txt#detail'", "landing/pay.txt#detail", ()),
    )
    done = splice(read, SOURCES)
    assert done.text == 'select * from "landing/orders/*.csv" o, "landing/pay.txt#detail" d'
    assert done.readings == (Reading(ORDERS.name, ORDERS, ()), Reading(PAY.name, PAY, ()))


def test_a_call_over_several_lines_leaves_the_rest_on_its_lines_and_is_a_relation_of_its_own() -> None:
    call = "read_csv(\n  'landing/orders/*.csv',\n  delim = ';')"
    options = (("delim", "';'"),)
    other = "read_csv('landing/orders/*.csv', header=false)"
    read = statement(
        f"select *\nfrom {call} a,\n'landing/orders/*.csv' b,\n{call} c,\n{other} d",
        (call, ORDERS.name, options),
        ("'landing/orders/*.csv'", ORDERS.name, ()),
        (call, ORDERS.name, options),
        (other, ORDERS.name, (("header", "false"),)),
    )
    done = splice(read, SOURCES)
    assert done.text == (
        'select *\nfrom "landing/orders/*.csv 1"\n\n a,\n"landing/orders/*.csv" b,\n'
        '"landing/orders/*.csv 1"\n\n c,\n"landing/orders/*.csv 2" d'
    )
    assert [it.relation for it in done.readings] == [f"{ORDERS.name} 1", ORDERS.name, f"{ORDERS.name} 2"]
    assert done.text.count("\n") == read.query.count("\n")
