"""Whether something is spelled in two ways is noticed whenever the second spelling comes."""

from itertools import permutations

import pytest

from governance.events.arrays import texts
from governance.past.names import Names

SEVERAL = [
    ["n\x1fs.t\x1f", "n\x1fS.T\x1f"],
    ["n\x1fs.t\x1fa", 'n\x1fs.t\x1f"a"'],
    ["n\x1fs.t\x1fstraße", "n\x1fs.t\x1fSTRASSE"],
    ["n\x1fs.t\x1f\u0131", "n\x1fs.t\x1fi"],
    ["n\x1fs.t\x1fé", "n\x1fs.t\x1fÉ"],
]
ONE = [["n\x1fs.t\x1fa", "n\x1fs.t\x1fb", "n\x1fs.t\x1f"], ["n\x1fs.t\x1fé", "n\x1fs.t\x1fe"], ["n\x1fs.t\x1fa"] * 2]


def learned(*parts: list[str]) -> Names:
    names = Names.of(b"")
    for part in parts:
        names.learn([texts(part)], linked=False)
        # as the next process has them
        names = Names.of(names.data(), linked=names.linked, twins=names.twins)
    return names


@pytest.mark.parametrize("keys", SEVERAL)
def test_two_spellings_are_noticed_at_once_or_one_after_the_other(keys: list[str]) -> None:
    for first, second in permutations(keys):
        assert learned([first, second]).twins
        assert learned([first], ["n\x1fother\x1f"], [second]).twins


@pytest.mark.parametrize("keys", ONE)
def test_what_is_spelled_in_one_way_is_not(keys: list[str]) -> None:
    assert not learned(keys).twins
    assert not learned(*([it] for it in keys)).twins


def test_columns_of_datasets_that_are_one_are_as_if_of_one() -> None:
    names = Names.of(b"")
    names.learn([texts(["n\x1fs.t\x1fa", "m\x1fr\x1fA"])], linked=False)
    assert not names.twins

    names.learn([texts(["n\x1fs.t\x1fa"])], linked=True)
    assert names.twins
