import time

import pytest

from governance.template.marks import heads, is_template


@pytest.mark.parametrize(
    "text",
    [
        "select * from {{ ref('orders') }}",
        "select * from {{ref('orders')}}",
        "select * from {{- ref('orders') -}}",
        "select {% for c in columns %}{{ c }},{% endfor %} 1",
        "{%- set x = 1 -%} select 1",
        "{# said of it #} select 1",
        "{#\nit isn't plain\n#}\nselect 1",
        "select 1 where country = '{{ var('country') }}'",
        "select 'it''s' as a, {{ x }} as b",
        "-- it isn't\nselect {{ x }}",
    ],
)
def test_a_file_with_marks_is_a_template(text: str) -> None:
    assert is_template("orders.sql", text)


@pytest.mark.parametrize(
    "text",
    [
        "select {'a': 1} as s",
        "select {'a': {'b': 1}} as s",
        "select {a: {b: 1}} as s",
        "select map {{a: 1}: 2} as m",
        "select map {{ 'a': 1}: 2} as m",
        "select [{'a': 1}, {'a': 2}]",
        "-- as {{ ref('orders') }} would\nselect 1",
        "/* {% if x %} */ select 1",
        "select 'Dear {{ name }}' as text",
        "select '{% if x %}' as text, \"{{ odd }}\" as more",
        "select $${{ name }}$$ as text",
        "select 5 {# 1",
        "select a %b from t",
        "select { {a: 1}: 2}",
    ],
)
def test_structs_comments_and_texts_with_braces_are_sql(text: str) -> None:
    assert not is_template("orders.sql", text)


@pytest.mark.parametrize("text", ["{#" * 100_000, "{{a:" * 50_000, "{{" * 100_000, "'" * 100_001, "/*" * 100_000])
def test_a_look_at_a_great_text_takes_no_time(text: str) -> None:
    begun = time.process_time()
    assert not is_template("orders.sql", text)
    assert time.process_time() - begun < 1


def test_the_ending_alone_makes_a_template() -> None:
    assert is_template("orders.sql.j2", "select 1")


def test_heads_are_found_past_comments_and_texts() -> None:
    text = "-- a; b\ncreate table x (a text); /* ; */ select ';' as a; (select 1)"
    assert [word for _, word in heads(text)] == ["create", "select", ""]
    assert [text[at:].split(maxsplit=1)[0] for at, _ in heads(text)] == ["create", "select", "(select"]
