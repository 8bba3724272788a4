"""Every line of what a template writes knows the template's line."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from governance.template.render import render
from tests.template.given import AROUND, made

PLAIN = st.text(alphabet="ab ,'\n\t-(){}%#*;é").filter(
    lambda text: not any(mark in text for mark in ("{{", "{%", "{#", "%}", "}}", "#}"))
)


@given(PLAIN)
@example("")
@example("\n")
@example("a\n")
@example("\n\na\n\n")
@example("select {'a': {b: 1}} % 2 -- {x}\n")
def test_a_text_without_marks_renders_to_itself_line_by_line(text: str) -> None:
    rendered = made(text)
    assert rendered.sql == text
    assert rendered.origin == tuple(range(1, text.count("\n") + 2)) or not text
    for number, line in enumerate(text.split("\n"), start=1):
        assert (
            rendered.template.place(rendered.sql, number, len(line) + 1)
            == (
                number,
                len(line) + 1 if line else None,
            )
            or not text
        )


BODY = st.sampled_from(
    [
        "a{n}\n",
        "  a{n},",
        "\n",
        "{{{{ 'x{n}' }}}}\n",
        "{{{{ 'x{n}' }}}} a{n} {{{{ 'y{n}' }}}}",
        "{{# c{n}\n#}}",
        "{{%- set x = {n} -%}}\n",
        "{{% if true %}}\n  i{n}\n{{% else %}}\n  e{n}\n{{% endif %}}\n",
        "{{%- if true -%}}\n  i{n}\n{{%- endif -%}}\n",
        "{{{{ cents(\n 'x{n}'\n) }}}}",
        "{{% filter upper %}}\nf{n}\n{{% endfilter %}}",
        "{{% set b %}}\ns{n}\n{{% endset %}}{{{{ b }}}}",
    ]
)


@given(st.lists(BODY, max_size=12), st.booleans())
def test_origins_lie_within_the_file_and_go_forward(parts: list[str], bare: bool) -> None:  # noqa: FBT001
    text = ("select\n" if bare else "") + "".join(part.format(n=number) for number, part in enumerate(parts))
    rendered = render(text, "x.sql.j2", "gold.daily", AROUND)
    assert len(rendered.origin) == rendered.sql.count("\n") + 1
    assert list(rendered.origin) == sorted(rendered.origin)
    assert set(rendered.origin) <= set(range(1, text.count("\n") + 2))
    places = [(it.line, it.column) for it in rendered.template.pieces]
    assert places == sorted(set(places))
    for number, line in enumerate(rendered.sql.split("\n"), start=1):
        for word in re.finditer(r"[a-z]\d+", line, re.IGNORECASE):
            found, column = rendered.template.place(rendered.sql, number, word.start() + 1)
            own = text.split("\n")[found - 1]
            # what a block keeps is written elsewhere
            assert word[0].lower() in own or (word[0].startswith("s") and "{{ b }}" in own)
            assert column is None or own[column - 1 :].startswith(word[0])


@given(st.integers(0, 5), st.integers(1, 3))
def test_origins_go_forward_within_each_pass_of_a_loop(passes: int, lines: int) -> None:
    body = "".join(f"  line {number}\n" for number in range(lines))
    rendered = made(f"top\n{{%- for i in range({passes}) %}}\n{body}{{%- endfor %}}\nend")
    assert rendered.origin == (1, *(list(range(3, 3 + lines)) * passes), 3 + lines + 1)


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("{{ config(owner='team:x') }}\nselect 1", [1, 2]),
        ("a\n{# one\ntwo #}\nb", [1, 3, 4]),
        ("a\n{#- one\ntwo -#}\nb", [1]),
        ("{%- set x = 1 -%}\n\n\nselect {{ x }}", [4]),
        ("{% if false %}\na\n{% else %}\nb\n{% endif %}\nc", [3, 4, 5, 6]),
        ("{{ cents(\n  'a'\n) }}\nb", [1, 4]),
        ("{% set x %}a\nb{% endset %}\n{{ x }}\nc", [2, 3, 3, 4]),
        ("{% filter upper %}a\nb{% endfilter %}\nc", [1, 1, 3]),
        ("{% macro m() %}\na\n{% endmacro %}\n{{ m() }}", [3, 4, 4, 4]),
        ("{% include 'money.j2' %}\nb", [1, 1, 1, 1, 1, 2]),
        ("{% for a in [1, 2] recursive %}a\n{% endfor %}b", [1, 1, 2]),
        ("{% with x = 1 %}\n{{ x }}\n{% endwith %}", [1, 2, 3]),
        ("{% raw %}{{ a }}\n{{ b }}{% endraw %}\nc", [1, 2, 3]),
        ("{% for c in 'ab' -%}\n  {{ c }}\n{% endfor %}c", [2, 2, 3]),
    ],
)
def test_lines_come_from(text: str, origins: list[int]) -> None:
    assert list(made(text).origin) == origins


def test_a_line_as_a_whole_is_its_first_words() -> None:
    rendered = made("{% for c in ['a'] %}\n  {{ c }}\n{%- endfor %}\n  {% if true %}\nb{% endif %}")
    assert [rendered.template.place(rendered.sql, at, None)[0] for at in (2, 4)] == [2, 5]
    assert [rendered.origin[at - 1] for at in (2, 4)] == [2, 5]


def test_one_line_may_come_from_several() -> None:
    rendered = made("select\n  a\n  {%- for c in ['b', 'd'] -%}\n    , {{ c }}\n  {%- endfor %}\n  , e")
    assert rendered.sql == "select\n  a, b, d\n  , e"
    columns = {name: rendered.sql.split("\n")[1].index(name) + 1 for name in "abd"}
    assert {name: rendered.template.place(rendered.sql, 2, at)[0] for name, at in columns.items()} == {
        "a": 2,
        "b": 4,
        "d": 4,
    }


def test_what_an_expression_of_several_lines_wrote_comes_from_the_line_with_the_word() -> None:
    rendered = made("select {{ [\n  'first',\n  'second'\n] | join(', ') }}")
    sql = rendered.sql
    assert sql == "select first, second"
    assert [rendered.template.place(sql, 1, sql.index(it) + 1)[0] for it in ("first", "second")] == [2, 3]


def test_a_column_holds_where_the_line_stands_in_the_template_as_it_is() -> None:
    rendered = render("select a, b\nfrom {{ ref('silver.orders') }}\nwhere b", "x.sql.j2", "gold.daily", AROUND)
    assert rendered.sql.startswith("create table gold.daily as select a, b")
    place = [rendered.template.place(rendered.sql, line, column) for line, column in ((1, 38), (2, 6), (3, 7))]
    assert place == [(1, 11), (2, None), (3, 7)]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("select 1", "create table gold.daily as select 1"),
        (
            "-- owner: team:x\n\n  with a as (select 1) from a",
            "-- owner: team:x\n\n  create table gold.daily as with a as (select 1) from a",
        ),
        ("{{ config(materialized='incremental') }}select 1;", "insert into gold.daily select 1;"),
        (
            "{{ config(materialized='incremental') }}create table if not exists {{ this }} (a int);\nselect 1",
            "create table if not exists gold.daily (a int);\ninsert into gold.daily select 1",
        ),
        (
            "{{ config(materialized='table') }}create table {{ this }} as select 1",
            "create table gold.daily as select 1",
        ),
        ("insert into {{ this }} select 1", "insert into gold.daily select 1"),
        ("merge into x", "merge into x"),
    ],
)
def test_a_bare_query_is_given_its_table(text: str, sql: str) -> None:
    assert made(text, "gold.daily").sql == sql
