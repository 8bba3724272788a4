"""`headwater lineage --all`: the project's lineage as events, from text alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from governance.events.reading import read_events
from governance.graph import Graph, build_graph
from tests.ship.conftest import Repository


def export(repository: Repository, path: Path, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    said = repository.run("lineage", "--all", "-o", str(path), *arguments)
    assert said.exit_code == code, said.output
    return [json.loads(line) for line in path.read_text().splitlines()]


def edges(graph: Graph) -> set[tuple[str, str, str, bool]]:
    return {(str(it.source), str(it.target), it.how, it.masking) for it in graph.edges}


def test_each_pipeline_is_a_start_and_a_complete_of_one_run_id(repository: Repository, tmp_path: Path) -> None:
    events = export(repository, tmp_path / "events.ndjson")
    assert [(it["job"]["name"], it["eventType"]) for it in events] == [
        (job, kind) for job in ("mail.sent", "mart.list", "mart.spend") for kind in ("START", "COMPLETE")
    ]
    for start, complete in zip(events[::2], events[1::2], strict=True):
        assert start["run"]["runId"] == complete["run"]["runId"]
        assert start["run"]["runId"][14] == "7"
        assert start["eventTime"] == complete["eventTime"]


def test_nothing_was_read_and_nothing_made(repository: Repository, tmp_path: Path) -> None:
    export(repository, tmp_path / "events.ndjson")
    assert not (repository.root / ".headwater").exists()


def test_the_digest_follows_the_text_and_the_name_stays(repository: Repository, tmp_path: Path) -> None:
    def told() -> tuple[str, str, str]:
        event = export(repository, tmp_path / "events.ndjson")[3]
        facet = event["job"]["facets"]["headwater_pipeline"]
        return event["job"]["name"], facet["sourceHash"], event["run"]["runId"]

    before = told()
    repository.edit("mart/list", "where p.active", "where not p.active")
    after = told()
    assert before[0] == after[0] == "mart.list"
    assert before[1] != after[1]
    assert before[2] != after[2]


def test_schemas_classes_owners_and_the_text_of_edges_are_told(repository: Repository, tmp_path: Path) -> None:
    complete = export(repository, tmp_path / "events.ndjson")[3]
    facets = complete["outputs"][0]["facets"]
    assert [(it["name"], it.get("type")) for it in facets["schema"]["fields"]] == [
        ("id", "bigint"),
        ("email", "varchar"),
        ("country", "varchar"),
    ]
    assert facets["ownership"]["owners"] == [{"name": "team:mart", "type": "OWNER"}]
    assert {(it["field"], it["value"]) for it in facets["tags"]["tags"]} == {("email", "personal")}
    assert "where p.active" in str(facets["headwater_expressions"])
    assert "headwater_statistics" not in complete["run"]["facets"]


def test_a_type_that_only_a_run_can_tell_is_left_out(repository: Repository, tmp_path: Path) -> None:
    spend = export(repository, tmp_path / "events.ndjson")[5]["outputs"][0]
    types = {it["name"]: it.get("type") for it in spend["facets"]["schema"]["fields"]}
    assert types == {"country": "varchar", "amount": None, "orders": None}


def test_what_is_declared_says_the_same_tied_to_no_run(repository: Repository, tmp_path: Path) -> None:
    ran, declared = tmp_path / "ran.ndjson", tmp_path / "declared.ndjson"
    export(repository, ran)
    events = export(repository, declared, "--format", "declared")
    assert all("run" not in it and "eventType" not in it for it in events)
    assert [("job" in it, "dataset" in it) for it in events] == [(True, False), (False, True)] * 3
    graphs = [build_graph(read_events(path).events) for path in (ran, declared)]
    assert edges(graphs[0]) == edges(graphs[1]) != set()
    flows = [{(it.source, it.target) for it in graph.flows} for graph in graphs]
    assert flows[0] == flows[1]


def test_a_pipeline_that_cannot_be_read_fails_by_name_and_the_others_are_there(
    repository: Repository, tmp_path: Path
) -> None:
    repository.edit("mart/list", "p.email", "p.emial")
    path = tmp_path / "events.ndjson"
    said = repository.run("lineage", "--all", "-o", str(path))
    assert said.exit_code == 1
    assert "mart/list.sql:4:16: crm.people has no column emial; did you mean email?" in said.output
    events = [json.loads(line) for line in path.read_text().splitlines()]
    ends = {it["job"]["name"]: it for it in events if it["eventType"] != "START"}
    assert {name: it["eventType"] for name, it in ends.items()} == {
        "mail.sent": "FAIL",
        "mart.list": "FAIL",
        "mart.spend": "FAIL",
    }
    assert "emial" in ends["mart.list"]["run"]["facets"]["errorMessage"]["message"]


def test_standard_output_is_nothing_but_events(repository: Repository) -> None:
    said = repository.run("lineage", "--all", "-o", "-")
    assert [json.loads(line)["eventType"] for line in said.stdout.splitlines()] == ["START", "COMPLETE"] * 3


@pytest.mark.parametrize("form", ["text", "json"])
def test_all_in_the_other_forms(repository: Repository, form: str) -> None:
    said = repository.run("lineage", "--all", "--format", form)
    assert said.exit_code == 0
    assert said.stdout.count("mart.spend") >= 1


def test_explained(repository: Repository) -> None:
    assert "where p.active" in repository.run("lineage", "--all", "--explain").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name FILEs, or --all"),
        (("--all", "x.sql"), "name FILEs, or --all"),
        (("--all", "--dialect", "spark"), "leave out --schema and --dialect"),
        (("--all", "-o", "nowhere/at/all.ndjson"), "cannot be written"),
    ],
)
def test_what_does_not_go_together_is_said(repository: Repository, arguments: tuple[str, ...], said: str) -> None:
    found = repository.run("lineage", *arguments)
    assert found.exit_code != 0
    assert said in found.output
