"""A MERGE under the commands that compare and explain: its lineage, what a change of it does, whom it reaches."""

import json
from typing import Any

import pytest

from tests.ship.conftest import Repository

MERGE = """-- owner: team:mart
-- grain: id
create table if not exists mart.members (id bigint, email varchar, spent double, country varchar);

merge into mart.members as t
using (
  select p.id, p.email, p.country, sum(o.amount) as spent
  from crm.people p
  join shop.orders o on o.person_id = p.id
  where o.status = 'paid'
  group by all
) as s
on t.id = s.id
when matched and s.spent > t.spent then
  update set email = s.email, spent = s.spent
when not matched and s.country = 'DE' then
  insert (id, email, spent, country) values (s.id, s.email, s.spent, s.country)
when not matched by source and t.spent < 30 then delete
"""
NOW = (
    "id,email,spent,country\n"
    + "".join(f"{n},old{n}@x.org,{n * 100},DE\n" for n in (1, 2, 3))
    + "90,gone@x.org,20,FR\n"
)


@pytest.fixture
def merging(repository: Repository) -> Repository:
    path = repository.pipeline("mart/members")
    path.write_text(MERGE)
    repository.pipeline("mail/members").write_text(
        "-- owner: team:mail\ncreate table mail.members as select email from mart.members where spent > 10\n"
    )
    (repository.rows / "mart.members.csv").write_text(NOW)
    repository.commit()
    return repository


def assets(repository: Repository, *arguments: str) -> dict[str, Any]:
    said = repository.validate(*arguments, "--format", "json")
    assert said.exit_code == 0, said.output
    return {it["table"]: it for it in json.loads(said.stdout)["assets"]}


def test_both_sides_begin_on_the_rows_that_there_are(merging: Repository) -> None:
    merging.edit("mart/members", "s.spent > t.spent", "s.spent >   t.spent")
    found = assets(merging, "HEAD")
    assert found["mart.members"]["verdict"] == "neither predicted nor seen"
    # 90 goes, the three stay, and of those that are new the Germans come
    assert found["mart.members"]["rows"]["before"] == found["mart.members"]["rows"]["unchanged"] > 15


def test_a_value_that_it_writes_is_a_change_of_that_column(merging: Repository) -> None:
    merging.edit("mart/members", "update set email = s.email,", "update set email = upper(s.email),")
    found = assets(merging, "HEAD")
    members = found["mart.members"]
    assert members["verdict"] == "predicted and seen"
    assert (members["rows"]["added"], members["rows"]["removed"]) == (0, 0)
    changed = {it["name"]: it["changed"] for it in members["columns"]}
    assert changed["email"] > 0
    assert changed["spent"] == changed["country"] == 0
    assert found["mail.members"]["verdict"] == "predicted and seen"


def test_a_condition_decides_which_rows_there_are(merging: Repository) -> None:
    merging.edit("mart/members", "t.spent < 30", "t.spent < 10")
    found = assets(merging, "HEAD")
    assert found["mart.members"]["verdict"] == "predicted and seen"
    assert found["mart.members"]["rows"]["added"] == 1
    said = merging.run("diff", "HEAD", "--format", "json")
    (change,) = json.loads(said.stdout)["changes"]
    assert (change["kind"], change["pipeline"]) == ("population", "mart.members")


def test_a_table_that_is_not_there_yet_begins_empty(merging: Repository) -> None:
    (merging.rows / "mart.members.csv").unlink()
    merging.edit("mart/members", "s.country = 'DE'", "s.country = 'FR'")
    found = assets(merging, "HEAD")
    assert found["mart.members"]["verdict"] == "predicted and seen"


def test_its_rows_are_compared_with_themselves_in_another_order(merging: Repository) -> None:
    merging.edit("mart/members", "email = s.email,", "email = s.email || random(),")
    found = assets(merging, "HEAD")
    assert found["mart.members"]["verdict"] == "predicted and seen"


SHAPED = """  rows shaped by
    crm.people.country INDIRECT FILTER
    crm.people.country INDIRECT GROUP_BY
    crm.people.email INDIRECT GROUP_BY
    crm.people.id INDIRECT JOIN
    crm.people.id INDIRECT GROUP_BY
    mart.members.id INDIRECT JOIN
    mart.members.spent INDIRECT FILTER
    shop.orders.amount INDIRECT FILTER
    shop.orders.person_id INDIRECT JOIN
    shop.orders.status INDIRECT FILTER
  reads crm.people, mart.members, shop.orders
"""


def test_rows_are_shaped_by_on_and_by_the_conditions(merging: Repository) -> None:
    said = merging.run("lineage", str(merging.pipeline("mart/members")))
    assert said.exit_code == 0, said.output
    assert said.stdout.endswith(SHAPED)
    assert "  spent    derived       crm.people.country INDIRECT CONDITIONAL, mart.members.spent" in said.stdout


def test_each_edge_shows_its_clause(merging: Repository) -> None:
    said = merging.run("lineage", str(merging.pipeline("mart/members")), "--explain")
    assert said.exit_code == 0, said.output
    assert "18  when not matched by source and t.spent < 30\n" + " " * 44 + "^^^^^^^\n" in said.stdout


def test_a_change_reaches_what_it_writes_and_what_it_decides(merging: Repository) -> None:
    events = merging.root / "events.ndjson"
    events.write_text(merging.run("lineage", "--all", "--format", "openlineage").stdout)
    said = merging.run("impact", "shop.orders.amount", "--events", str(events), "--format", "text")
    assert said.exit_code == 0, said.output
    assert "columns whose values can change: 2\n" in said.stdout
    assert "mart.members.spent  DIRECT AGGREGATION" in said.stdout
    assert "mart.members  INDIRECT FILTER, ROWS, INDIRECT JOIN" in said.stdout


def test_the_collector_is_not_tried_on_it(merging: Repository) -> None:
    said = merging.run("selftest", "--format", "json")
    assert said.exit_code == 0, said.output
    skipped = [it for it in json.loads(said.stdout)["tried"] if it["pipeline"] == "mart.members"]
    assert len(skipped) == 4
    assert all("MERGE" in it["skipped"] for it in skipped)
