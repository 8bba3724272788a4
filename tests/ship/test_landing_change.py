"""Changes of files that land: what `headwater diff` says of them, and what `headwater validate` sees."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from governance.errors import LandingError
from governance.landing.model import FileSource
from governance.project import project_at
from platform_assets.changes.sides import files_of
from platform_assets.side import side_of_project
from tests.ship.conftest import Repository

ORDERS, DETAIL, BATCH = "landing/orders.csv", "landing/payments/*.txt#detail", "landing/batch.json"


def declare(repository: Repository, old: str, new: str) -> None:
    path = repository.root / "platform_assets" / "sources.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def block(repository: Repository, text: str) -> None:
    path = repository.root / "platform_assets" / "blocks" / "money.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def changes(repository: Repository) -> list[dict[str, Any]]:
    said = repository.run("diff", "HEAD", "--format", "json")
    assert said.exit_code == 0, said.output
    found: list[dict[str, Any]] = json.loads(said.stdout)["changes"]
    return found


def of(repository: Repository, table: str) -> list[tuple[str, str]]:
    return [(it["kind"], it["reason"]) for it in changes(repository) if it["pipeline"] == table]


def reached(repository: Repository, table: str) -> set[str]:
    return {on["dataset"] for it in changes(repository) if it["pipeline"] == table for on in it["reaches"]}


def assets(repository: Repository, *arguments: str, code: int = 0) -> dict[str, Any]:
    said = repository.run("validate", *arguments, "--format", "json")
    assert said.exit_code == code, said.output
    return {it["table"]: it for it in json.loads(said.stdout)["assets"]}


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {name: it["verdict"] for name, it in found.items()}


def test_an_option_is_a_change_of_the_files_rows(landing: Repository) -> None:
    declare(landing, 'options = { delim = ";" }', 'options = { delim = ";", nullstr = "n/a" }')

    words = "it is read otherwise: option nullstr was not said and is 'n/a'"
    assert of(landing, ORDERS) == [("population", words)]
    assert reached(landing, ORDERS) == {"bronze.orders", "gold.paid"}
    found = assets(landing, "HEAD")
    # a sum is none the more for an amount that is not known
    assert verdicts(found) == {"bronze.orders": "predicted and seen", "gold.paid": "predicted and not seen"}
    assert (found["bronze.orders"]["rows"]["before"], found["bronze.orders"]["rows"]["added"]) == (20, 1)


def test_a_column_of_another_type_decides_which_rows_fit(landing: Repository) -> None:
    declare(landing, 'columns.amount = "decimal(10, 2)"', 'columns.amount = "varchar"')
    landing.edit("gold/paid", "sum(o.amount)", "count(o.amount)")

    assert of(landing, ORDERS) == [
        ("breaking", "amount was decimal(10, 2) and is varchar, and read by bronze.orders"),
        ("population", "it is read otherwise: which rows fit is decided by amount otherwise"),
    ]
    found = assets(landing, "HEAD")
    assert verdicts(found) == dict.fromkeys(("bronze.orders", "gold.paid"), "predicted and seen")
    amount = next(it for it in found["bronze.orders"]["columns"] if it["name"] == "amount")
    assert (amount["retyped"], amount["changed"]) == ("DECIMAL(10,2) → VARCHAR", 0)


def test_what_a_value_is_read_by_is_a_change_of_its_column(landing: Repository) -> None:
    declare(landing, "%d.%m.%Y", "%d.%m.%y")
    declare(landing, "at = [5, 8]", "at = [6, 8]")

    read = "read otherwise: paid_on, whose format was %d.%m.%Y and is %d.%m.%y"
    assert ("value", read) in of(landing, ORDERS)
    assert ("value", "read otherwise: cents, whose place was 5-8 and is 6-8") in of(landing, DETAIL)
    assert reached(landing, DETAIL) == {"bronze.payments", "bronze.lines"}
    # no date fits any more, and every amount of four digits does still
    found = assets(landing, "HEAD")
    assert found["bronze.orders"]["rows"]["removed"] == 20
    assert verdicts(found)["bronze.payments"] == "predicted and not seen"


def test_kinds_of_record_come_and_go(landing: Repository) -> None:
    declare(landing, 'value = "D"', 'value = "X"')
    assert ("population", "it is read otherwise: value was D and is X") in of(landing, DETAIL)
    declare(landing, ".records.detail]", ".records.item]")
    assert [kind for kind, _ in of(landing, DETAIL)] == ["breaking"]
    assert of(landing, "landing/payments/*.txt#item") == [("additive", "it is new")]


def test_what_shows_in_no_row_is_cosmetic(landing: Repository) -> None:
    declare(landing, "max_rejects = 5", "max_rejects = 50")
    assert [(it["kind"], it["pipeline"], it["reason"]) for it in changes(landing)] == [
        ("cosmetic", ORDERS, "max_rejects was 5 and is 50")
    ]


def test_where_files_lie_is_never_shown(landing: Repository, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(landing.root / "landing", elsewhere)
    declare(landing, 'at = "landing"', f'at = "{elsewhere}"')
    said = landing.run("diff", "HEAD").output
    assert "location landing lies elsewhere" in said
    assert str(elsewhere) not in said
    # the files of now are those of both sides
    assert set(verdicts(assets(landing, "HEAD")).values()) == {"predicted and not seen"}


def test_a_changed_block_is_seen_in_the_columns_that_it_makes(landing: Repository) -> None:
    block(landing, "create macro euros(x) as cast(x / 100 as decimal(12, 2));\n")
    landing.edit("bronze/payments", "d.cents", "euros(d.cents) as cents")
    landing.commit()
    block(landing, "-- by the thousand\ncreate macro euros(x) as cast(x / 1000 as decimal(12, 2));\n")

    reason = "computed otherwise: cents; written otherwise: euros, which it builds on"
    assert [(it["kind"], it["pipeline"], it["reason"]) for it in changes(landing)] == [
        ("value", "bronze.payments", reason)
    ]
    assert verdicts(assets(landing, "HEAD")) == {"bronze.payments": "predicted and seen"}


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (f"{ORDERS}.amount unit 100", {"bronze.orders": "predicted and seen", "gold.paid": "predicted and seen"}),
        (
            f"{DETAIL}.cents unit 2",
            {"bronze.payments": "predicted and seen", "bronze.lines": "predicted and seen"},
        ),
        (f"{BATCH}.$doc.header.day type varchar", {"bronze.fees": "predicted and seen"}),
        (f"{BATCH}.$doc.header.note add varchar", {"bronze.fees": "neither predicted nor seen"}),
        (f"{BATCH}.fee unit 2", {"bronze.fees": "predicted and seen"}),
    ],
)
def test_a_change_of_a_file_can_be_tried(landing: Repository, change: str, seen: dict[str, str]) -> None:
    assert verdicts(assets(landing, "--change", change)) == seen


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (f"{DETAIL}.cents drop", "has no column cents"),
        (f"{BATCH}.$doc.trailer.status rename state", "status"),
    ],
)
def test_what_breaks_a_reader_cannot_be_built(landing: Repository, change: str, problem: str) -> None:
    found = assets(landing, "--change", change, code=1)
    assert set(verdicts(found).values()) == {"cannot be rebuilt"}
    assert all(problem in it["problem"] for it in found.values())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("landing/ordres.csv.amount drop", "landing/ordres.csv is no source; did you mean landing/orders.csv?"),
        (f"{ORDERS}.amout drop", f"{ORDERS} has no column amout"),
        (
            "landing/payments/*.txt.record_type enum X",
            "says which kinds of record there are; change a column of one of",
        ),
        (f"{BATCH}.$doc.footer.note add varchar", "has no such section; name a value of $doc.header, $doc.trailer"),
    ],
)
def test_a_change_that_no_file_can_have_is_refused(landing: Repository, change: str, said: str) -> None:
    refused = landing.run("validate", "--change", change)
    assert refused.exit_code == 1
    assert said in refused.output


def test_fixtures_stand_in_for_files(landing: Repository) -> None:
    (landing.rows / "landing").mkdir()
    (landing.rows / ORDERS).write_text("id;amount;status;paid_on\n1;2.00;paid;01.09.2026\n")
    given = ("--fixtures", str(landing.rows))

    found = assets(landing, "--change", f"{ORDERS}.amount unit 100", *given)
    assert found["bronze.orders"]["rows"]["before"] == 1
    said = landing.run("validate", "--change", f"{DETAIL}.cents unit 2", *given)
    assert said.exit_code == 1
    assert "so nothing is compared: bronze.lines, bronze.payments cannot be built without it" in said.output
    assert "put it into the folder of --fixtures as landing/payments/*.txt" in said.output


def test_a_sample_is_the_same_for_both_sides(landing: Repository) -> None:
    found = assets(landing, "--change", f"{ORDERS}.amount unit 100", "--sample", "5")
    assert {name: found["bronze.orders"]["rows"][name] for name in ("before", "after", "changed")} == {
        "before": 5,
        "after": 5,
        "changed": 5,
    }


def test_options_of_a_call_go_before_the_declared_ones(landing: Repository) -> None:
    landing.edit("bronze/orders", f"'{ORDERS}'", f"read_csv('{ORDERS}', nullstr = 'n/a')")
    found = assets(landing, "HEAD")
    assert found["bronze.orders"]["rows"]["added"] == 1
    assert verdicts(found)["bronze.orders"] == "predicted and seen"


def test_a_file_of_another_shape_is_told_where_it_is_read(landing: Repository) -> None:
    declare(landing, 'columns.status = "varchar"', 'columns.state = "varchar"')
    landing.edit("bronze/orders", "status", "state as status")
    found = assets(landing, "HEAD", code=1)
    assert (
        "landing/orders.csv: column state is missing; column status is not declared"
        in found["bronze.orders"]["problem"]
    )


def test_the_self_test_knows_files(landing: Repository) -> None:
    said = landing.run("selftest", "--format", "json")
    assert said.exit_code == 0, said.output
    tried = [it for it in json.loads(said.stdout)["tried"] if it["pipeline"].startswith("bronze.")]
    assert any(it["exact"] for it in tried)


def test_a_store_that_does_not_answer_leaves_out_all_that_reads_there(landing: Repository) -> None:
    declare(landing, 'at = "landing"', 'at = "s3://bucket/orders"')
    side = side_of_project(project_at(landing.root))
    asked: list[str] = []

    def find(source: FileSource) -> tuple[tuple[str, ...], tuple[str, ...]]:
        asked.append(source.name)
        raise LandingError("landing: the store does not give it", fix="see that it is reached")

    left_out = "so nothing is compared: bronze.fees, bronze.orders, bronze.lines cannot be built without it"
    with pytest.raises(LandingError, match=f"the store does not give it; {left_out}; see that it is reached"):
        files_of(["bronze.orders", "bronze.fees", "bronze.lines", "gold.paid"], side, side, find)
    assert asked == [BATCH]
