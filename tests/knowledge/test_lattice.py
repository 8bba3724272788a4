"""Orders of classes: a line, a partial order, and those that are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.lattice import Lattice, NoBound, lattice_of

DIAMOND = ("public < internal < personal < sensitive", "internal < billing < sensitive")


def test_a_list_is_a_line() -> None:
    line = lattice_of(("public", "internal", "personal"))

    assert line.classes == ("public", "internal", "personal")
    assert line.strictest(["internal", None, "public"]) == "internal"
    assert line.strictest([]) is None
    assert line.lower("public", "internal")
    assert not line.lower("internal", "internal")


def test_two_classes_that_do_not_compare_meet_in_their_least_upper_bound() -> None:
    diamond = lattice_of(DIAMOND)

    assert diamond.classes[0] == diamond.lowest == "public"
    assert diamond.strictest(["personal", "billing"]) == "sensitive"
    assert diamond.strictest(["internal", "billing"]) == "billing"
    assert diamond.highest(["public", "personal", "billing"]) == {"personal", "billing"}
    # neither protects as much as the other
    assert diamond.lower("personal", "billing")
    assert diamond.lower("billing", "personal")


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        (("a < b", "b < a"), "a, b are each below the other"),
        (("a < a",), "a are each below the other"),
        (("a < c", "b < c"), "no class is below all others"),
        (("a < b", "a < c"), "b and c have no least class above both"),
        (("a < b < d < f", "a < c < e < f", "b < e", "c < d"), "b and c have no least class above both"),
    ],
)
def test_an_order_without_bounds_is_refused(order: tuple[str, ...], problem: str) -> None:
    with pytest.raises(NoBound, match=problem):
        lattice_of(order)


LATTICES = st.sampled_from([lattice_of(DIAMOND), lattice_of("abcde"), lattice_of(("a < b < d", "a < c < d"))])


@given(LATTICES, st.data())
def test_the_strictest_is_the_least_of_the_bounds(lattice: Lattice, data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(lattice.classes), min_size=1))

    bound = lattice.strictest(some)

    assert bound is not None
    assert not any(lattice.lower(bound, it) for it in some)
    others = [other for other in lattice.classes if not any(lattice.lower(other, it) for it in some)]
    assert not any(lattice.lower(other, bound) for other in others)
