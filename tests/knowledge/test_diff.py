"""Two revisions compared: a dozen kinds of change, each judged by who reads what changed."""

from dataclasses import replace
from typing import Any

import pytest

from governance.consumers.declared import Declarations, Declared
from governance.dataset import Dataset
from governance.diff import Kind
from governance.impact import Facts
from governance.queries.model import QueryLog, QueryRead
from governance.report.diff import MARKER, diff_github, diff_markdown, diff_sarif, diff_text
from tests.knowledge.revisions import AT, BASE, LIST, SENT, SOURCES, changed, edited, side, told

COSMETIC = {
    "layout": edited("mart.list", ("select p.id, p.email", "SELECT\n    p.id,\n    p.email")),
    "a comment": edited("mart.list", ("where", "-- only those who are still here\nwhere")),
    "an alias": edited("mart.list", ("p.", "people."), ("people p", "people people")),
    "brackets": edited("mart.list", ("p.active", "(p.active)")),
    "the description": edited(
        "mart.list", ("-- owner: team:mart", "-- description: All of them.\n-- owner: team:mart")
    ),
}


@pytest.mark.parametrize("head", COSMETIC.values(), ids=COSMETIC)
def test_what_is_written_otherwise_is_no_finding(head: dict[str, str]) -> None:
    found = changed(side(BASE), side(head))
    assert told(found) == [("cosmetic", "mart.list", ())]
    assert diff_github(found) == ""


def test_nothing_is_said_of_what_did_not_change() -> None:
    found = changed(side(BASE), side(BASE))
    assert found.changes == ()
    assert diff_text(found) == "Nothing changes."


def test_a_column_that_a_pipeline_reads_is_gone() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email, ", ""))))
    assert told(found)[:2] == [("breaking", "mail.sent", ()), ("breaking", "mart.list", ("email",))]
    gone = found.changes[1]
    assert "email is gone, and read by mail.sent" in gone.reason
    assert [(it.dataset.name, it.owner) for it in gone.reaches] == [("mail.sent", None)]
    assert [step.partition(":")[0] for step in gone.steps] == ["expand", "move the readers", "contract"]
    assert found.unreadable == ("mail.sent",)


def test_a_column_is_renamed() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", "p.email as address"))))
    renamed = next(it for it in found.changes if it.pipeline == "mart.list")
    assert (renamed.kind, renamed.fields) == (Kind.BREAKING, ("email",))
    assert renamed.reason.startswith("email is now address, and read by mail.sent")
    assert renamed.steps[0] == "expand: let mart.list have address beside email, with the same values"


def test_a_rename_whose_reader_moves_along_breaks_nothing_that_is_known() -> None:
    head = edited("mart.list", ("p.email", "p.email as address"))
    head["mail.sent"] = SENT.replace("l.email", "l.address as email")
    found = changed(side(BASE), side(head))
    renamed = next(it for it in found.changes if it.pipeline == "mart.list")
    assert renamed.kind is Kind.VALUE
    assert "mail.sent changed along" in renamed.reason


def test_a_column_that_nobody_is_known_to_read_is_gone() -> None:
    found = changed(side(BASE), side(edited("mart.list", (", p.country as place", ""))))
    assert told(found) == [("value", "mart.list", ("place",))]
    assert "no consumers found among these sources over this window" in found.changes[0].reason


def test_declared_consumers_and_logged_queries_read_too() -> None:
    head = side(edited("mart.list", (", p.country as place", "")))
    facts = Facts(consumers={Dataset("ns", "mart.list"): ("Dashboard",)})
    assert changed(side(BASE), head, facts=lambda _graph: facts).changes[0].kind is Kind.BREAKING
    board = Declared("Dashboard", "dashboard", ("mart.list.id", "mart.list.place"), owner="team:board")
    for reads, kind in (
        (board.reads, Kind.BREAKING),
        (("mart.list.id",), Kind.VALUE),
        (("mart.list", "mart.list.id"), Kind.BREAKING),
    ):
        declared = Declarations((replace(board, reads=reads),))
        found = changed(side(BASE), head, facts=lambda _graph: facts, declared=declared)
        assert (found.changes[0].kind, "Dashboard" in found.changes[0].reason) == (kind, kind is Kind.BREAKING)
        assert ("team:board" in found.owners) == (kind is Kind.BREAKING)
    for columns in (("mart.list.place",), None):
        read = QueryRead("1", AT, tables=("mart.list",), columns=columns)
        found = changed(side(BASE), head, log=QueryLog((read,), ()))
        assert found.changes[0].readers == ("1 queries in the log",)
    other = QueryRead("1", AT, tables=("mart.list",), columns=("mart.list.id",))
    assert changed(side(BASE), head, log=QueryLog((other,), ())).changes[0].kind is Kind.VALUE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("where p.active", "where p.active and p.country = 'DE'"),
        ("where p.active", "where not p.active"),
        ("where p.active", "where p.active limit 10"),
        ("from crm.people p", "from crm.people p join crm.people q on q.id = p.id"),
        ("select p.id", "select distinct p.id"),
    ],
)
def test_what_decides_the_rows_changed(old: str, new: str) -> None:
    found = changed(side(BASE), side(edited("mart.list", (old, new))))
    assert told(found) == [("population", "mart.list", ("id", "email", "place"))]
    assert [(it.dataset.name, it.arrives) for it in found.changes[0].reaches] == [("mail.sent", "rows")]


def test_an_expression_changed() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", "lower(p.email) as email"))))
    assert told(found) == [("value", "mart.list", ("email",))]
    assert [(it.dataset.name, it.arrives) for it in found.changes[0].reaches] == [("mail.sent", "value")]
    assert found.changes[0].less == (("email", "crm.people", "email", "DIRECT IDENTITY", False),)
    assert found.changes[0].more == (("email", "crm.people", "email", "DIRECT TRANSFORMATION", False),)


def test_a_column_is_retyped() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.id,", "cast(p.id as varchar) as id,"))))
    assert ("breaking", "mart.list", ("id",)) in told(found)
    assert "id was bigint and is varchar" in next(it for it in found.changes if it.fields == ("id",)).reason


def test_columns_and_pipelines_are_added() -> None:
    head = edited("mart.list", ("as place", "as place, p.active"))
    head["mart.more"] = "create table mart.more as select id from crm.people"
    assert told(changed(side(BASE), side(head))) == [
        ("additive", "mart.list", ("active",)),
        ("additive", "mart.more", ("id",)),
    ]


def test_a_pipeline_is_removed() -> None:
    found = changed(side(BASE), side({"mail.sent": SENT}))
    assert told(found) == [("breaking", "mail.sent", ()), ("breaking", "mart.list", ("id", "email", "place"))]
    unread = changed(side(BASE), side({"mart.list": LIST}))
    assert told(unread) == [("value", "mail.sent", ("id", "email"))]


def test_a_pipeline_can_no_longer_be_read() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", "p.emial"))))
    assert found.unreadable == ("mart.list",)
    broken = next(it for it in found.changes if it.pipeline == "mart.list")
    assert (broken.kind, broken.line) == (Kind.BREAKING, 3)
    assert "did you mean email" in broken.reason


def test_a_source_changes() -> None:
    head = {"crm.people": {"id": "bigint", "mail": "varchar", "country": "varchar", "active": "boolean"}}
    found = changed(side(BASE), side(BASE, head))
    assert ("breaking", "crm.people", ("email",)) in told(found)
    assert ("breaking", "mart.list", ()) in told(found)
    wider = {"crm.people": {**SOURCES["crm.people"], "phone": "varchar"}}
    assert told(changed(side(BASE), side(BASE, wider))) == [("additive", "crm.people", ("phone",))]


def test_a_star_carries_a_new_column_into_a_pipeline_whose_text_is_the_same() -> None:
    base = {"mart.all": "create table mart.all as select * from crm.people"}
    wider = {"crm.people": {**SOURCES["crm.people"], "phone": "varchar"}}
    assert told(changed(side(base), side(base, wider))) == [
        ("additive", "crm.people", ("phone",)),
        ("additive", "mart.all", ("phone",)),
    ]


def test_classes_that_changed_and_columns_declared_too_low() -> None:
    base = {"crm.people.email": "personal", "mart.list.email": "personal", "crm.people.active": "public"}
    head = {**base, "mart.list.email": "internal"}
    found = changed(side(BASE, classes=base), side(BASE, classes=head))
    assert [it.as_dict() for it in found.classes] == [
        {"table": "mart.list", "column": "email", "base": "personal", "head": "internal"}
    ]
    assert [(str(it.field), it.declared) for it in found.understated] == [("mart.list.email", "internal")]
    # what was too low before is the checks' business, not this change's
    assert changed(side(BASE, classes=head), side(BASE, classes=head)).understated == ()


def test_owners_are_told_what_to_do() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", "lower(p.email) as email"))), facts=owners)
    assert list(found.owners) == ["team:mail"]
    assert found.owners["team:mail"][0].startswith("mail.sent: agree to other values")


def owners(graph: Any) -> Facts:
    return Facts(owners={write.dataset: ", ".join(write.owners) for write in graph.writes})


def test_the_json_form_is_stable() -> None:
    (change,) = changed(side(BASE), side(edited("mart.list", ("p.email", "lower(p.email) as email")))).as_dict()[
        "changes"
    ]
    assert set(change) >= {"pipeline", "kind", "fields", "reason", "reaches"}
    assert (change["pipeline"], change["kind"], change["fields"]) == ("mart.list", "value", ["email"])
    assert change["reaches"][0]["dataset"] == "mail.sent"


def test_each_form_names_the_place_and_the_marker() -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", "p.emial"))))
    assert diff_markdown(found).startswith(MARKER)
    assert "::error file=platform_assets/pipelines/mart/list.sql,line=3" in diff_github(found)
    assert '"startLine": 3' in diff_sarif(found)


def test_a_comment_is_no_longer_than_a_code_host_takes() -> None:
    text = LIST.replace("mart.list", "mart.{}")
    many = {f"mart.t{n}": text.replace("{}", f"t{n}") for n in range(800)}
    head = {name: sql.replace("where p.active", "where not p.active") for name, sql in many.items()}
    comment = diff_markdown(changed(side(many), side(head)))
    assert len(comment) < 65_536
    assert "Too long for a comment" in comment
