"""Which files a table has taken: what its properties say, and what is wrong with a file that changed since."""

import json

import pytest

from governance.errors import CatalogError, LandingError
from platform_assets.taken import PREFIX, forgotten, property_of, taken, untaken

ORDERS = "landing/orders/*.csv"
BEFORE = {"landing/orders/1.csv": "v1"}


def test_what_a_table_took_is_read_back_from_its_properties() -> None:
    name, text = property_of(ORDERS, BEFORE, {"landing/orders/2.csv": "é"})
    assert name == "headwater.taken.landing/orders/*.csv"
    assert taken("a.b", {name: text, "owner": "me"}, ORDERS) == {**BEFORE, "landing/orders/2.csv": "é"}
    assert taken("a.b", {name: text}, "landing/others.csv") == {}


def test_only_files_that_are_new_are_taken_and_one_that_is_gone_is_no_matter() -> None:
    found = {"landing/orders/2.csv": "v2", "landing/orders/3.csv": "v3"}
    assert untaken("a.b", ORDERS, found, {**BEFORE, "landing/orders/2.csv": "v2"}) == ("landing/orders/3.csv",)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"landing/orders/1.csv": "v7"}, "landing/orders/1.csv changed after a.b had taken it"),
        (
            {"landing/orders/1.csv": "v7", "landing/orders/2.csv": "v8"},
            "landing/orders/1.csv and 1 more changed after a.b had taken them",
        ),
    ],
)
def test_a_file_that_changed_after_it_was_taken_is_named_with_what_to_do(changed: dict[str, str], words: str) -> None:
    with pytest.raises(LandingError) as caught:
        untaken("a.b", ORDERS, changed, dict.fromkeys(changed, "v0"))
    assert caught.value.problem == words
    assert f"take its name out of the table's property {PREFIX}{ORDERS}" in caught.value.fix


@pytest.mark.parametrize("text", ["no json", "[]", '{"a": 1}', "null"])
def test_a_property_that_somebody_broke_is_an_error(text: str) -> None:
    with pytest.raises(CatalogError, match=r"the property headwater\.taken\.landing/orders/\*\.csv of a\.b holds no"):
        taken("a.b", {PREFIX + ORDERS: text}, ORDERS)


def test_a_replaced_table_forgets_what_it_took() -> None:
    assert forgotten({PREFIX + "b": json.dumps({}), "owner": "me", PREFIX + "a": "{}"}) == (PREFIX + "a", PREFIX + "b")
