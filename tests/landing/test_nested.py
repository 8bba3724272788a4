"""Nested columns: of a file as of a table, in lineage and in what events say of them."""

import tomllib

from governance.errors import UnknownColumn
from governance.landing.views import file_blocks
from governance.lineage import column_lineage
from governance.lineage.model import ColumnLineage
from governance.policy_file import Section
from governance.sources import Source, sources_in

COLUMNS = """
columns.id = "bigint"
columns.address = "struct(city varchar, geo struct(lat double, lon double))"
columns.lines = "struct(sku varchar, qty integer)[]"
columns.prices = "map(varchar, decimal(10, 2))"
"""
SOURCES = f"""
[locations.landing]
at = "in"

["landing/a.json"]
{COLUMNS}

["landing/b.json"]
rows = "body"
sections.header.tags = "varchar[]"
{COLUMNS}

["s.a"]
{COLUMNS}
"""
QUERIES = (
    "select address.city, t.address.geo.lat, lines[1].sku, prices['EUR'] as eur from {t} t where t.address.geo.lon > 1",
    "select address.*, address from {t}",
    "select u.sku, u.qty from (select unnest(lines) as u from {t})",
)


def declared() -> tuple[Source, ...]:
    return sources_in(Section("sources.toml", "", tomllib.loads(SOURCES)))


def lineage_of(query: str) -> ColumnLineage:
    sources = declared()
    (lineage,) = column_lineage(query, {it.table: dict(it.columns) for it in sources}, prelude=file_blocks(sources))
    return lineage


def said(lineage: ColumnLineage) -> str:
    return repr((lineage.fields, lineage.dataset)).replace("landing/a.json", "s.a").replace("landing/b.json", "s.a")


def test_a_member_of_a_files_column_comes_from_it_as_one_of_a_tables() -> None:
    for query in QUERIES:
        of_table, *of_files = (
            said(lineage_of(query.format(t=it))) for it in ("s.a", "'landing/a.json'", "'landing/b.json'")
        )
        assert of_files == [of_table, of_table]


def test_a_member_that_is_not_declared_is_an_error_of_both() -> None:
    told = set()
    for table in ("s.a", "'landing/a.json'"):
        try:
            lineage_of(f"select address.town from {table}")  # noqa: S608  # a name of the test's own
        except UnknownColumn as error:
            told.add(str(error))
    assert len(told) == 1


def test_a_list_of_a_section_comes_from_its_own_field() -> None:
    lineage = lineage_of("""select unnest("$doc".header.tags) as tag from 'landing/b.json'""")
    assert {it.field for it in lineage.fields[0].inputs} == {"$doc.header.tags"}


def test_tables_are_declared_with_the_same_types() -> None:
    tables = {it.table: it.columns for it in declared()}
    assert tables["s.a"] == tables["landing/a.json"]
    assert dict(tables["s.a"])["lines"] == 'struct("sku" varchar, "qty" integer)[]'
