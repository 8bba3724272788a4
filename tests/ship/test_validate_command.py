"""`headwater validate`: both revisions built over the same rows, compared, beside what was predicted."""

import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from governance.validation import Predicted
from tests.ship.conftest import Repository


def assets(repository: Repository, *arguments: str, code: int = 0) -> dict[str, Any]:
    said = repository.validate(*arguments, "--format", "json")
    assert said.exit_code == code, said.output
    return {it["table"]: it for it in json.loads(said.stdout)["assets"]}


def test_what_means_the_same_gives_the_same(repository: Repository) -> None:
    repository.edit("mart/list", "select p.id", "select\n  p.id")
    found = assets(repository, "HEAD")
    assert {it["verdict"] for it in found.values()} == {"neither predicted nor seen"}
    assert found["mart.list"]["rows"] == {
        "before": 30,
        "after": 30,
        "added": 0,
        "removed": 0,
        "changed": 0,
        "unchanged": 30,
    }


def test_changed_values_are_counted_by_column_with_examples(repository: Repository) -> None:
    repository.edit("mart/list", "p.email", "upper(p.email) as email")
    found = assets(repository, "HEAD")
    assert found["mart.list"]["verdict"] == "predicted and seen"
    assert found["mart.list"]["rows"]["changed"] == 30
    email = next(it for it in found["mart.list"]["columns"] if it["name"] == "email")
    assert email["changed"] == 30
    assert email["examples"][0] == {"key": [1], "before": "p1@x.org", "after": "P1@X.ORG"}
    assert email["before"]["min"] == "p10@x.org"
    assert found["mail.sent"]["verdict"] == "predicted and seen"
    assert found["mail.sent"]["why_no_key"] == "no grain is declared"
    assert found["mart.spend"]["verdict"] == "neither predicted nor seen"


def test_added_and_removed_rows_are_counted(repository: Repository) -> None:
    repository.edit("mart/list", "where p.active", "where p.id > 10")
    found = assets(repository, "HEAD")
    assert (found["mart.list"]["rows"]["added"], found["mart.list"]["rows"]["removed"]) == (8, 8)
    assert found["mart.spend"]["verdict"] == "predicted and seen"


def test_predicted_and_not_seen(repository: Repository) -> None:
    repository.edit("mart/list", "where p.active", "where p.active and p.id > 0")
    assert assets(repository, "HEAD")["mart.list"]["verdict"] == "predicted and not seen"
    assert "mart.list which rows it has; country, email, id" in " ".join(repository.validate("HEAD").output.split())


def test_a_renamed_column_is_compared_under_both_names(repository: Repository) -> None:
    repository.edit("mart/spend", "as amount", "as revenue")
    (spend,) = assets(repository, "HEAD").values()
    assert next(it for it in spend["columns"] if it["name"] == "revenue")["was"] == "amount"
    assert spend["rows"]["changed"] == 0
    assert spend["verdict"] == "predicted and seen"


def test_a_column_that_is_gone_or_new_is_seen(repository: Repository) -> None:
    repository.edit("mart/list", "p.email, p.country", "p.email, p.id + 1 as next, p.country")
    repository.edit("mart/spend", ", count(*) as orders", "")
    found = assets(repository, "HEAD")
    presence = {(table, it["name"]): it["presence"] for table in found for it in found[table]["columns"]}
    assert presence["mart.list", "next"] == "new"
    assert presence["mart.spend", "orders"] == "gone"
    assert presence["mart.spend", "amount"] == "both"
    assert {found[table]["verdict"] for table in ("mart.list", "mart.spend")} == {"predicted and seen"}
    text = repository.validate("HEAD").output
    assert {"mart.list.next is new", "mart.spend.orders is gone"} <= {" ".join(it.split()) for it in text.splitlines()}


def test_a_column_that_nothing_predicted_to_come_or_go_is_a_fault(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform_assets.changes.validate.predict", lambda *_: Predicted({}, frozenset()))
    repository.edit("mart/list", "p.country", "p.country, 1 as one")
    repository.edit("mart/spend", "as amount, count(*) as orders", "as revenue")
    found = assets(repository, "HEAD", code=1)
    assert found["mart.list"]["faults"] == ["mart.list.one is new"]
    assert found["mart.spend"]["faults"] == ["mart.spend.amount is now revenue", "mart.spend.orders is gone"]


def test_numbers_may_differ_by_a_declared_tolerance(repository: Repository) -> None:
    repository.edit("mart/spend", "sum(o.amount)", "sum(o.amount) * 1.0000001")
    assert assets(repository, "HEAD")["mart.spend"]["rows"]["changed"] == 2
    assert assets(repository, "HEAD", "--tolerance", "0.001")["mart.spend"]["rows"]["changed"] == 0


def test_a_grain_that_is_not_unique_fails_its_check_and_rows_are_counted_whole(repository: Repository) -> None:
    repository.edit("mart/list", "from crm.people p", "from crm.people p, range(2)")
    found = assets(repository, "HEAD")["mart.list"]
    assert found["checks"] == {"grain id unique": "30 keys occur more than once"}
    assert found["why_no_key"] == "the grain id is not unique"
    assert found["rows"]["added"] == 30


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        ("crm.people.email rename mail", {"mart.list": "cannot be rebuilt", "mail.sent": "cannot be rebuilt"}),
        ("crm.people.email drop", {"mart.list": "cannot be rebuilt"}),
        ("crm.people.phone add varchar", {"mart.list": "neither predicted nor seen"}),
        ("crm.people.country enum IT", {"mart.list": "predicted and seen", "mart.spend": "predicted and seen"}),
        ("shop.orders.amount unit 100", {"mart.spend": "predicted and seen"}),
        ("crm.people.id type varchar", {"mart.list": "predicted and seen"}),
    ],
)
def test_a_source_may_be_changed_on_trial(repository: Repository, change: str, verdicts: dict[str, str]) -> None:
    code = int("cannot be rebuilt" in verdicts.values())
    found = assets(repository, "--change", change, code=code)
    assert {table: found[table]["verdict"] for table in verdicts} == verdicts


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("crm.people.email", "is no change"),
        ("crm.people.emial drop", "has no column emial"),
        ("crm.poeple.email drop", "did you mean crm.people?"),
        ("crm.people.email rename id", "already has column id"),
        ("crm.people.email rename a b; drop", "is no column name"),
        ("crm.people.email type nosuch", "is no type"),
        ("crm.people.id unit many", "is no number"),
        ("crm.people.email add varchar", "already has column email"),
        ("crm.people.email unit 100", "crm.people.email is varchar, and unit is for numbers"),
    ],
)
def test_a_change_that_cannot_be_is_an_error(repository: Repository, change: str, said: str) -> None:
    found = repository.validate("--change", change)
    assert found.exit_code == 1
    assert said in found.output
    assert "Traceback" not in found.output


def test_a_pipeline_that_cannot_be_built_is_named_with_why(repository: Repository) -> None:
    repository.edit("mart/list", "p.email", "p.email::integer as email")
    found = assets(repository, "HEAD", code=1)["mart.list"]
    assert found["verdict"] == "cannot be rebuilt"
    assert "mart/list.sql" in found["problem"]
    below = assets(repository, "HEAD", code=1)["mail.sent"]
    assert below["verdict"] == "cannot be rebuilt"
    assert below["problem"] == "after: it reads mart.list, which could not be rebuilt"


@pytest.mark.parametrize("text", ["select", "create table mart.more as select nosuch from crm.people"])
def test_a_new_pipeline_that_cannot_be_read_cannot_be_rebuilt(repository: Repository, text: str) -> None:
    repository.pipeline("mart/more").write_text(text)
    (more,) = assets(repository, "HEAD", code=1).values()
    assert (more["table"], more["verdict"]) == ("mart.more", "cannot be rebuilt")
    assert "mart/more.sql" in more["problem"]


def test_a_difference_that_nothing_predicted_is_a_fault_of_the_lineage(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform_assets.changes.validate.predict", lambda *_: Predicted({}, frozenset()))
    repository.edit("mart/list", "p.email", "upper(p.email) as email")
    found = assets(repository, "HEAD", code=1)
    assert found["mart.list"]["verdict"] == "seen and not predicted"
    assert found["mart.list"]["faults"] == ["mart.list.email changed in 30 rows"]


def test_what_differs_from_run_to_run_is_no_fault_of_the_lineage(repository: Repository) -> None:
    repository.edit("mart/list", "p.country", "p.country, random() as draw")
    repository.commit()
    repository.edit("mart/list", "p.email", "upper(p.email) as email")
    assert assets(repository, "HEAD")["mart.list"]["verdict"] == "differs from run to run"


def test_what_follows_the_order_of_rows_is_no_fault_of_the_lineage(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.edit("mart/list", "p.country", "p.country, row_number() over () as place")
    repository.commit()
    repository.edit("mart/list", "from crm.people p", "from (select * from crm.people order by id desc) p")
    monkeypatch.setattr("platform_assets.changes.validate.predict", lambda *_: Predicted({}, frozenset()))
    found = assets(repository, "HEAD")["mart.list"]
    assert next(it for it in found["columns"] if it["name"] == "place")["changed"]
    assert found["verdict"] == "differs from run to run"


def test_sql_under_review_reads_and_writes_nothing_else(repository: Repository) -> None:
    secret = repository.root / "secret.csv"
    secret.write_text("a\n1\n")
    for source in (f"'{secret}'", f"read_csv('{secret}')"):
        repository.pipeline("mart/list").write_text(f"create table mart.list as from {source}")
        found = repository.validate("HEAD")
        assert found.exit_code == 1


def test_a_sample_is_the_same_each_time(repository: Repository) -> None:
    repository.edit("mart/list", "p.email", "upper(p.email) as email")
    first, again = (assets(repository, "HEAD", "--sample", "10")["mart.list"] for _ in range(2))
    assert first == again
    assert first["rows"]["before"] <= 10


def test_without_rows_it_says_what_is_missing(repository: Repository) -> None:
    (repository.rows / "shop.orders.csv").unlink()
    repository.edit("mart/spend", "sum", "max")
    found = repository.validate("HEAD")
    assert found.exit_code == 1
    assert "no rows here for shop.orders" in found.output


def test_nothing_to_compare_is_an_error(repository: Repository) -> None:
    assert "nothing to compare" in repository.validate().output


def test_text_and_markdown_tell_the_same(repository: Repository) -> None:
    repository.edit("mart/list", "p.email", "upper(p.email) as email")
    text, markdown = (repository.validate("HEAD", "--format", form).output for form in ("text", "md"))
    for said in (text, markdown):
        assert "predicted and seen" in said
        assert "p1@x.org → P1@X.ORG" in said


def test_a_pipeline_that_only_one_revision_has_is_no_fault(repository: Repository) -> None:
    repository.pipeline("mart/more").write_text("create table mart.more as select id from crm.people")
    repository.pipeline("mail/sent").unlink()
    found = assets(repository, "HEAD")
    assert {table: (it["verdict"], it["problem"]) for table, it in found.items()} == {
        "mail.sent": ("nothing to compare with", "after: this revision has no such pipeline"),
        "mart.more": ("nothing to compare with", "before: this revision has no such pipeline"),
    }


FOREVER = "from crm.people p, range(1000000000) a, range(1000000000) b where a.range * b.range <> 7 and p.active"


def test_a_build_that_takes_too_long_is_given_up(repository: Repository) -> None:
    repository.edit("mart/list", "from crm.people p\nwhere p.active", FOREVER)
    found = assets(repository, "HEAD", "--seconds", "0.5", code=1)["mart.list"]
    assert found["verdict"] == "cannot be rebuilt"
    assert "it takes longer than 0.5 seconds" in found["problem"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_build_and_its_scratch_folder_goes(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    repository.edit("mart/list", "from crm.people p\nwhere p.active", FOREVER)
    ending = threading.Thread(target=_signalled_while_building, args=(number,))
    ending.start()
    assert repository.validate("HEAD").exit_code == {signal.SIGINT: 1, signal.SIGTERM: 143}[number]
    ending.join()
    assert not list(scratch.glob("headwater-*"))


def _signalled_while_building(number: signal.Signals) -> None:
    """Send the signal once a statement has been running for a while: none of the others takes long."""
    since = {}
    while not any(time.monotonic() - start > 0.5 for start in since.values()):
        running = {it.ident for it in threading.enumerate() if it.name == "engine-query"}
        since = {ident: since.get(ident, time.monotonic()) for ident in running}
        time.sleep(0.02)
    os.kill(os.getpid(), number)
