"""Which files a table has taken: what its properties say, and what is wrong with a file that changed since."""

import json
from datetime import UTC, datetime

import pytest

from governance.errors import CatalogError, LandingError
from platform_assets.landing.landed import Landed, landed
from platform_assets.landing.taken import (
    CORRECTED,
    PREFIX,
    Record,
    correction,
    forgotten,
    property_of,
    record_of,
    superseded,
    taken,
    takers,
    untaken,
)

ORDERS = "landing/orders/*.csv"
ONE, TWO, THREE = (f"landing/orders/{number}.csv" for number in (1, 2, 3))
RUN = "019a9999-0000-7000-8000-000000000000"
RECORD = Record("3-100", "sha256:a", RUN)


def file(name: str, version: str = "3-100") -> Landed:
    return landed(name, f"/x/{name}", int(version.partition("-")[0]), 0, version)


def digest_of(it: Landed) -> str:
    """Return the last character of the file's time: that is its content."""
    return f"sha256:{it.version[-1]}"


def properties() -> dict[str, str]:
    return dict([property_of(ORDERS, {}, {ONE: RECORD, TWO: Record("v2")})])


def test_what_a_table_took_is_read_back_from_its_properties() -> None:
    name, text = property_of(ORDERS, {ONE: RECORD}, {TWO: Record("é")})
    assert name == "headwater.taken.landing/orders/*.csv"
    assert taken("a.b", {name: text, "owner": "me"}, ORDERS) == {ONE: RECORD, TWO: Record("é")}
    assert taken("a.b", {name: text}, "landing/others.csv") == {}
    assert takers({name: text, "owner": "me"}) == (ORDERS,)


def test_a_record_says_size_and_time_as_far_as_they_are_known() -> None:
    assert record_of(str(RECORD)) == RECORD
    assert (RECORD.size, RECORD.at) == (3, datetime.fromtimestamp(int("019a99990000", 16) / 1000, UTC))
    for text in ("by hand", "12-1 md5:x", ""):
        assert record_of(text) == Record(text)
    assert (Record("by hand").size, Record("by hand").at) == (None, None)


def test_only_files_that_are_new_are_taken_and_one_that_is_gone_is_no_matter() -> None:
    found = [file(TWO), file(THREE), file("landing/orders/empty.csv", "0-100")]
    assert untaken("a.b", found, {ONE: RECORD, TWO: RECORD}, digest_of) == ((file(THREE),), ())


def test_an_empty_file_that_was_taken_in_earlier_days_is_taken_once_it_is_filled() -> None:
    name, text = property_of(ORDERS, {}, {ONE: Record("0-100")})
    assert taken("a.b", {name: text}, ORDERS) == {}


def test_a_file_of_the_same_content_is_taken_whatever_its_time() -> None:
    same = file(ONE, "3-10a")
    assert untaken("a.b", [same], {ONE: RECORD}, digest_of) == ((), (same,))


@pytest.mark.parametrize(
    ("found", "before", "words"),
    [
        ([file(ONE, "3-10b")], RECORD, f"{ONE} changed after a.b had taken it"),
        ([file(ONE, "4-10a")], RECORD, f"{ONE} changed after a.b had taken it"),
        ([file(ONE, "3-10a")], Record("3-100"), f"{ONE} changed after a.b had taken it"),
        ([file(ONE), file(TWO)], Record("v0"), f"{ONE} and 1 more changed after a.b had taken them"),
    ],
)
def test_a_file_that_changed_after_it_was_taken_is_named_with_what_to_do(
    found: list[Landed], before: Record, words: str
) -> None:
    with pytest.raises(LandingError) as caught:
        untaken("a.b", found, {it.shown: before for it in found}, digest_of)
    assert caught.value.problem == words
    assert f"`headwater taken a.b --forget {ONE}`" in caught.value.fix
    assert f"`headwater taken a.b --accept {ONE}`" in caught.value.fix


@pytest.mark.parametrize("text", ["no json", "[]", '{"a": 1}', "null"])
def test_a_property_that_somebody_broke_is_an_error(text: str) -> None:
    with pytest.raises(CatalogError, match=r"the property headwater\.taken\.landing/orders/\*\.csv of a\.b holds no"):
        taken("a.b", {PREFIX + ORDERS: text}, ORDERS)


def test_a_replaced_table_forgets_what_it_took() -> None:
    assert forgotten({PREFIX + "b": json.dumps({}), "owner": "me", PREFIX + "a": "{}"}) == (PREFIX + "a", PREFIX + "b")


@pytest.mark.parametrize("name", [ONE, TWO])
def test_a_correction_holds_for_the_record_that_it_is_about_whatever_a_run_writes_meanwhile(name: str) -> None:
    before = properties()
    both = taken("a.b", before, ORDERS)
    for now in (None, Record("4-200", "sha256:b", RUN)):
        corrected = before | dict([correction("a.b", before, ORDERS, name, now)])
        assert taken("a.b", corrected, ORDERS).get(name) == now
        assert not list(superseded("a.b", corrected))
        # a run that began before the correction writes what it knew
        meanwhile = corrected | dict([property_of(ORDERS, both, {THREE: RECORD})])
        assert taken("a.b", meanwhile, ORDERS).get(name) == now
        # one that takes the file anew
        anew = Record("4-200", "sha256:b", RUN.replace("7", "8"))
        after = corrected | dict([property_of(ORDERS, both, {name: anew})])
        assert taken("a.b", after, ORDERS)[name] == anew
        assert list(superseded("a.b", after)) == [f"{CORRECTED}{ORDERS}#{name}"]


def test_a_touched_file_may_still_be_forgotten_and_a_broken_correction_says_nothing() -> None:
    before = properties()
    said = dict([correction("a.b", before, ORDERS, ONE, None)])
    touched = dict([property_of(ORDERS, {}, {ONE: Record("3-900", "sha256:a", RUN)})])
    assert taken("a.b", touched | said, ORDERS) == {}
    for text in ("x", "[]", "1", "null", '["3-100", 1]'):
        broken = before | {f"{CORRECTED}{ORDERS}#{ONE}": text}
        assert taken("a.b", broken, ORDERS)[ONE] == RECORD
        assert len(list(superseded("a.b", broken))) == 1
