"""The page's document: what it says of each table and column, and that the graph of any moment is in it."""

import json
from datetime import datetime

import pytest

from governance.dataset import Dataset, Field
from governance.graph import Graph, build_graph
from governance.graph.model import Edge
from governance.history import until
from governance.impact import Facts
from governance.page.document import Own, document, group
from governance.page.versions import past_of
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs
from tests.page.made import NAMESPACE, NOW, event, night, policy, read, shown, standing, table

COPY = event(
    "mart.people",
    reads=["crm.people", "crm.countries"],
    writes=[
        table(
            "mart.people",
            {
                "email": ["crm.people.email IDENTITY"],
                "mail": ["crm.people.email IDENTITY"],
                "hashed": ["crm.people.email TRANSFORMATION masked"],
                "now": [],
            },
            rows=["crm.people.active FILTER"],
            schema=["email", "mail", "hashed", "now", "unknown"],
        )
    ],
)


def by_name(made: dict, name: str) -> dict:
    return next(it for it in made["datasets"] if it["name"] == name)


def column(made: dict, name: str, field: str) -> dict:
    return next(it for it in by_name(made, name)["fields"] if it["name"] == field)


def told(graph: Graph) -> tuple[set, set]:
    edges = {(_target(it), (*_source(it), f"{it.how}", it.masking)) for it in graph.edges}
    return edges, {(it.source.name, it.target.name, it.job) for it in graph.flows}


def _target(edge: Edge) -> str:
    return edge.target.dataset.name if isinstance(edge.target, Field) else edge.target.name


def _source(edge: Edge) -> tuple[str, str, str | None]:
    return edge.source.dataset.name, edge.source.name, edge.target.name if isinstance(edge.target, Field) else None


@pytest.mark.parametrize("seed", range(6))
def test_the_graph_of_any_moment_can_be_made_from_it(seed: int) -> None:
    events = night(seed, 40)
    made = document(shown(events))
    for moment in ["2026-10-01T00:00:00.000Z", *(run["at"] for run in made["runs"]), "2026-12-01T00:00:00.000Z"]:
        stood = until(read(events), datetime.fromisoformat(moment))
        assert standing(made, moment) == told(build_graph(stood))


def test_a_version_stands_once_for_as_long_as_a_job_says_the_same() -> None:
    again = COPY | {"eventTime": "2026-11-02T02:00:00Z", "run": {"runId": "second"}}
    made = document(shown([COPY, again]))
    assert len(made["versions"]) == 1
    assert [(run["run"], run["at"]) for run in made["runs"]] == [
        ("mart.people 2026-11-01T02:00:00Z", "2026-11-01T02:00:00.000Z"),
        ("second", "2026-11-02T02:00:00.000Z"),
    ]


def test_a_long_history_keeps_the_latest_runs_and_those_that_changed_something() -> None:
    events = night(1, 150)
    runs = read_runs(read(events))
    whole, short = past_of(runs, ()), past_of(runs, (), kept=10)
    assert len(short.runs) < len(whole.runs)
    assert short.runs[-10:] == whole.runs[-10:]
    made = document(shown(events))
    cut = made | {"runs": [{"version": it.version, "at": it.at.isoformat()[:19] + ".000Z"} for it in short.runs]}
    for run in made["runs"]:
        assert standing(cut, run["at"]) == standing(made, run["at"])


def test_words_say_how_a_column_came_about() -> None:
    made = document(shown([COPY]))
    words = {it["name"]: it["word"] for it in by_name(made, "mart.people")["fields"]}
    assert words == {
        "email": "pass-through",
        "mail": "renamed",
        "hashed": "derived",
        "now": "source",
        "unknown": "unknown",
    }
    assert made["versions"][0]["gaps"] == [4]


def test_a_column_says_its_class_the_proposal_and_what_decided_it() -> None:
    made = document(shown([COPY], policy(crm__people__email="personal", mart__people__email="internal")))
    email = column(made, "mart.people", "email")
    assert (email["declared"], email["proposed"]) == ("internal", "personal")
    assert email["decided"] == [{"source": "crm.people.email", "kind": 0, "masking": False}]
    assert column(made, "crm.people", "email")["declared"] == "personal"


def test_another_producers_tag_that_decided_is_named() -> None:
    tags = {"tags": [{"key": "classification", "value": "personal", "source": "DBT", "field": "now"}]}
    tagged = json.loads(json.dumps(COPY))
    tagged["outputs"][0]["facets"]["tags"] = tags
    now = column(document(shown([tagged])), "mart.people", "now")
    assert now["proposed"] == "personal"
    assert now["tagged"] == ["the tag classification=personal (DBT, job mart.people)"]


def test_types_and_descriptions_come_from_who_writes_a_table_before_who_reads_it() -> None:
    typed = [{"name": "id", "type": "bigint", "description": "the key"}]
    write = event("a.a", writes=[table("a.a", {}, schema=typed, documentation={"description": "all of it"})])
    seen = {"namespace": NAMESPACE, **table("a.a", schema=[{"name": "id", "type": "int"}])}
    made = document(shown([write, event("b.b", "2026-11-02T02:00:00Z", reads=[seen], writes=[table("b.b", {})])]))
    assert column(made, "a.a", "id")["type"] == "bigint"
    assert column(made, "a.a", "id")["description"] == "the key"
    assert by_name(made, "a.a")["description"] == "all of it"


def test_members_of_a_nested_column_have_their_types() -> None:
    nested = [{"name": "address", "type": "struct", "fields": [{"name": "city", "type": "varchar"}]}]
    write = event("a.a", writes=[table("a.a", {"address.city": ["b.b.city IDENTITY"]}, schema=nested)])
    assert column(document(shown([write])), "a.a", "address.city")["type"] == "varchar"


def test_a_column_that_is_gone_stays_for_the_past_and_says_so() -> None:
    before = event("a.a", writes=[table("a.a", {"old": ["b.b.x IDENTITY"], "kept": []})])
    after = event("a.a", "2026-11-02T02:00:00Z", writes=[table("a.a", {"kept": []})])
    made = document(shown([before, after]))
    gone = {it["name"]: it.get("gone", False) for name in ("a.a", "b.b") for it in by_name(made, name)["fields"]}
    assert gone == {"kept": False, "old": True, "x": True}


def test_the_projects_own_tables_are_there_before_anything_ran() -> None:
    own = {"crm.people": Own("source", "people", {"email": "varchar"}), "mart.new": Own("pipeline")}
    made = document(shown([], own=own))
    assert by_name(made, "crm.people")["asset"] == ["crm", "people"]
    assert by_name(made, "crm.people")["origin"] == "source"
    assert column(made, "crm.people", "email")["type"] == "varchar"
    assert "gone" not in column(made, "crm.people", "email")
    assert by_name(made, "mart.new")["origin"] == "pipeline"


def test_owner_criticality_origin_and_staleness_stand_with_a_table() -> None:
    people = Dataset(NAMESPACE, "mart.people")
    facts = Facts(owners={people: "team:mart"}, criticality={people: "high"})
    made = document(shown([COPY], facts=facts, stale=frozenset({people})))
    found = by_name(made, "mart.people")
    assert (found["owner"], found["criticality"], found["stale"]) == ("team:mart", "high", True)
    assert (found["origin"], found["job"], found["asset"]) == ("pipeline", "mart.people", None)
    assert by_name(made, "crm.people")["origin"] == "unknown"


def test_two_jobs_of_one_name_in_two_namespaces_do_not_take_each_others_place() -> None:
    one = event("load", writes=[table("a.a", {"x": ["b.b.x IDENTITY"]})])
    two = event("load", "2026-11-02T02:00:00Z", writes=[table("a.a", {"x": ["c.c.x IDENTITY"]})], namespace="airflow")
    edges, _ = standing(document(shown([one, two])))
    assert len(edges) == 2


def test_what_is_declared_stands_beside_runs_and_only_for_what_it_adds() -> None:
    declared = event("a.a", reads=["c.c"], writes=[table("a.a", {"x": ["c.c.x IDENTITY"]})], state="")
    ran = event("a.a", "2026-11-02T02:00:00Z", reads=["b.b"], writes=[table("a.a", {"x": ["b.b.x IDENTITY"]})])
    events = [declared, ran]
    assert standing(document(shown(events))) == told(build_graph(read(events)))
    bare = event("a.a", "2026-11-03T02:00:00Z", reads=["c.c"], writes=[table("a.a")], state="")
    assert standing(document(shown([ran, bare]))) == told(build_graph(read([ran, bare])))
    early = event("a.a", "2026-11-01T02:00:00Z", reads=["c.c"], writes=[table("a.a")], state="")
    assert standing(document(shown([ran, early]))) == told(build_graph(read([ran, early])))


def test_findings_say_what_is_wrong_where_and_what_to_do() -> None:
    finding = Finding("a_rule", Severity.ERROR, "a.a", "x", "it is wrong", "make it right")
    assert document(shown([], findings=[finding]))["findings"] == [
        {
            "rule": "a_rule",
            "severity": "ERROR",
            "table": "a.a",
            "column": "x",
            "message": "it is wrong",
            "fix": "make it right",
        }
    ]


def test_a_name_with_a_password_in_it_is_shown_without() -> None:
    written = {"namespace": "postgres://shop:hunter2@db", "name": "a.a", "facets": {}}
    told_of = event("a.a", reads=[written], writes=[table("b.b")])
    text = json.dumps(document(shown([told_of])))
    assert "hunter2" not in text
    assert "postgres://***@db" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crm.people", "crm"),
        ("lake.crm.people", "lake.crm"),
        ("people", ""),
        ("landing/2026/orders.csv", "landing/2026"),
    ],
)
def test_a_group_is_what_a_name_lies_in(name: str, expected: str) -> None:
    assert group(name) == expected


def test_the_same_knowledge_makes_the_same_document() -> None:
    events = night(3, 60)
    assert document(shown(events)) == document(shown(events[::-1]))
    assert document(shown(events))["generated"] == NOW.isoformat(timespec="milliseconds").replace("+00:00", "Z")
