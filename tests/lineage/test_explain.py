"""Which text made each edge: its laws on every fixture, and what people are shown of single statements."""

import re
import time
from pathlib import Path

import pytest

from governance.errors import LimitExceeded, UnknownColumn
from governance.lineage import ColumnLineage, InputField, column_lineage
from governance.lineage.explain import explain
from governance.lineage.model import Explanation, Use
from tests.lineage.cases import Schema, read_cases
from tests.lineage.written import WRITTEN

# ruff: noqa: S608  # SQL is what is made here, of our own words

FOLDER = Path(__file__).parent.parent / "fixtures" / "lineage"
TEXTS = [
    (case.sql, case.schema, case.dialect, case.default_schema)
    for path in sorted(FOLDER.glob("*.sql"))
    for case in read_cases(path)
    if case.raises is None
] + [(sql, schema, "duckdb", None) for sql, schema in WRITTEN]

SHOP = {
    "crm.people": {"id": "int", "mail": "varchar", "agreed": "boolean"},
    "shop.orders": {"id": "int", "person": "int", "paid": "decimal(10,2)", "at": "date"},
}


@pytest.fixture(scope="module")
def every() -> list[tuple[str, tuple[ColumnLineage, ...], tuple[Explanation, ...]]]:
    return [
        (
            sql,
            column_lineage(sql, schema, dialect=dialect, default_schema=default),
            explain(sql, schema, dialect=dialect, default_schema=default),
        )
        for sql, schema, dialect, default in TEXTS
    ]


def edges(lineage: ColumnLineage) -> list[tuple[str | None, InputField]]:
    return [(out.name, it) for out in lineage.fields for it in out.inputs] + [(None, it) for it in lineage.dataset]


Every = list[tuple[str, tuple[ColumnLineage, ...], tuple[Explanation, ...]]]


def test_the_edges_are_those_of_column_lineage(every: Every) -> None:
    for sql, lineages, explanations in every:
        for lineage, explanation in zip(lineages, explanations, strict=True):
            assert explanation.output == lineage.output, sql
            told = list(dict.fromkeys((use.field, use.input) for use in explanation.uses))
            assert told == list(dict.fromkeys(edges(lineage))), sql


def test_every_mark_is_a_whole_piece_of_the_text(every: Every) -> None:
    for sql, _, explanations in every:
        for use in (use for explanation in explanations for use in explanation.uses):
            text = use.expression.text
            assert use.marks
            assert all(0 <= start < end <= len(text) for start, end in use.marks), sql
            assert "\n" not in re.sub(r"'[^']*'", "", text), sql
            assert text.strip("… ").split()[0] in sql.splitlines()[use.expression.line - 1], sql


def test_a_source_is_marked_by_its_name_or_by_what_stands_for_it(every: Every) -> None:
    """The rest are whole rows, tables of NATURAL joins and pivots, and columns that FROM or a macro gives a name."""
    told = [
        (use.input.field.casefold().lstrip("$"), use.expression.text[start:end].casefold())
        for _, _, explanations in every
        for explanation in explanations
        for use in explanation.uses
        for start, end in use.marks
        if not use.steps
    ]
    named = [word for field, word in told if field in word or "*" in word or word == "columns"]
    assert len(named) > 0.96 * len(told)


MERGE = """
merge into crm.people p using shop.orders o on p.id = o.person
when matched and o.paid > 1 then update set mail = upper(o.at), agreed = true
when not matched then insert (id, mail) values (o.person, o.at)
"""


def shown(sql: str, schema: Schema = SHOP, dialect: str = "duckdb") -> list[str]:
    """Each use as ``field source KIND line: text`` with its marks in brackets."""
    return [_shown(use) for one in explain(sql, schema, dialect=dialect) for use in one.uses]


def _shown(use: Use) -> str:
    text = use.expression.text
    for start, end in reversed(use.marks):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    source = f"{use.input.dataset}.{use.input.field}"
    return f"{use.field or '*'} {source} {use.input.transformation.name} {use.expression.line}: {text}"


def test_the_source_comes_first_and_what_came_from_it_after() -> None:
    sql = """
with spent as (
    select o.person, sum(o.paid) / 100 as total -- in whole units
    from shop.orders o
    group by o.person
)
select coalesce(p.mail, 'nobody') as mail, s.total * 2 as twice
from crm.people p
left join spent s
    on s.person = p.id and p.agreed
where s.total
    > 3
"""
    assert shown(sql) == [
        "mail crm.people.mail TRANSFORMATION 7: coalesce([p.mail], 'nobody') as mail",
        "twice shop.orders.paid AGGREGATION 3: sum([o.paid]) / 100 as total",
        "twice shop.orders.paid AGGREGATION 7: [s.total] * 2 as twice",
        "* crm.people.agreed JOIN 10: on s.person = p.id and [p.agreed]",
        "* crm.people.id JOIN 10: on s.person = [p.id] and p.agreed",
        "* shop.orders.paid FILTER 3: sum([o.paid]) / 100 as total",
        "* shop.orders.paid FILTER 11: where [s.total] > 3",
        "* shop.orders.person JOIN 3: [o.person]",
        "* shop.orders.person JOIN 10: on [s.person] = p.id and p.agreed",
        "* shop.orders.person GROUP_BY 5: group by [o.person]",
    ]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("select * exclude (agreed) from crm.people where id in (select person from shop.orders where paid > 1)", [
            "id crm.people.id IDENTITY 1: [*] exclude (agreed)",
            "mail crm.people.mail IDENTITY 1: [*] exclude (agreed)",
            "* crm.people.id FILTER 1: where [id] in (select person from shop.orders where paid > 1)",
            "* shop.orders.paid FILTER 1: where [paid] > 1",
            "* shop.orders.person FILTER 1: [person]",
        ]),
        ("select distinct on (p.id) p.mail from crm.people as p order by p.agreed, p.mail limit 3", [
            "mail crm.people.mail IDENTITY 1: [p.mail]",
            "* crm.people.agreed SORT 1: order by [p.agreed], p.mail",
            "* crm.people.id GROUP_BY 1: distinct on ([p.id])",
            "* crm.people.mail SORT 1: order by p.agreed, [p.mail]",
        ]),
        ("select left(mail, 3) as a, o.paid from crm.people left join shop.orders o using (id)", [
            "a crm.people.mail TRANSFORMATION 1: left([mail], 3) as a",
            "paid shop.orders.paid IDENTITY 1: [o.paid]",
            "* crm.people.id JOIN 1: using ([id])",
            "* shop.orders.id JOIN 1: using ([id])",
        ]),
        ("select count(*) as n from crm.people natural join (select id from shop.orders) o", [
            "* crm.people.id JOIN 1: from [crm.people]",
            "* shop.orders.id JOIN 1: [id]",
        ]),
        ("select case when paid is distinct from 1 then extract(year from at) end y from shop.orders", [
            "y shop.orders.at TRANSFORMATION 1: case when paid is distinct from 1 then extract(year from [at]) end y",
            "y shop.orders.paid CONDITIONAL 1: case when [paid] is distinct from 1 then extract(year from at) end y",
        ]),
        ("select paid + 1 as more, more * 2 as most from shop.orders group by all", [
            "more shop.orders.paid TRANSFORMATION 1: [paid] + 1 as more",
            "most shop.orders.paid TRANSFORMATION 1: [paid] + 1 as more",
            "most shop.orders.paid TRANSFORMATION 1: [more] * 2 as most",
            "* shop.orders.paid GROUP_BY 1: [paid] + 1 as more",
            "* shop.orders.paid GROUP_BY 1: [more] * 2 as most",
        ]),
        (MERGE, [
            "id shop.orders.person IDENTITY 4: [o.person]",
            "mail shop.orders.at IDENTITY 4: [o.at]",
            "mail shop.orders.at TRANSFORMATION 3: mail = upper([o.at])",
            "mail shop.orders.paid CONDITIONAL 3: when matched and [o.paid] > 1",
            "agreed shop.orders.paid CONDITIONAL 3: when matched and [o.paid] > 1",
            "* crm.people.id JOIN 2: on [p.id] = o.person",
            "* shop.orders.paid FILTER 3: when matched and [o.paid] > 1",
            "* shop.orders.person JOIN 2: on p.id = [o.person]",
        ]),
    ],
)  # fmt: skip
def test_a_select_item_or_a_clause_is_shown(sql: str, told: list[str]) -> None:
    assert shown(sql) == told


def test_a_recursive_cte_shows_the_ways_through_it() -> None:
    sql = (
        "with recursive up as (select id, person from shop.orders union all "
        "select o.id, up.person from up join shop.orders o on o.person = up.id) select person from up"
    )
    assert [line for line in shown(sql) if line.startswith("person")] == [
        "person shop.orders.person IDENTITY 1: [person]",
        "person shop.orders.person IDENTITY 1: [up.person]",
        "person shop.orders.person IDENTITY 1: [person]",
    ]


def test_a_long_piece_is_cut_around_its_mark() -> None:
    many = " or ".join(f"id = {n}" for n in range(300))
    (kept,) = explain(f"select 1 as one from crm.people where {many} or agreed or {many}", SHOP)
    agreed = next(use for use in kept.uses if use.input.field == "agreed")
    text = agreed.expression.text
    assert len(text) < 410
    assert (text[:2], text[-2:]) == ("… ", " …")
    assert [text[start:end] for start, end in agreed.marks] == ["agreed"]


def test_odd_names_are_marked_whole() -> None:
    schema = {"s.t": {'a "b"': "int", "ünï 😀": "int", "<img onerror=x>": "int"}}
    assert shown('select t."a ""b""" + t."ünï 😀" as x, "<img onerror=x>" from s.t', schema) == [
        '''x s.t.a "b" TRANSFORMATION 1: [t."a ""b"""] + t."ünï 😀" as x''',
        '''x s.t.ünï 😀 TRANSFORMATION 1: t."a ""b""" + [t."ünï 😀"] as x''',
        """<img onerror=x> s.t.<img onerror=x> IDENTITY 1: ["<img onerror=x>"]""",
    ]


def test_what_cannot_be_read_is_refused_as_ever() -> None:
    with pytest.raises(UnknownColumn, match="no column emial"):
        explain("select emial from crm.people", SHOP)


def test_doubling_aliases_take_no_time() -> None:
    aliases = ", ".join(f"x{n} + x{n} as x{n + 1}" for n in range(60))
    begun = time.process_time()
    (told,) = explain(f"select {aliases} from t", {"t": {"x0": "int"}})
    assert time.process_time() - begun < 5
    last = [use for use in told.uses if use.field == "x60"]
    assert [use.steps for use in last] == list(range(60))


def test_beyond_the_bound_nothing_is_explained() -> None:
    aliases = ", ".join(f"x{n} + x{n} as x{n + 1}" for n in range(1500))
    with pytest.raises(LimitExceeded, match="too many columns are named"):
        explain(f"select {aliases} from t", {"t": {"x0": "int"}})
