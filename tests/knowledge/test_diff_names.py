"""Columns and tables that take other names or places, and readers that take them by place."""

from dataclasses import replace

import pytest

from governance.block import Block, BlockKind
from governance.consumers.declared import Declarations, Declared
from governance.dataset import Dataset
from governance.diff import Kind, Side, compare
from governance.impact import Facts
from governance.policy import TablePolicy
from governance.report.diff import diff_markdown, diff_text
from governance.statement import read_program
from tests.knowledge.revisions import BASE, LIST, SENT, SOURCES, changed, edited, side, told


def test_two_columns_are_renamed_at_once() -> None:
    head = edited("mart.list", ("p.id, p.email", "p.id as key, p.email as address"))
    head["mail.sent"] = SENT.replace("l.id, l.email", "l.key as id, l.address as email")
    assert told(changed(side(BASE), side(head))) == [
        ("value", "mart.list", ("email",)),
        ("value", "mart.list", ("id",)),
        ("cosmetic", "mail.sent", ()),
    ]


def test_columns_that_are_computed_alike_keep_their_order_when_renamed() -> None:
    base = {"m.t": "create table m.t as select id as a, id as b from crm.people"}
    head = {"m.t": "create table m.t as select id as c, id as d from crm.people"}
    reasons = [it.reason.partition(";")[0] for it in changed(side(base), side(head)).changes]
    assert reasons == ["a is now c", "b is now d"]


@pytest.mark.parametrize(
    "line", ["description: All.", "grain: id", "tags: a, b", "freshness: 1 hour", "owner: a@x.org"]
)
def test_the_header_says_nothing_of_values_and_rows(line: str) -> None:
    base = {"m.t": "create table m.t as select id from crm.people"}
    assert told(changed(side(base), side({"m.t": f"-- {line}\n{base['m.t']}"}))) == [("cosmetic", "m.t", ())]


INSERT = """create table if not exists m.log (id bigint, mail varchar);
insert into m.log (id, mail) select id, email from crm.people
"""


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("select id, email", "SELECT id, p.email", [("cosmetic", ())]),
        ("select id, email", "select id, lower(email)", [("value", ("mail",))]),
        ("from crm.people", "from crm.people where active", [("population", ("id", "mail"))]),
        ("mail varchar)", "mail text)", [("cosmetic", ())]),
        ("id bigint", "id varchar", [("value", ("id",))]),
        ("mail varchar)", "mail varchar, place varchar)", [("additive", ("place",))]),
        ("(id, mail) select id, email", "(mail, id) select email, id", [("cosmetic", ())]),
    ],
)
def test_an_insert_is_compared_by_the_columns_of_its_table(
    old: str, new: str, kinds: list[tuple[str, tuple[str, ...]]]
) -> None:
    text = INSERT.replace("from crm.people", "from crm.people p")
    old, new = (it.replace("from crm.people", "from crm.people p") for it in (old, new))
    assert old in text
    found = changed(side({"m.log": text}), side({"m.log": text.replace(old, new)}))
    assert [(it.kind.value, it.fields) for it in found.changes] == kinds


def test_masking_is_told_by_the_edges() -> None:
    base = {"m.t": "create table m.t as select email from crm.people"}
    head = {"m.t": "create table m.t as select md5(email) as email from crm.people"}
    (change,) = changed(side(base), side(head)).changes
    assert change.kind is Kind.VALUE
    assert [edge[4] for edge in (*change.less, *change.more)] == [False, True]
    assert "masked" in diff_text(changed(side(base), side(head)))


def test_sources_come_and_go() -> None:
    more = {**SOURCES, "crm.calls": {"id": "bigint"}}
    assert told(changed(side(BASE), side(BASE, more))) == [("additive", "crm.calls", ("id",))]
    assert told(changed(side(BASE, more), side(BASE))) == [("value", "crm.calls", ("id",))]
    gone = changed(side(BASE), side(BASE, {}))
    assert ("breaking", "crm.people", ("id", "email", "country", "active")) in told(gone)


def test_a_reader_of_what_cannot_be_read_is_no_change_of_its_own() -> None:
    head = edited("mart.list", ("select p.id", "selekt p.id"))
    assert told(changed(side(BASE), side(head))) == [("breaking", "mart.list", ())]
    assert [it.dataset.name for it in changed(side(BASE), side(head)).changes[0].reaches] == ["mail.sent"]
    head["mail.sent"] = SENT.replace("l.id", "l.id + 1 as id")
    assert told(changed(side(BASE), side(head))) == [("breaking", "mail.sent", ()), ("breaking", "mart.list", ())]
    # and once it can be read again, what reads it is as it was
    assert told(changed(side(edited("mart.list", ("select p.id", "selekt p.id"))), side(BASE))) == [
        ("additive", "mart.list", ("id", "email", "place"))
    ]


WIDE = "create table mart.wide as select id, email, country from crm.people"
TURNED = "create table mart.wide as select email, id, country from crm.people"
BY_PLACE = {
    "an INSERT": (
        "create table if not exists m.t (a bigint, b varchar, c varchar); insert into m.t select * from mart.wide",
        [("value", ("a", "b"))],
    ),
    "a set operation": (
        "create table m.t as select id a, email b, country c from crm.people union all select * from mart.wide",
        [("value", ("a", "b"))],
    ),
    "one that compares": (
        "create table m.t as select id a, email b, country c from crm.people union select * from mart.wide",
        [("population", ("a", "b", "c")), ("value", ("a", "b"))],
    ),
    "by name": (
        "create table m.t as select id, email, country from crm.people union all by name select * from mart.wide",
        [],
    ),
    "a star": ("create table m.t as select * from mart.wide", []),
}


@pytest.mark.parametrize(("reader", "kinds"), BY_PLACE.values(), ids=BY_PLACE)
def test_what_reads_by_place_changes_with_the_order_of_columns(
    reader: str, kinds: list[tuple[str, tuple[str, ...]]]
) -> None:
    base, head = ({"mart.wide": wide, "m.t": reader} for wide in (WIDE, TURNED))
    found = changed(side(base), side(head))
    assert [(it.kind.value, it.fields) for it in found.changes if it.pipeline == "m.t"] == kinds
    assert [(it.kind, it.reason) for it in found.changes if it.pipeline == "mart.wide"] == [
        (Kind.COSMETIC, "its columns stand in another order, which only what reads them by place can tell")
    ]
    for it in found.changes:
        if it.kind is Kind.VALUE:
            assert it.reason == "the text is the same, and other columns come into it: a, b"


def test_a_star_of_a_star_carries_the_order_on() -> None:
    between = "create table mart.all as select * from mart.wide"
    last = BY_PLACE["an INSERT"][0].replace("mart.wide", "mart.all")
    base, head = ({"mart.wide": wide, "mart.all": between, "m.t": last} for wide in (WIDE, TURNED))
    assert ("value", "m.t", ("a", "b")) in told(changed(side(base), side(head)))


@pytest.mark.parametrize("item", ["count(*)", "email", "cast(email as varchar)"])
def test_one_more_column_of_an_insert_leaves_the_others_as_they_are(item: str) -> None:
    base = """create table if not exists m.t (day varchar, most bigint);
    insert into m.t select email, max(id) from crm.people group by 1, email, cast(email as varchar)"""
    head = base.replace("most bigint", "most bigint, n varchar").replace("max(id)", f"max(id), {item}")
    assert told(changed(side({"m.t": base}), side({"m.t": head}))) == [("additive", "m.t", ("n",))]


@pytest.mark.parametrize(
    ("now", "kinds"),
    [
        ("p.active as state", [("breaking", ("email",)), ("additive", ("state",))]),
        ("'x' as state", [("breaking", ("email",)), ("additive", ("state",))]),
        ("lower(p.email) as mail", [("breaking", ("email",)), ("value", ("email",))]),
        ("p.email as mail", [("breaking", ("email",))]),
    ],
)
def test_only_what_is_made_of_the_same_is_a_rename(now: str, kinds: list[tuple[str, tuple[str, ...]]]) -> None:
    found = changed(side(BASE), side(edited("mart.list", ("p.email", now))))
    assert [(it.kind.value, it.fields) for it in found.changes if it.pipeline == "mart.list"] == kinds
    gone = next(it for it in found.changes if it.kind is Kind.BREAKING and it.pipeline == "mart.list")
    assert gone.reason.startswith("email is now mail" if "mail" in now else "email is gone")


def moved(**edits: str) -> dict[str, str]:
    """The list under another name; its reader as it was, if nothing else is said."""
    return {"mail.list": LIST.replace("mart.list", "mail.list"), "mail.sent": edits.get("reader", SENT)}


def test_a_pipeline_that_is_read_moves_to_another_table() -> None:
    found = changed(side(BASE), side(moved()))
    assert [it for it in told(found) if it[1] != "mail.sent"] == [
        ("breaking", "mart.list", ("id", "email", "place")),
        ("additive", "mail.list", ("id", "email", "place")),
    ]
    gone, new = (next(it for it in found.changes if it.pipeline == table) for table in ("mart.list", "mail.list"))
    assert gone.reason == "it is now mail.list, and read by mail.sent"
    assert gone.file == new.file == "platform_assets/pipelines/mail/list.sql"
    assert new.reason == "it is what mart.list was"
    assert gone.steps[0] == "expand: let mart.list be built beside mail.list, with the same rows"


def test_a_reader_that_moves_along_with_its_table_means_what_it_meant() -> None:
    found = changed(side(BASE), side(moved(reader=SENT.replace("mart.list", "mail.list"))))
    assert told(found) == [
        ("value", "mart.list", ("id", "email", "place")),
        ("additive", "mail.list", ("id", "email", "place")),
        ("cosmetic", "mail.sent", ()),
    ]
    assert found.changes[0].reason.startswith("it is now mail.list; no consumers found")


def test_two_that_read_each_other_and_themselves_move_at_once() -> None:
    first = "create table if not exists {0}.log (id bigint); insert into {0}.log select id from crm.people where id > "
    first += "(select max(id) from {0}.log)"
    second = "create table {0}.last as select max(id) as id from {0}.log"
    base, head = ({f"{of}.log": first.format(of), f"{of}.last": second.format(of)} for of in ("a", "b"))
    reasons = {it.pipeline: it.reason.partition(";")[0] for it in changed(side(base), side(head)).changes}
    assert reasons["a.log"].startswith("it is now b.log")
    assert reasons["a.last"].startswith("it is now b.last")
    assert (reasons["b.log"], reasons["b.last"]) == ("it is what a.log was", "it is what a.last was")


def test_a_table_that_is_made_otherwise_is_none_that_moved() -> None:
    head = moved()
    head["mail.list"] = head["mail.list"].replace("where p.active", "where not p.active")
    reasons = {it.pipeline: it.reason for it in changed(side(BASE), side(head)).changes}
    assert reasons["mart.list"].startswith("it is gone")
    assert reasons["mail.list"] == "it is new"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("owner: team:a", "owner: team:b", "its owner is now team:b, and was team:a"),
        ("-- owner: team:a\n", "", "its owner is now nobody, and was team:a"),
        ("grain: id", "grain: id, email", "its grain is now id, email, and was id"),
        ("id\ncreate", "id\n-- partition by: id\ncreate", "its parting is now id, and was not said"),
        ("id\ncreate", "id\n-- tags: x\ncreate", "written otherwise, and means the same"),
    ],
)
def test_who_owns_a_table_and_what_its_rows_are_is_told(old: str, new: str, reason: str) -> None:
    base = "-- owner: team:a\n-- grain: id\ncreate table m.t as select id, email from crm.people"
    (change,) = changed(side({"m.t": base}), side({"m.t": base.replace(old, new)})).changes
    assert (change.kind, change.reason) == (Kind.COSMETIC, reason)
    # beside what else changed
    both = base.replace(old, new).replace("select id, email", "select id, lower(email) as email")
    kinds = [it.kind for it in changed(side({"m.t": base}), side({"m.t": both})).changes]
    assert kinds == [Kind.VALUE] + [Kind.COSMETIC] * ("written" not in reason)


def test_an_owner_that_policy_declares_otherwise_is_told() -> None:
    def owned(owner: str | None) -> Side:
        found = side(BASE)
        return replace(found, policy=replace(found.policy, tables={"crm.people": TablePolicy(owner=owner)}))

    (change,) = changed(owned("team:a"), owned("team:b")).changes
    assert (change.kind, change.pipeline, change.file) == (Kind.COSMETIC, "crm.people", "governance/metadata.toml")
    assert change.reason == "its owner is now team:b, and was team:a"
    assert changed(owned("team:a"), owned("team:a")).changes == ()


def test_consumers_of_what_is_reached_are_named_and_asked() -> None:
    facts = Facts(consumers={Dataset("ns", "mail.sent"): ("Email tool",), Dataset("ns", "mart.list"): ("Board",)})
    declared = Declarations((Declared("Email tool", "application", ("mail.sent",), owner="team:crm"),))
    head = side(edited("mart.list", ("where p.active", "where not p.active")))
    found = changed(side(BASE), head, facts=lambda _graph: facts, declared=declared)
    assert found.owners["team:crm"][0].startswith("Email tool, which reads mail.sent: agree to other rows")
    assert found.owners["no owner declared"][0].startswith("Board, which reads mart.list: agree to other rows")
    for text in (diff_text(found), diff_markdown(found)):
        # where it is reached, and what its owner is to do
        assert text.count("Email tool") == 2


def test_a_change_of_a_template_is_shown_at_the_templates_line() -> None:
    head = side(edited("mart.list", ("p.email", "upper(p.email) as email")))
    made = tuple(replace(it, origin=tuple(range(11, 11 + len(it.sql.splitlines())))) for it in head.pipelines)
    (changed_list,) = [it for it in compare(side(BASE), replace(head, pipelines=made)) if it.table == "mart.list"]
    assert changed_list.line == 13


def test_a_block_that_is_only_laid_out_otherwise_is_cosmetic() -> None:
    def on(sql: str) -> Side:
        made = side({"mart.list": "create table mart.list as\nselect half(p.id) as id from crm.people p\n"})
        block = Block("half", BlockKind.MACRO, "platform_assets/blocks/half.sql", 1, sql)
        pipelines = tuple(replace(it, blocks=(block,)) for it in made.pipelines)
        return replace(made, pipelines=pipelines, program=read_program(pipelines, made.sources))

    before = on("create macro half(x) as x / 2")
    assert told(changed(before, on("create  macro half(x) as\n  x / 2"))) == [("cosmetic", "mart.list", ())]
    (halved,) = changed(before, on("create macro half(x) as x / 4")).changes
    assert (halved.kind.value, halved.fields) == ("value", ("id",))
    assert halved.reason == "computed otherwise: id; written otherwise: half, which it builds on"
