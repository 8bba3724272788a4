import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.toml_key import quoted, toml_column, toml_key, toml_table


@pytest.mark.parametrize(
    ("name", "written"),
    [("email", "email"), ("a-b_9", "a-b_9"), ("x.y", '"x.y"'), ('a "b" c', r'"a \"b\" c"'), ("é", '"é"'), ("", '""')],
)
def test_a_key_is_bare_where_it_may_be(name: str, written: str) -> None:
    assert toml_key(name) == written
    assert toml_column(name) == f"columns.{written}"


@given(st.text(st.characters(codec="utf-8")))
def test_any_name_reads_back_as_itself(name: str) -> None:
    text = f"{toml_table(f's.{name}')}\n{toml_column(name)} = {quoted(name)}\n"
    assert tomllib.loads(text) == {f"s.{name}": {"columns": {name: name}}}
