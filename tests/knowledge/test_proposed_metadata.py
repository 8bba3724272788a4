"""Proposals in metadata.toml, for review."""

import tomllib
from collections.abc import Callable

import pytest

from governance.classification import propose
from governance.errors import PolicyError
from governance.events.model import Event
from governance.graph import Graph, build_graph
from governance.policy import Policy
from governance.proposed_metadata import changes, written

Told = Callable[..., tuple[Event, ...]]
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

[ "d.d".columns.x ] # proposed from a.a.mail (DIRECT IDENTITY)
description = "written long"
classification = "personal"

["e.e"]
columns = { id = { classification = "internal" }, new = { classification = "internal" }}

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
