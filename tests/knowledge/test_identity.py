"""Tables and columns that are renamed, dropped and made again."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from governance.classification import propose
from governance.dataset import Dataset, Field
from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.identity import SchemaVersion, carried, dropped, followed, present
from governance.impact import impact
from governance.policy import Policy
from governance.telling import read_graph

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]
PolicyOf = Callable[..., Policy]

TABLE = Dataset("iceberg://platform", "crm.learners")


def day(number: int) -> datetime:
    return datetime(2026, 10, number, tzinfo=UTC)


def version(number: int, **names: int) -> SchemaVersion:
    return SchemaVersion(day(number), f"s{number}", {field_id: name for name, field_id in names.items()})


RENAMED = (version(1, id=1, mail=2), version(3, id=1, contact=2))
DROPPED = (*RENAMED, version(5, id=1))
MADE_AGAIN = (*DROPPED, version(7, id=1, mail=7))
BESIDE = (version(1, id=1, mail=2), version(3, id=1, contact=2, mail=7))
REBUILT = (version(1, id=1, mail=2), version(3, id=1, mail=9))


@pytest.mark.parametrize(
    ("versions", "place", "name", "now"),
    [
        (RENAMED, 0, "mail", "contact"),
        (RENAMED, 1, "contact", "contact"),
        (DROPPED, 0, "mail", "contact#2"),
        (MADE_AGAIN, 0, "mail", "contact#2"),
        (MADE_AGAIN, 3, "mail", "mail"),
        (BESIDE, 0, "mail", "contact"),
        (BESIDE, 1, "mail", "mail"),
        # a table built anew under new ids in one step keeps its columns
        (REBUILT, 0, "mail", "mail"),
        (RENAMED, 0, "never there", "never there"),
    ],
)
def test_a_column_is_followed_by_its_field_id(
    versions: tuple[SchemaVersion, ...], place: int, name: str, now: str
) -> None:
    assert followed(versions, place, name) == now


def copy(
    event: Say,
    output: Shape,
    source: str,
    at: int,
    *,
    job: str = "copy",
    snapshot: str | None = None,
    schema: Iterable[str] | None = None,
) -> Event:
    columns = ("id", source) if schema is None else schema
    read: dict[str, Any] = {"name": TABLE.name, "facets": {"schema": {"fields": [{"name": it} for it in columns]}}}
    if snapshot:
        read["facets"]["version"] = {"datasetVersion": snapshot}
    lineage = output(f"out.{job}", f"x: {TABLE.name}.{source} IDENTITY")
    return event("COMPLETE", job, f"2026-10-0{at}T02:00:00Z", run=f"{job} {at}", reads=[read], writes=[lineage])


def graph_of(events: list[Event], versions: tuple[SchemaVersion, ...]) -> Graph:
    return read_graph(events, schemas={TABLE: versions})


def test_n17_rename_drop_and_add_again(event: Say, output: Shape) -> None:
    old = copy(event, output, "mail", 2)
    before = graph_of([old], MADE_AGAIN[:1])
    renamed = graph_of([old], RENAMED)
    again = graph_of([old, copy(event, output, "mail", 8, job="fresh")], MADE_AGAIN)

    assert [str(it.source) for it in before.edges] == ["crm.learners.mail"]
    assert [str(it.source) for it in renamed.edges] == ["crm.learners.contact"]
    assert [str(it.name) for it in renamed.fields[TABLE]] == ["id", "contact"]
    assert [str(it.what) for it in impact(again, resolve(again, "crm.learners.mail")).values] == ["out.fresh.x"]
    assert [str(it.what) for it in impact(again, resolve(again, "crm.learners.contact#2")).values] == ["out.copy.x"]
    assert dropped(again.fields[TABLE], {TABLE: MADE_AGAIN}) == {Field(TABLE, "contact#2")}


def test_as_of_an_earlier_day_names_are_those_of_that_day(event: Say, output: Shape) -> None:
    graph = read_graph([copy(event, output, "mail", 2)], as_of=day(3).replace(day=2, hour=9), schemas={TABLE: RENAMED})

    assert [str(it.source) for it in graph.edges] == ["crm.learners.mail"]


def test_the_snapshot_that_a_run_read_tells_more_than_its_time(event: Say, output: Shape) -> None:
    late_reader = copy(event, output, "mail", 4, snapshot="s1")

    assert [str(it.source) for it in graph_of([late_reader], RENAMED).edges] == ["crm.learners.contact"]


UNWRITTEN = (
    version(1, id=1, mail=2),
    SchemaVersion(day(3), None, {1: "id", 2: "contact"}),
    SchemaVersion(day(5), None, {1: "id", 2: "contact", 7: "mail"}),
)
"""Renamed and added again while no snapshot was made: all that time s1 is the table's latest."""

MADE_AGAIN_UNWRITTEN = (
    version(1, id=1, mail=2),
    SchemaVersion(day(3), None, {1: "id"}),
    SchemaVersion(day(5), None, {1: "id", 7: "mail"}),
)


@pytest.mark.parametrize(
    ("versions", "at", "read", "now"),
    [
        (UNWRITTEN, 2, "mail", "contact"),
        (UNWRITTEN, 4, "contact", "contact"),
        (UNWRITTEN, 6, "mail", "mail"),
        # no version of before has it, so the run saw the next
        (UNWRITTEN, 2, "contact", "contact"),
        (MADE_AGAIN_UNWRITTEN, 2, "mail", "mail#2"),
        (MADE_AGAIN_UNWRITTEN, 6, "mail", "mail"),
        # the next snapshot ends what a reader of s1 may have seen, unless it looks back
        ((*UNWRITTEN, version(7, id=1, contact=2, mail=8)), 8, "mail", "mail"),
    ],
)
def test_a_name_is_of_the_schema_that_stood_when_the_run_read_not_of_its_snapshots(
    event: Say, output: Shape, *, versions: tuple[SchemaVersion, ...], at: int, read: str, now: str
) -> None:
    reader = copy(event, output, read, at, snapshot="s1", schema=())

    assert [str(it.source) for it in graph_of([reader], versions).edges] == [f"crm.learners.{now}"]


def test_a_reader_of_an_earlier_snapshot_is_known_by_the_columns_that_it_saw(event: Say, output: Shape) -> None:
    back = copy(event, output, "mail", 6, snapshot="s1", schema=("id", "mail"))

    assert [str(it.source) for it in graph_of([back], UNWRITTEN).edges] == ["crm.learners.contact"]


def test_what_a_run_read_has_the_names_of_when_it_began(event: Say, output: Shape) -> None:
    began = event("START", "copy", "2026-10-02T02:00:00Z", run="copy 6")
    ended = copy(event, output, "mail", 6, snapshot="s1", schema=())

    assert [str(it.source) for it in graph_of([began, ended], MADE_AGAIN_UNWRITTEN).edges] == ["crm.learners.mail#2"]


def test_a_tag_goes_with_its_column(event: Say, output: Shape, policy_of: PolicyOf) -> None:
    tags = {"tags": [{"key": "classification", "value": "personal", "field": "mail"}]}
    tagged = {"name": TABLE.name, "facets": {"tags": tags}}
    seen = event("COMPLETE", "scan", "2026-10-02T02:00:00Z", reads=[tagged], writes=[output("out.scan", "n:")])
    reads = [copy(event, output, "contact", 4, job="old"), copy(event, output, "mail", 4, job="new")]

    proposals = propose(graph_of([seen, *reads], BESIDE), policy_of({}))

    assert {str(it): found.classification for it, found in proposals.items()} == {
        "out.new.x": None,
        "out.old.x": "personal",
        "out.scan.n": "public",
    }


@pytest.mark.parametrize(
    ("versions", "declared", "expected"),
    [
        (RENAMED, {"mail": "personal"}, {"contact": "personal"}),
        (BESIDE, {"mail": "personal"}, {"contact": "personal"}),
        (BESIDE, {"mail": "internal", "contact": "personal"}, {"mail": "internal", "contact": "personal"}),
        (REBUILT, {"mail": "personal"}, {"mail": "personal"}),
        (DROPPED, {"mail": "personal"}, {"mail": "personal"}),
    ],
)
def test_a_declaration_goes_with_its_column(
    policy_of: PolicyOf, versions: tuple[SchemaVersion, ...], declared: dict[str, str], expected: dict[str, str]
) -> None:
    policy = policy_of({f"{TABLE.name}.{name}": classification for name, classification in declared.items()})

    columns = carried(policy, {TABLE: versions}).tables[TABLE.name].columns

    assert {name: column.classification for name, column in columns.items()} == expected


def test_a_renamed_table_keeps_its_lineage_and_a_new_one_of_the_old_name_has_its_own(event: Say, output: Shape) -> None:
    change = {
        "lifecycleStateChange": "RENAME",
        "previousIdentifier": {"namespace": "iceberg://platform", "name": "a.old"},
    }
    events = [
        event("COMPLETE", "load", "2026-10-01T02:00:00Z", writes=[output("a.old", "x: src.s.x IDENTITY")]),
        event("COMPLETE", "use", "2026-10-02T02:00:00Z", writes=[output("b.b", "y: a.old.x IDENTITY")]),
        event(
            "COMPLETE",
            "ddl",
            "2026-10-03T02:00:00Z",
            writes=[{"name": "a.new", "facets": {"lifecycleStateChange": change}}],
        ),
        event("COMPLETE", "next", "2026-10-04T02:00:00Z", writes=[output("a.old", "x: src.t.x IDENTITY")]),
    ]

    graph = build_graph(present(events))

    assert [(str(it.source), str(it.target)) for it in graph.edges] == [
        ("src.s.x", "a.new.x"),
        ("src.t.x", "a.old.x"),
        ("a.new.x", "b.b.y"),
    ]


def test_a_dropped_table_is_marked_and_its_lineage_stays(event: Say, output: Shape) -> None:
    made = event("COMPLETE", "load", "2026-10-01T02:00:00Z", writes=[output("a.a", "x: src.s.x IDENTITY")])
    gone = {"name": "a.a", "facets": {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}}
    drop = event("COMPLETE", "ddl", "2026-10-02T02:00:00Z", writes=[gone])
    again = event("COMPLETE", "load", "2026-10-03T02:00:00Z", run="3", writes=[output("a.a", "x: src.s.x IDENTITY")])

    assert {str(it) for it in build_graph([made, drop]).dropped} == {"a.a"}
    assert len(build_graph([made, drop]).edges) == 1
    assert build_graph([made, drop, again]).dropped == frozenset()
