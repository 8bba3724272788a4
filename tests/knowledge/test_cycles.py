"""Strongly connected components, dependencies first."""

from governance.cycles import components


def test_each_component_comes_after_those_it_depends_on() -> None:
    before = {"report": ("b",), "a": ("b", "source"), "b": ("a",), "source": (), "alone": ("alone",)}

    found = [frozenset(component) for component in components(before)]

    assert set(found) == {frozenset("ab"), frozenset({"report"}), frozenset({"source"}), frozenset({"alone"})}
    assert found.index(frozenset({"source"})) < found.index(frozenset("ab")) < found.index(frozenset({"report"}))


def test_a_chain_longer_than_the_stack_ends() -> None:
    chain = {number: (number + 1,) for number in range(50_000)}

    assert [component[0] for component in components(chain)][:2] == [50_000, 49_999]
