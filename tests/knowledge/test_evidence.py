"""What else decides a class: other producers' tags, nested columns, namespaces, partial orders, a person's word."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import msgspec
import pytest

from governance.classification import Proposal, propose, understated
from governance.dataset import Field
from governance.events import facets
from governance.events.model import Event
from governance.evidence import OWN
from governance.graph import build_graph
from governance.policy import Declassified, NamespacePolicy, Policy
from governance.report.proposals import proposals_dict, proposals_text

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]
PolicyOf = Callable[..., Policy]

T0, T1 = "2026-10-01T02:00:00Z", "2026-10-02T02:00:00Z"
TODAY = date(2026, 10, 2)


def classes(proposals: Mapping[Field, Proposal]) -> dict[str, str | None]:
    return {str(field): it.classification for field, it in proposals.items()}


def tagged(table: str, *tags: dict[str, str]) -> dict[str, Any]:
    return {"name": table, "facets": {"tags": {"tags": list(tags)}}}


def setting(policy: Policy, **settings: Any) -> Policy:
    return replace(policy, lineage=replace(policy.lineage, **settings))


def test_the_mark_of_own_tags_is_the_one_that_events_carry() -> None:
    assert facets.SOURCE == OWN


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ({"key": "pii", "value": "true", "source": "DBT"}, "personal"),
        ({"key": "pii", "value": "false", "source": "DBT"}, None),
        ({"key": "sensitivity", "value": "high"}, "sensitive"),
        ({"key": "sensitivity", "value": "low"}, None),
        ({"key": "classification", "value": "internal"}, "internal"),
        ({"key": "classification", "value": "tremendous"}, None),
        ({"key": "Classification", "value": "INTERNAL"}, "internal"),
        ({"key": "PII", "value": "TRUE"}, "personal"),
        ({"key": "Sensitivity", "value": "High"}, "sensitive"),
        # what we sent ourselves is a declaration of that day, and may have been taken back
        ({"key": "classification", "value": "personal", "source": "HEADWATER"}, None),
    ],
)
def test_a_tag_of_another_producer_is_evidence_by_key_or_by_value(
    event: Say, output: Shape, policy_of: PolicyOf, tag: dict[str, str], expected: str | None
) -> None:
    policy = setting(policy_of({}), tags={"pii": "personal", "sensitivity=high": "sensitive"})
    source = tagged("a.a", tag | {"field": "x"})
    graph = build_graph([event("COMPLETE", reads=[source], writes=[output("b.b", "x: a.a.x IDENTITY")])])

    assert classes(propose(graph, policy)) == {"b.b.x": expected}


def test_a_tag_on_the_column_itself_decides_and_says_whose_word_it_is(
    event: Say, output: Shape, policy_of: PolicyOf
) -> None:
    policy = setting(policy_of({"a.a.x": "internal", "b.b.x": "internal"}), tags={"pii": "personal"})
    told = output("b.b", "x: a.a.x IDENTITY")
    told["facets"]["tags"] = {"tags": [{"key": "pii", "value": "true", "source": "DBT", "field": "x"}]}
    graph = build_graph([event("COMPLETE", "staging", writes=[told])])

    proposals = propose(graph, policy)

    (proposal,) = proposals.values()
    assert (proposal.classification, proposal.decided_by) == ("personal", ())
    assert proposal.reason == "from the tag pii=true (DBT, job staging)"
    assert [(str(it.field), it.declared) for it in understated(proposals, policy)] == [("b.b.x", "internal")]


def test_a_tag_on_a_table_is_one_on_each_of_its_columns(event: Say, output: Shape, policy_of: PolicyOf) -> None:
    policy = setting(policy_of({}), tags={"pii": "personal"})
    source = tagged("a.a", {"key": "pii", "value": "true"})
    graph = build_graph([event("COMPLETE", reads=[source], writes=[output("b.b", "x: a.a.x IDENTITY", "n:")])])

    assert classes(propose(graph, policy)) == {"b.b.x": "personal", "b.b.n": "public"}


def test_a_removed_tag_takes_what_was_derived_from_it_and_leaves_what_was_tagged_by_hand(
    event: Say, output: Shape, policy_of: PolicyOf
) -> None:
    """N19."""
    policy = setting(policy_of({"b.b.hand": "personal", "a.a.x": "public"}), tags={"pii": "personal"})

    def night(at: str, *tags: dict[str, str]) -> list[Event]:
        first = output("b.b", "x: a.a.x IDENTITY", "hand: a.a.x IDENTITY")
        return [
            event("COMPLETE", "one", at, run=f"one {at}", reads=[tagged("a.a", *tags)], writes=[first]),
            event("COMPLETE", "two", at, run=f"two {at}", writes=[output("c.c", "x: b.b.x IDENTITY")]),
            event("COMPLETE", "three", at, run=f"three {at}", writes=[output("d.d", "h: b.b.hand IDENTITY")]),
        ]

    before = night(T0, {"key": "pii", "value": "true", "field": "x"})
    after = [*before, *night(T1)]

    assert set(classes(propose(build_graph(before), policy)).values()) == {"personal"}
    assert classes(propose(build_graph(after), policy)) == {
        "b.b.x": "public",
        "b.b.hand": "public",
        "c.c.x": "public",
        "d.d.h": "personal",
    }


def test_a_dataset_event_tags_a_table_that_no_run_describes(told: Told, policy_of: PolicyOf) -> None:
    dataset = tagged("a.a", {"key": "classification", "value": "personal", "field": "x"})
    said = {"eventTime": T1, "dataset": {"namespace": "iceberg://platform", **dataset}}
    graph = build_graph([*told("job b.b: a.a\nx: a.a.x IDENTITY\n"), msgspec.json.decode(json.dumps(said), type=Event)])

    assert classes(propose(graph, policy_of({}))) == {"b.b.x": "personal"}


ACCEPTED = Declassified("a.a.ssn", "b.b.hashed", "internal", "salted", "dpo@example.com", TODAY)


def test_only_a_persons_word_with_a_date_declassifies_and_only_that_edge(told: Told, policy_of: PolicyOf) -> None:
    """N21."""
    graph = build_graph(
        told(
            "job b.b: a.a\nhashed: a.a.ssn TRANSFORMATION masked\nother: a.a.ssn TRANSFORMATION masked\n"
            "job c.c: b.b\nx: b.b.hashed IDENTITY\ny: b.b.other IDENTITY\n"
        )
    )
    policy = replace(policy_of({"a.a.ssn": "sensitive"}), declassified=(ACCEPTED,))

    proposals = propose(graph, policy, today=TODAY)

    assert classes(proposals) == {
        "b.b.hashed": "internal",
        "b.b.other": "sensitive",
        "c.c.x": "internal",
        "c.c.y": "sensitive",
    }
    assert [str(it) for it in next(iter(proposals.values())).declassified] == [
        "a.a.ssn (DIRECT TRANSFORMATION), declassified by dpo@example.com until 2026-10-02"
    ]
    assert set(classes(propose(graph, policy, today=date(2026, 10, 3))).values()) == {"sensitive"}
    assert set(classes(propose(graph, policy)).values()) == {"sensitive"}


@pytest.mark.parametrize(("source", "expected"), [("public", "public"), ("personal", "internal")])
def test_what_a_person_accepts_raises_no_class(told: Told, policy_of: PolicyOf, source: str, expected: str) -> None:
    graph = build_graph(told("job b.b: a.a\nhashed: a.a.ssn TRANSFORMATION\n"))
    policy = replace(policy_of({"a.a.ssn": source}), declassified=(ACCEPTED,))

    assert classes(propose(graph, policy, today=TODAY)) == {"b.b.hashed": expected}


def test_an_edge_that_passes_on_nothing_leaves_the_other_inputs(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\nhashed: a.a.ssn TRANSFORMATION\n*: a.a.ssn FILTER\n"))
    nothing = replace(ACCEPTED, target="b.b", classification=None)
    policy = replace(policy_of({"a.a.ssn": "sensitive", "a.a.x": "internal"}), declassified=(nothing,))

    assert classes(propose(graph, policy, today=TODAY)) == {"b.b.x": "internal", "b.b.hashed": "sensitive"}


def test_a_column_of_which_nothing_is_passed_on_says_who_said_so_and_so_does_what_comes_from_it(
    told: Told, policy_of: PolicyOf
) -> None:
    """Not that it comes from no column: it is made of a social security number."""
    graph = build_graph(
        told("job b.b: a.a\nhashed: a.a.ssn TRANSFORMATION masked\njob c.c: b.b\nx: b.b.hashed IDENTITY\n")
    )
    policy = replace(policy_of({"a.a.ssn": "sensitive"}), declassified=(replace(ACCEPTED, classification=None),))

    proposals = propose(graph, policy, today=TODAY)

    said = "a.a.ssn (DIRECT TRANSFORMATION), declassified by dpo@example.com until 2026-10-02"
    first = next(iter(proposals.values()))
    assert (first.classification, first.reason) == ("public", f"from {said}")
    assert [line.split("  ")[-1] for line in proposals_text(proposals, policy).splitlines()[1:]] == [
        said,
        f"b.b.hashed (DIRECT IDENTITY) ← {said}",
    ]
    (accepted,) = proposals_dict(proposals, policy)[0]["declassified"]
    assert (accepted["field"], accepted["classification"], accepted["who"], accepted["until"]) == (
        "a.a.ssn",
        None,
        "dpo@example.com",
        "2026-10-02",
    )


def test_what_a_person_lowered_on_the_way_is_said_on_the_way(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nhashed: a.a.ssn TRANSFORMATION\njob c.c: b.b\nx: b.b.hashed IDENTITY\n"))
    policy = replace(policy_of({"a.a.ssn": "sensitive"}), declassified=(ACCEPTED,))

    lines = proposals_text(propose(graph, policy, today=TODAY), policy).splitlines()

    said = "a.a.ssn (DIRECT TRANSFORMATION), declassified by dpo@example.com until 2026-10-02"
    assert [line.split("  ")[-1] for line in lines[1:]] == [said, f"b.b.hashed (DIRECT IDENTITY) ← {said}"]


@pytest.mark.parametrize(("through", "type_"), [("DIRECT", "INDIRECT"), ("INDIRECT", "DIRECT")])
def test_a_column_whose_inputs_do_not_count_says_so(told: Told, policy_of: PolicyOf, through: str, type_: str) -> None:
    uses = {"INDIRECT": "CONDITIONAL", "DIRECT": "IDENTITY"}
    graph = build_graph(told(f"job b.b: a.a\nx: a.a.ssn {uses[type_]}\n"))
    policy = policy_of({"a.a.ssn": "sensitive"}, through=[through])

    (proposal,) = propose(graph, policy).values()

    assert (proposal.classification, proposal.uncounted) == ("public", (type_,))
    assert proposal.reason == f"from {type_} inputs alone, which lineage.toml does not count"


def test_a_namespace_may_count_less_than_the_rest(event: Say, policy_of: PolicyOf) -> None:
    part = {"namespace": "iceberg://platform", "name": "a.a", "field": "x"}
    filtered = part | {"transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}
    lineage = {"columnLineage": {"fields": {"n": {"inputFields": []}}, "dataset": [filtered]}}
    writes = [{"name": "b.b", "facets": lineage}, {"namespace": "bi://boards", "name": "b.b", "facets": lineage}]
    policy = setting(
        policy_of({"a.a.x": "personal"}), namespaces={"bi://boards": NamespacePolicy(None, frozenset({"DIRECT"}))}
    )
    proposals = propose(build_graph([event("COMPLETE", writes=writes)]), policy)

    assert {field.dataset.namespace: it.classification for field, it in proposals.items()} == {
        "bi://boards": "public",
        "iceberg://platform": "personal",
    }


def test_classes_that_do_not_compare_are_proposed_their_least_upper_bound(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.mail IDENTITY, a.a.iban IDENTITY, a.a.id IDENTITY\n"))
    declared = {"a.a.mail": "personal", "a.a.iban": "billing", "a.a.id": "internal", "b.b.x": "personal"}
    policy = setting(
        policy_of(declared), order=("public < internal < personal < sensitive", "internal < billing < sensitive")
    )
    proposals = propose(graph, policy)

    (proposal,) = proposals.values()
    assert proposal.classification == "sensitive"
    assert [str(it.source) for it in proposal.decided_by] == ["a.a.iban", "a.a.mail"]
    assert proposal.reason == "from a.a.iban (DIRECT IDENTITY) and a.a.mail (DIRECT IDENTITY)"
    assert "a.a.iban (DIRECT IDENTITY) and a.a.mail (DIRECT IDENTITY)" in proposals_text(proposals, policy)
    assert len(proposals_dict(proposals, policy)[0]["ways"]) == 2
    assert [it.declared for it in understated(proposals, policy)] == ["personal"]


def test_a_whole_column_has_the_class_of_its_members_and_members_that_of_the_whole(
    told: Told, policy_of: PolicyOf
) -> None:
    graph = build_graph(
        told(
            "job b.b: a.a\naddress: a.a.address IDENTITY\ncity: a.a.address.city IDENTITY\n"
            "street: a.a.address.street IDENTITY\njob c.c: a.z\nbox: a.z.box IDENTITY\nlid: a.z.box.lid IDENTITY\n"
        )
    )

    proposals = propose(graph, policy_of({"a.a.address.street": "personal", "a.z.box": "internal"}))

    assert classes(proposals) == {
        "b.b.address": "personal",
        "b.b.city": None,
        "b.b.street": "personal",
        "c.c.box": "internal",
        "c.c.lid": "internal",
    }


def test_a_written_column_whose_members_are_told_is_not_from_no_column(
    event: Say, output: Shape, policy_of: PolicyOf
) -> None:
    told = output("b.b", "address.city: a.a.city IDENTITY", "address.zip: a.a.zip IDENTITY")
    told["facets"]["schema"]["fields"] = [{"name": "address"}]
    graph = build_graph([event("COMPLETE", writes=[told])])

    assert classes(propose(graph, policy_of({"a.a.city": "personal", "a.a.zip": "public"}))) == {
        "b.b.address": "personal",
        "b.b.address.city": "personal",
        "b.b.address.zip": "public",
    }
