import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.errors import PipelineCycle, UnknownTable
from governance.pipeline import Pipeline
from governance.statement import Statement, ordered, parse


def statement(name: str, *reads: str) -> Statement:
    tables = ["from", " cross join ".join(reads)] if reads else []
    sql = [f"create table if not exists t.{name} (x integer);\ncreate table t.{name} as select 1 as x", *tables]
    return parse(Pipeline(f"t.{name}", f"t/{name}.sql", " ".join(sql)))


def names(statements: tuple[Statement, ...]) -> list[str]:
    return [it.pipeline.name for it in statements]


@st.composite
def dags(draw: st.DrawFn) -> dict[str, list[str]]:
    """Tables ``n0 …``, shuffled, each reading some of those before it."""
    count = draw(st.integers(1, 8))
    order = draw(st.permutations([f"n{number}" for number in range(count)]))
    return {
        name: draw(st.lists(st.sampled_from(order[:at]), unique=True)) if at else [] for at, name in enumerate(order)
    }


@given(dags(), st.randoms())
def test_every_table_comes_after_what_it_reads_whatever_the_order_given(
    dag: dict[str, list[str]], random: object
) -> None:
    statements = [statement(name, *(f"t.{read}" for read in reads)) for name, reads in dag.items()]
    found = names(ordered(statements, frozenset()))
    assert sorted(found) == sorted(dag)
    assert all(found.index(read) < found.index(name) for name, reads in dag.items() for read in reads)
    random.shuffle(statements)  # type: ignore[attr-defined]  # hypothesis types its Random as object
    assert names(ordered(statements, frozenset())) == found


def test_its_own_table_holds_nothing_up() -> None:
    assert names(ordered([statement("b", "t.a"), statement("a", "t.a", "s.x")], frozenset({"s.x"}))) == ["a", "b"]


def test_where_there_is_a_choice_tables_come_by_name() -> None:
    statements = [statement("z"), statement("c", "t.z"), statement("b"), statement("a", "t.z")]
    assert names(ordered(statements, frozenset())) == ["b", "z", "a", "c"]


@pytest.mark.parametrize("turn", range(4))
def test_a_circle_is_named_alike_whatever_the_order_given(turn: int) -> None:
    circle = [statement("a", "t.c"), statement("b", "t.a"), statement("c", "t.b"), statement("d", "t.a")]
    with pytest.raises(PipelineCycle) as caught:
        ordered(circle[turn:] + circle[:turn], frozenset())
    assert "t.a → t.b → t.c → t.a" in caught.value.problem
    assert caught.value.tables == ("t.a", "t.b", "t.c")
    assert caught.value.problem.count("→") == 3
    assert caught.value.where() == "t/a.sql"


def test_an_unknown_table_is_named_with_its_place() -> None:
    with pytest.raises(UnknownTable) as caught:
        ordered([statement("a", "s.x")], frozenset())
    assert "s.x is no declared source" in caught.value.problem
    assert caught.value.where() == "t/a.sql:2:40"
    assert "pipelines/s/x.sql" in caught.value.fix
