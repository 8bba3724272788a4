"""A function that neither DuckDB nor a block has is refused by name; each that one of them has is not."""

import pytest

from governance.block import Block, BlockKind
from governance.errors import LineageError, UnknownFunction
from governance.pipeline import Pipeline
from governance.statement import parse
from governance.statement.functions import built_in

PAID_BY = Block("paid_by", BlockKind.MACRO, "blocks/m.sql", 1, "create macro paid_by(m) as table select m as method")
EUROS = Block("euros", BlockKind.MACRO, "blocks/m.sql", 7, "create macro euros(cents) as\ncents / hundredd(1)")


def parsed(query: str, *blocks: Block) -> LineageError | None:
    try:
        parse(Pipeline("a.b", "a/b.sql", f"create table a.b as\n{query}", blocks=blocks))
    except LineageError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("query", "name", "column", "fix"),
    [
        ("select p.method from paid_bye('card') p", "paid_bye", 22, "did you mean paid_by?"),
        ("select 1 as a from s.t, lateral paid_bye(t.x)", "paid_bye", 33, "did you mean paid_by?"),
        ("from Generate_Seriess(1, 2)", "generate_seriess", 6, "did you mean generate_series?"),
        ("from upper('a')", "upper", 6, "create a macro"),
        ("select uper(a) as a from s.t", "uper", 8, "did you mean upper?"),
        ("select a.uper() as a from s.t", "uper", 10, "did you mean upper?"),
        ("select qqqq(a) as a from s.t", "qqqq", 8, "correct the name"),
    ],
)
def test_what_nobody_has_is_refused_by_name(query: str, name: str, column: int, fix: str) -> None:
    error = parsed(query, PAID_BY)
    assert isinstance(error, UnknownFunction)
    assert (error.pipeline, error.line, error.column, error.clause) == ("a/b.sql", 2, column, name)
    assert f"{name} is no " in error.problem
    assert fix in error.fix


def test_a_macro_of_the_project_that_the_text_does_not_name_is_proposed() -> None:
    text = "create table a.b as select p.m from paid_bye('card') p"
    with pytest.raises(UnknownFunction, match=r"did you mean paid_by\?"):
        parse(Pipeline("a.b", "a/b.sql", text, macros=("euros", "paid_by")))


def test_one_within_a_block_is_told_at_its_place() -> None:
    error = parsed("select euros(a) as a from s.t", EUROS)
    assert error is not None
    assert (error.pipeline, error.line, error.column) == ("blocks/m.sql", 8, 9)
    assert "hundredd is no function" in error.problem


@pytest.mark.parametrize(
    "query",
    [
        "select p.method from paid_by('card') p",
        "select upper(a), a.lower(), sum(b) over (), coalesce(a, ifnull(b, 1)), try(a), date_add(a, b) from s.t",
        "select struct_pack(x := 1), list_transform(l, lambda x: x + 1), grouping_id(a), unnest(l) from s.t",
        "from range(3), generate_series(1, 2), unnest([1]), json_each('[1]'), repeat(1, 2)",
        'select "upper"(a), main.upper(a), count(*), trim(both from a), extract(year from a), cast(a as date) from s.t',
    ],
)
def test_what_duckdb_or_a_block_has_is_read(query: str) -> None:
    assert parsed(query, PAID_BY) is None


def test_every_function_of_duckdb_is_known_however_it_is_called() -> None:
    values, rows = built_in()
    assert {"upper", "sum", "row_number", "unnest", "list_transform", "date_trunc"} <= values
    assert {"range", "generate_series", "unnest", "json_each"} <= rows
