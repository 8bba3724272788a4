"""What templates may name: ref, source, var, config, this, and macros."""

from dataclasses import replace

import pytest

from governance.errors import PipelineError
from governance.template.render import render
from tests.template.given import AROUND, MACROS, made, sql


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ ref('silver.orders') }}", "silver.orders"),
        ("{{ ref('silver', 'orders') }}", "silver.orders"),
        ("{{ ref('daily') }}", "gold.daily"),
        ("{{ source('crm', 'people') }}", "crm.people"),
        ("{{ source('landing', 'orders.csv') }}", "'landing/orders.csv'"),
        ("""{{ source("landing", "it's.csv") }}""", "'landing/it''s.csv'"),
        ("{{ var('least') }}", "3"),
        ("{{ var('day') }}", "2024-01-01"),
        ("{{ var('strict') }}", "true"),
        ("{{ var('statuses') }}", "['paid', 'it''s']"),
        ("{{ var('statuses') | join(', ') }}", "paid, it's"),
        ("{{ var('nothing', 7) }}", "7"),
        ("{{ var('nothing', default='x') }}", "x"),
        ("{{ none }} {{ true }} {{ 1.5 }} {{ ('a', 1) }} {{ {'a': [1]} }}", "null true 1.5 ('a', 1) {'a': [1]}"),
        ("{{ cents('amount') }}", "(amount * 100)"),
        ("{{ twice('amount') }}", "(amount * 100) * 2"),
        ("{% from 'money.j2' import cents as c %}{{ c('a') }}", "(a * 100)"),
        ("{% import 'money.j2' as money %}{{ money.cents('a') }}", "(a * 100)"),
        ("{% macro cents(x) %}own {{ x }}{% endmacro %}{{ cents('a') }}", "own a"),
        ("{% set x = [] %}{% do x.append('a') %}{{ x | join }}", "a"),
        ("{% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}", "1"),
        ("{{ x is defined }}{{ x | default('a') }}", "falsea"),
        ("{{ '%s-%03d' | format('a', 7) }} {{ '{}-{:>3}'.format('a', 7) }} {{ '%s' % 'b' }}", "a-007 a-  7 b"),
        ("{% set ns = namespace(n=0) %}{% for i in range(3) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"),
        ("{{ ['a', 'b'] | map('upper') | join('-') }} {{ [3, 1] | sort }} {{ [1, 2] | sum }}", "A-B [1, 3] 3"),
        ("{% raw %}{{ as it is }}{% endraw %}", "{{ as it is }}"),
    ],
)
def test_names_are_filled_in(text: str, said: str) -> None:
    assert sql(text) == said


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        (
            "{{ ref('orders') }}",
            "ref('orders') may be gold.orders or silver.orders",
            "write ref('gold.orders') or ref('silver.orders')",
        ),
        ("{{ ref('gold.dialy') }}", "no pipeline builds gold.dialy", "did you mean ref('gold.daily')?"),
        ("{{ ref('dialy') }}", "no pipeline builds dialy", "did you mean ref('gold.daily')?"),
        ("{{ ref('crm.people') }}", "crm.people is a declared source", "write source('crm', 'people')"),
        ("{{ ref() }}", "ref names a table", "write ref('schema.table')"),
        (
            "{{ source('crm', 'peple') }}",
            "declares neither crm.peple nor crm/peple",
            "did you mean source('crm', 'people')?",
        ),
        (
            "{{ source('landing', 'order.csv') }}",
            "neither landing.order.csv",
            "did you mean source('landing', 'orders.csv')?",
        ),
        ("{{ source('gold', 'daily') }}", "gold.daily is built by a pipeline", "write ref('gold.daily')"),
        ("{{ source('crm') }}", "source names a schema or location", "write source('crm', 'learners')"),
        ("{{ var('statusses') }}", "[vars] of lineage.toml has no statusses", "did you mean var('statuses')?"),
        ("{{ is_incremental() }}", "is_incremental() would ask what the table holds", "coalesce"),
        ("{{ env_var('HOME') }}", "env_var is not available", "var('name')"),
        ("{{ run_query('select 1') }}", "run_query is not available", "asks no database"),
        ("{{ modules.datetime }}", "modules is not available", "times in SQL"),
        ("{{ cent('a') }}", "there is no name cent", "did you mean cents?"),
        ("{% set columns = [] %}{{ colums }}", "there is no name colums", "did you mean columns?"),
        ("{{ cents }}", "cents is not called here", "write cents(…)"),
        ("{{ ref }}", "ref is not called here", "write ref(…)"),
        ("{{ [1] | map('string') }}", "a filter has not made its list yet", "| list"),
        ("{{ 'a' | uper }}", "there is no filter uper", "did you mean upper?"),
        ("{{ 'a' | urlize }}", "there is no filter urlize", "the filters are abs"),
        ("{% if 'a' is strng %}{% endif %}", "there is no test strng", "did you mean string?"),
        ("{% from 'money.j2' import cent %}{{ cent('a') }}", "money.j2 has no macro cent", "did you mean cents?"),
        ("{% import 'money.j2' as m %}{{ m.cent('a') }}", "has no attribute 'cent'", ""),
        (
            "{% include 'mony.j2' %}",
            "has no mony.j2, and templates are read from nowhere else",
            "did you mean money.j2?",
        ),
        ("{% include '../sources.toml' %}", "has no ../sources.toml", "name a file in it"),
        ("{% include '/etc/passwd' %}", "has no /etc/passwd", "name a file in it"),
        ("{% extends 'money.j2' %}", "extends is not available", ""),
        ("{% block a %}{% endblock %}", "block is not available", ""),
        ("{{ ''.__class__ }}", "the attribute __class__ of a str is not available", ""),
        ("{{ ''['__class__'] }}", "the attribute __class__ of a str is not available", ""),
        ("{{ ref.__globals__ }}", "the attribute __globals__ of a method is not available", ""),
        ("{{ cents.__code__ }}", "the attribute __code__ of a function is not available", ""),
        ("{% macro m() %}{% endmacro %}{{ m._func }}", "the attribute _func of a macro is not available", ""),
        ("{{ '{0.__class__}'.format('') }}", "the attribute __class__ of a str is not available", ""),
        ("{{ [''] | map(attribute='__class__') | list }}", "the attribute __class__ of a str is not available", ""),
        ("{{ self.__init__ }}", "the attribute __init__ of a TemplateReference is not available", ""),
        ("{{ 'a\\x00d 1 1\\x00' }}", "NUL", "take it out"),
        ("{{ 1 / 0 }}", "division by zero", ""),
        ("{{ cents('a', 'b') }}", "takes not more than 1 argument", ""),
        ("{% if %}", "Expected an expression", ""),
        ("{% for %}", "", ""),
        ("{{ 'a }}", "", ""),
        ("{% if true %}", "", ""),
        ("{% frobnicate %}", "unknown tag 'frobnicate'", ""),
    ],
)
def test_what_is_not_there_is_an_error_with_what_to_do(text: str, problem: str, fix: str) -> None:
    with pytest.raises(PipelineError) as caught:
        made(f"\n\n{text}\n")
    assert problem in caught.value.problem
    assert fix in caught.value.fix
    assert caught.value.where() in {"pipelines/gold/daily.sql.j2:3", "pipelines/gold/daily.sql.j2:4"}


def test_an_error_within_a_macro_names_both_places() -> None:
    with pytest.raises(PipelineError) as caught:
        made("select\n  {{ broken() }}")
    assert str(caught.value).startswith(
        "pipelines/gold/daily.sql.j2:2: in platform_assets/blocks/money.j2:5: there is no name nothing_here"
    )


def test_two_macros_of_one_name_are_told_apart_by_import() -> None:
    twice = replace(MACROS, name="other.j2", file="platform_assets/blocks/other.j2")
    around = replace(AROUND, macros=(MACROS, twice))
    with pytest.raises(PipelineError, match="the macro cents stands in") as caught:
        render("{{ cents('a') }}", "x.sql.j2", None, around)
    assert caught.value.fix == "import it: {% from 'money.j2' import cents %}"
    assert render("{% from 'other.j2' import cents %}{{ cents('a') }}", "x.sql.j2", None, around).sql == "(a * 100)"


def test_the_same_files_render_the_same_text_whatever_the_hash_seed() -> None:
    text = "{{ {'b': 1, 'a': 2} }} {{ ['x', 'y', 'x'] | unique | list }} {{ {'b': 1, 'a': 2} | dictsort }}"
    assert {sql(text) for _ in range(3)} == {"{'b': 1, 'a': 2} ['x', 'y'] [('a', 2), ('b', 1)]"}


def test_a_list_of_vars_belongs_to_one_rendering() -> None:
    text = "{% set s = var('statuses') %}{% do s.append('more') %}{{ s | length }}"
    assert [sql(text), sql(text)] == ["3", "3"]
