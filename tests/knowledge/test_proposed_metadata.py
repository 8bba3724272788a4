"""Proposals in metadata.toml, for review."""

import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from governance.classification import propose
from governance.errors import PolicyError
from governance.events.model import Event
from governance.graph import Graph, build_graph
from governance.policy import Policy
from governance.proposed_metadata import changes, lapsed, written
from governance.report.proposals import proposals_text

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]
PolicyOf = Callable[..., Policy]

TEXT = """\
# Who owns what.

["b.b"]                        # the copy
owner = "team:b"
columns.id = { classification = "internal", description = "Key." }
columns.mail = { classification = "public" }   # looked at in May
columns.note = { description = "Free text." }

# The other table.
["c.c"]
owner = "team:c"

["d.d"]
[ "d.d".columns.x ]
description = "written long"

["e.e"]
columns = { id = { classification = "internal" } }
"""

PERSONAL = ("b.b.mail", "b.b.note", "c.c.x", "d.d.x")
COLUMNS = (*PERSONAL, "b.b.id", "b.b.fresh", "c.c.y.z", "d.d.w", "e.e.id", "e.e.new", "f.f.n")
DECLARED = {"b.b.id": "internal", "b.b.mail": "public", "e.e.id": "internal", "a.a.id": "internal"}


@pytest.fixture
def graph(told: Told) -> Graph:
    return build_graph(
        told(
            "job b.b: a.a\nid: a.a.id IDENTITY\nmail: a.a.mail IDENTITY\nnote: a.a.mail IDENTITY\n"
            "fresh: a.a.id IDENTITY\njob c.c: a.a\nx: a.a.mail IDENTITY\ny.z: a.a.id IDENTITY\n"
            "job d.d: a.a\nx: a.a.mail IDENTITY\nw: a.a.id IDENTITY\njob e.e: a.a\nid: a.a.id IDENTITY\n"
            "new: a.a.id IDENTITY\njob f.f: a.a\nn:\nunknown: a.a.nobody IDENTITY\n"
        )
    )


@pytest.fixture
def policy(policy_of: PolicyOf) -> Policy:
    return policy_of(DECLARED | {"a.a.mail": "personal"})


def test_proposals_are_added_raised_and_explained_and_comments_stay(graph: Graph, policy: Policy) -> None:
    found = written(TEXT, propose(graph, policy), policy, "metadata.toml")

    assert (
        found
        == """\
# Who owns what.

["b.b"]                        # the copy
owner = "team:b"
columns.id = { classification = "internal", description = "Key." }
columns.mail = { classification = "personal" } # looked at in May; proposed from a.a.mail (DIRECT IDENTITY)
columns.note = { classification = "personal", description = "Free text." } # proposed from a.a.mail (DIRECT IDENTITY)
columns.fresh = { classification = "internal" } # proposed from a.a.id (DIRECT IDENTITY)

# The other table.
["c.c"]
owner = "team:c"
columns.x = { classification = "personal" } # proposed from a.a.mail (DIRECT IDENTITY)
columns."y.z" = { classification = "internal" } # proposed from a.a.id (DIRECT IDENTITY)

["d.d"]
["d.d".columns]
w = { classification = "internal" } # proposed from a.a.id (DIRECT IDENTITY)

[ "d.d".columns.x ]
description = "written long"
classification = "personal" # proposed from a.a.mail (DIRECT IDENTITY)

["e.e"]
columns = { id = { classification = "internal" }, new = { classification = "internal" }} \
# new: proposed from a.a.id (DIRECT IDENTITY)

["f.f"]
columns.n = { classification = "public" } # proposed from no column
"""
    )


def test_what_is_written_is_read_as_proposed_and_written_once(
    graph: Graph, policy: Policy, policy_of: PolicyOf
) -> None:
    found = written(TEXT, propose(graph, policy), policy, "metadata.toml")

    tables = tomllib.loads(found)
    classes = {
        f"{table}.{name}": column["classification"]
        for table, said in tables.items()
        for name, column in said["columns"].items()
    }
    assert classes == {
        it: "personal" if it in PERSONAL else "public" if it == "f.f.n" else "internal" for it in COLUMNS
    }
    reviewed = policy_of(classes | {"a.a.mail": "personal", "a.a.id": "internal"})
    assert written(found, propose(graph, reviewed), reviewed, "metadata.toml") == found


LAYOUTS = {
    "one inline table": 'columns = { mail = { classification = "public", description = "low" }, id = {} } # F\n# z\n',
    "one inline table, empty": "columns = {}\n",
    "a table of columns": '  ["b.b".columns]\n  mail = { description = "no class yet" } # C\n',
    "a table each": '[ "b.b".columns.mail ]\nclassification = "public" # low\n# E end\n',
    "dotted to the end": 'columns.mail.classification = "public"   # low\ncolumns.id.description = "Key."\n',
    "dotted, two lines": 'columns.mail.classification = "public" # low\ncolumns.mail.description = "Mail."\n',
    "dotted, apart": "columns.mail.description = 'x'\ncolumns.id.description = 'y'\n"
    'columns.mail.classification = "public"\n',
    "dotted in a table": '["b.b".columns]\nmail.description = "Mail."\n',
    "an inline table in a table": "columns.mail = {}\n  columns.note = { description = 'x' }\n",
}


@pytest.mark.parametrize("rest", ["", '\n["c.c"]\n# by hand\nowner = "team:c"'])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_stays_toml_says_what_it_said_and_is_written_once(
    graph: Graph, policy: Policy, layout: str, ends: str, rest: str
) -> None:
    text = f'# Mine.\n["b.b"] # the copy\nowner = "team:b"\n{layout}{rest}'.replace("\n", ends)

    found = written(text, propose(graph, policy), policy, "metadata.toml")

    columns = tomllib.loads(found)["b.b"]["columns"]
    assert {name: columns[name]["classification"] for name in ("mail", "note")} == {
        "mail": "personal",
        "note": "personal",
    }
    assert found.count("\n") == found.count(ends)
    assert all(comment in found for comment in ("# Mine.", "# the copy", *re.findall("# [A-Z]", layout)))
    assert "proposed from a.a.mail (DIRECT IDENTITY)" in found


def test_a_layout_that_an_edit_would_break_is_left_alone(
    graph: Graph, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for broken, problem in (("x = ", "would make it no TOML"), ("x = 1\n", "would change what else it says")):
        monkeypatch.setattr("tomlkit.dumps", lambda _, broken=broken: broken)
        with pytest.raises(PolicyError, match=problem):
            written(TEXT, propose(graph, policy), policy, "metadata.toml")


def test_a_name_with_a_line_in_it_adds_none(policy_of: PolicyOf, event: Say, output: Shape) -> None:
    table = output("b.b", "x: a.a.mail IDENTITY")
    (said,) = table["facets"]["columnLineage"]["fields"].values()
    said["inputFields"][0]["field"] = name = 'mail\n["a.a"]\nowner = "team:x"'
    graph = build_graph([event("COMPLETE", writes=[table])])
    policy = policy_of({f"a.a.{name}": "personal"})

    text = written("", propose(graph, policy), policy, "metadata.toml")

    assert tomllib.loads(text) == {"b.b": {"columns": {"x": {"classification": "personal"}}}}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_class_that_a_proposal_wrote_and_none_holds_up_is_told_from_one_by_hand(
    graph: Graph, policy: Policy, policy_of: PolicyOf, layout: str
) -> None:
    text = written(f'["b.b"]\n{layout}', propose(graph, policy), policy, "metadata.toml")
    columns = tomllib.loads(text)["b.b"]["columns"]
    classes = {f"b.b.{name}": it["classification"] for name, it in columns.items() if "classification" in it}
    lowered = policy_of(classes | {"a.a.mail": "public", "a.a.id": "internal"})
    proposals = propose(graph, lowered)

    found = lapsed(text, proposals, lowered)

    assert {str(field): reason for field, reason in found.items()} == {
        "b.b.mail": "from a.a.mail (DIRECT IDENTITY)",
        "b.b.note": "from a.a.mail (DIRECT IDENTITY)",
    }
    assert "declared personal by a proposal from a.a.mail (DIRECT IDENTITY), which holds no longer" in proposals_text(
        proposals, lowered, found
    )
    # without the tool's mark it is a person's own word
    assert lapsed(text.replace("proposed ", ""), proposals, lowered) == {}
    assert lapsed(text, propose(graph, policy), policy_of(classes | {"a.a.mail": "personal"})) == {}


def test_no_declaration_is_lowered(graph: Graph, policy_of: PolicyOf) -> None:
    policy = policy_of(DECLARED | {"a.a.mail": "public", "b.b.mail": "sensitive"})

    assert "b.b.mail" not in {str(it) for it in changes(propose(graph, policy), policy)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = ", r"^metadata\.toml: it is not TOML"),
        ('"b.b" = 1\n', r"metadata\.toml: b\.b: a table is expected"),
        ('["b.b"]\ncolumns = 1\n', r'metadata\.toml: "b\.b"\.columns: a table is expected'),
        ('["b.b"]\ncolumns.mail = 1\n', r'metadata\.toml: "b\.b"\.columns\.mail: a table is expected'),
    ],
)
def test_what_cannot_be_edited_is_said_by_place(graph: Graph, policy: Policy, text: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=problem):
        written(text, propose(graph, policy), policy, "metadata.toml")


def test_odd_names_are_quoted(told: Told, policy_of: PolicyOf) -> None:
    names = ('a "b" c', "x.y", "naïve")
    graph = build_graph(told("job b.b: a.a\n" + "".join(f"{name}: a.a.mail IDENTITY\n" for name in names)))
    policy = policy_of({"a.a.mail": "personal"})

    text = written("", propose(graph, policy), policy, "metadata.toml")

    assert tomllib.loads(text) == {"b.b": {"columns": {name: {"classification": "personal"} for name in names}}}
