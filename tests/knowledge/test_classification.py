"""Classes follow lineage, never downward."""

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from governance.classification import Proposal, propose, understated
from governance.dataset import Field
from governance.events.model import Event
from governance.graph import Graph, build_graph, resolve
from governance.policy import Policy
from governance.report.proposals import proposals_dict, proposals_text

Told = Callable[..., tuple[Event, ...]]
Say = Callable[..., Event]
PolicyOf = Callable[..., Policy]

UNCLASSIFIED = {
    "ai.review_corpus.review_id": "internal, from learning.reviews.review_id (DIRECT IDENTITY)",
    "ai.review_corpus.course_id": "internal, from learning.reviews.course_id (DIRECT IDENTITY)",
    "ai.review_corpus.course_title": "internal, from learning.reviews.course_id (INDIRECT JOIN)",
    "ai.review_corpus.rating": "internal, from learning.reviews.rating (DIRECT IDENTITY)",
    "ai.review_corpus.body": "personal, from learning.reviews.body (DIRECT IDENTITY)",
    "marketing.audience.learner_id": "internal, from crm.learners.learner_id (DIRECT IDENTITY)",
    "marketing.audience.full_name": "personal, from crm.learners.full_name (DIRECT IDENTITY)",
    "marketing.audience.email": "personal, from crm.learners.email (DIRECT IDENTITY)",
    "marketing.audience.country": "internal, from crm.learners.country (DIRECT IDENTITY)",
    "marketing.audience.favourite_category": "internal, from crm.learners.learner_id (INDIRECT JOIN)",
}
CHECKED = ("analytics.course_performance", "analytics.learner_activity")


def classes(proposals: Mapping[Field, Proposal], table: str = "") -> dict[str, str | None]:
    return {str(field): it.classification for field, it in proposals.items() if str(field).startswith(table)}


def test_every_unclassified_column_is_proposed_a_class_and_what_decided_it(
    platform: Graph, policy_of: PolicyOf, platform_classes: dict[str, str]
) -> None:
    proposals = propose(platform, policy_of(platform_classes))

    printed = {
        str(field): f"{it.classification}, {it.reason}" for field, it in proposals.items() if str(field) in UNCLASSIFIED
    }
    assert printed == UNCLASSIFIED


@pytest.mark.parametrize(("through", "reproduced"), [(("DIRECT", "INDIRECT"), 13), (("DIRECT",), 10)])
def test_the_columns_people_classified_are_reproduced(
    platform: Graph, policy_of: PolicyOf, platform_classes: dict[str, str], through: tuple[str, ...], reproduced: int
) -> None:
    proposals = propose(platform, policy_of(platform_classes), through)

    of_checked = [it.classification for field, it in proposals.items() if str(field.dataset) in CHECKED]
    assert len(of_checked) == 13
    assert Counter(of_checked)["internal"] == reproduced


@pytest.mark.parametrize(("through", "expected"), [(("DIRECT", "INDIRECT"), "personal"), (("DIRECT",), "internal")])
def test_a_personal_filter_makes_every_column_personal_only_through_indirect(
    whole_platform: Graph,
    policy_of: PolicyOf,
    platform_classes: dict[str, str],
    through: tuple[str, ...],
    expected: str,
) -> None:
    proposals = propose(whole_platform, policy_of(platform_classes, through))

    assert set(classes(proposals, "marketing.birthday_offers").values()) == {expected}
    country = proposals[resolve(whole_platform, "marketing.birthday_offers.country")]
    assert country.reason == (
        "from crm.learners.date_of_birth (INDIRECT FILTER)"
        if expected == "personal"
        else "from crm.learners.country (DIRECT IDENTITY)"
    )


def test_a_copy_declared_internal_is_understated(
    whole_platform: Graph, policy_of: PolicyOf, platform_classes: dict[str, str]
) -> None:
    copy = dict.fromkeys((f"marketing.campaign_list.{it}" for it in ("learner_id", "full_name", "email")), "internal")
    policy = policy_of(platform_classes | copy)

    found = understated(propose(whole_platform, policy), policy)

    assert [(str(it.field), it.declared, it.proposal.classification) for it in found] == [
        ("marketing.campaign_list.full_name", "internal", "personal"),
        ("marketing.campaign_list.email", "internal", "personal"),
    ]


def test_a_stricter_declaration_on_the_way_is_passed_on(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\njob c.c: b.b\nx: b.b.x IDENTITY\n"))
    policy = policy_of({"a.a.x": "internal", "b.b.x": "sensitive"})

    assert classes(propose(graph, policy)) == {"b.b.x": "internal", "c.c.x": "sensitive"}
    assert understated(propose(graph, policy), policy) == ()


def test_a_declaration_lower_than_the_input_is_not_passed_on(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY\njob c.c: b.b\nx: b.b.x IDENTITY\n"))

    assert classes(propose(graph, policy_of({"a.a.x": "personal", "b.b.x": "public"})))["c.c.x"] == "personal"


def test_n21_masking_aggregates_and_conditions_never_lower(told: Told, policy_of: PolicyOf) -> None:
    outputs = (
        "greatest: a.a.ssn AGGREGATION\ncounted: a.a.ssn AGGREGATION masked\nhashed: a.a.ssn TRANSFORMATION masked\n"
        "missing: a.a.ssn CONDITIONAL\n"
    )
    graph = build_graph(told(f"job b.b: a.a\n{outputs}"))
    policy = policy_of({"a.a.ssn": "sensitive"})

    assert set(classes(propose(graph, policy)).values()) == {"sensitive"}
    # a condition alone carries no value: through DIRECT only, it marks nothing
    assert [it.classification for it in propose(graph, policy, ["DIRECT"]).values()] == ["sensitive"] * 3 + ["public"]


def test_n19_removing_a_class_takes_what_was_derived_and_leaves_what_was_declared(
    told: Told, policy_of: PolicyOf
) -> None:
    graph = build_graph(
        told(
            "job b.b: a.a\nx: a.a.x IDENTITY\nhand: a.a.x IDENTITY\n"
            "job c.c: b.b\nx: b.b.x IDENTITY\nh: b.b.hand IDENTITY\n"
        )
    )
    by_hand = {"b.b.hand": "personal"}

    before = propose(graph, policy_of({"a.a.x": "personal"} | by_hand))
    after = propose(graph, policy_of({"a.a.x": "public"} | by_hand))

    assert set(classes(before).values()) == {"personal"}
    assert classes(after) == {"b.b.x": "public", "b.b.hand": "public", "c.c.x": "public", "c.c.h": "personal"}


def test_a_column_from_no_column_gets_the_lowest_class_and_passes_it_on(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nn:\njob c.c: b.b\nn: b.b.n IDENTITY\n"))

    assert classes(propose(graph, policy_of({}))) == {"b.b.n": "public", "c.c.n": "public"}


def test_unclassified_inputs_are_named_and_where_all_are_nothing_is_proposed(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job b.b: a.a\nx: a.a.x IDENTITY, a.a.y TRANSFORMATION\nz: a.a.y IDENTITY\n"))

    proposals = propose(graph, policy_of({"a.a.x": "internal"}))

    x, z = (proposals[resolve(graph, name)] for name in ("b.b.x", "b.b.z"))
    assert (x.classification, [str(it) for it in x.unclassified]) == ("internal", ["a.a.y"])
    assert (z.classification, z.decided_by, z.reason) == (None, (), "")


def test_a_column_whose_lineage_is_unknown_is_proposed_nothing(event: Say, policy_of: PolicyOf) -> None:
    schema = {"schema": {"fields": [{"name": "x"}]}}
    graph = build_graph([event("COMPLETE", reads=["a.a"], writes=[{"name": "b.b", "facets": schema}])])

    assert classes(propose(graph, policy_of({"a.a.x": "personal"}))) == {"b.b.x": None}


def test_cycles_end_with_the_least_classes_and_name_where_they_came_from(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(
        told(
            "job a.a: b.b src.s\nx: b.b.x IDENTITY\ny: src.s.open IDENTITY\n"
            "job b.b: a.a src.s\nx: a.a.x IDENTITY, src.s.secret CONDITIONAL\ny: b.b.y IDENTITY, a.a.y IDENTITY\n"
        )
    )

    proposals = propose(graph, policy_of({"src.s.secret": "personal", "src.s.open": "internal"}))

    assert classes(proposals) == {"a.a.x": "personal", "a.a.y": "internal", "b.b.x": "personal", "b.b.y": "internal"}
    assert [str(it) for it in proposals[resolve(graph, "b.b.x")].decided_by] == ["src.s.secret (INDIRECT CONDITIONAL)"]
    assert [str(it) for it in proposals[resolve(graph, "b.b.y")].decided_by] == ["a.a.y (DIRECT IDENTITY)"]


def test_an_incremental_table_that_reads_itself_is_decided_by_its_source(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(
        told("job a.days: p.p a.days\nday: p.p.paid_at TRANSFORMATION\n*: p.p.paid_at FILTER, a.days.day FILTER\n")
    )

    (proposal,) = propose(graph, policy_of({"p.p.paid_at": "internal"})).values()

    assert [str(it) for it in proposal.decided_by] == [
        "p.p.paid_at (DIRECT TRANSFORMATION)",
        "p.p.paid_at (INDIRECT FILTER)",
    ]


CHAIN = "".join(f"job c.t{n + 1}: c.t{n}\nx: c.t{n}.x IDENTITY\n" for n in range(6))


def shown_way(proposals: Mapping[Field, Proposal], policy: Policy, name: str) -> str:
    lines = (line.split("  ") for line in proposals_text(proposals, policy).splitlines())
    return next(line[-1] for line in lines if line[0] == name)


def test_the_way_goes_back_to_where_the_class_was_declared(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told(CHAIN))
    by_source = policy_of({"c.t0.x": "personal"})
    on_the_way = policy_of({"c.t0.x": "internal", "c.t2.x": "personal", "c.t3.x": "public"})

    found = propose(graph, by_source)
    assert shown_way(found, by_source, "c.t1.x") == "c.t0.x (DIRECT IDENTITY)"
    assert shown_way(found, by_source, "c.t3.x") == " ← ".join(f"c.t{n}.x (DIRECT IDENTITY)" for n in (2, 1, 0))
    assert shown_way(found, by_source, "c.t6.x") == (
        "c.t5.x (DIRECT IDENTITY) ← c.t4.x (DIRECT IDENTITY) ← 3 more ← c.t0.x (DIRECT IDENTITY)"
    )
    last = proposals_dict(found, by_source)[-1]
    assert [edge["field"] for edge in last["ways"][0]] == [f"c.t{n}.x" for n in (5, 4, 3, 2, 1, 0)]

    found = propose(graph, on_the_way)
    # a class that is declared too low decided nothing, and the way goes on
    assert shown_way(found, on_the_way, "c.t4.x") == "c.t3.x (DIRECT IDENTITY) ← c.t2.x (DIRECT IDENTITY)"


def test_the_way_on_a_cycle_ends(told: Told, policy_of: PolicyOf) -> None:
    graph = build_graph(told("job a.a: b.b s.s\nx: b.b.x IDENTITY, s.s.x IDENTITY\njob b.b: a.a\nx: a.a.x IDENTITY\n"))
    policy = policy_of({"s.s.x": "personal"})

    found = propose(graph, policy)

    assert shown_way(found, policy, "b.b.x") == "a.a.x (DIRECT IDENTITY) ← s.s.x (DIRECT IDENTITY)"


def test_policy_speaks_of_its_own_namespace_only(policy_of: PolicyOf, event: Say) -> None:
    part = {"namespace": "elsewhere", "name": "crm.learners", "field": "email", "transformations": []}
    facets = {"columnLineage": {"fields": {"x": {"inputFields": [part]}}}}
    graph = build_graph([event("COMPLETE", writes=[{"name": "b.b", "facets": facets}])])

    assert classes(propose(graph, policy_of({"crm.learners.email": "personal"}))) == {"b.b.x": None}
