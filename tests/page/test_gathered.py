"""What the page is made from: files, events, the catalog as last seen, and what a full check found last."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from governance import catalog_seen, findings_seen
from governance.catalog_seen import CatalogSeen
from governance.findings_seen import FindingsSeen
from governance.page.document import Shown, document
from governance.project import Project
from governance.rules import RULES
from governance.rules.finding import Finding, Severity
from platform_assets.pages.gathered import OF_CATALOG, OF_EVENTS, OF_FILES, events_page, project_page
from tests.page.made import NOW, event, table
from tests.page.test_server import project

__all__ = ["project"]

ELSEWHERE = {"missing_run", "stale_lineage"}
"""Rules that ask Dagster's log or the catalog's snapshots, which no page opens."""

METADATA = """
["z.misspelt"]
owner = "team:z"

["b.b"]
columns.x = { classification = "personal" }

["a.a"]
owner = "team:a"
columns.x = { classification = "public" }
"""


def found(shown: Shown) -> set[tuple[str, str]]:
    return {(it.rule, it.table) for it in shown.findings}


def finding(rule: str) -> Finding:
    return Finding(rule, Severity.ERROR, "a.a", None, "it is wrong", "make it right")


@pytest.fixture
def declared(project: Project) -> Project:
    (project.root / "governance/metadata.toml").write_text(METADATA)
    return project


def test_every_rule_is_answered_here_or_by_a_full_check() -> None:
    here = [rule.name for rule in (*OF_EVENTS, *OF_FILES, *OF_CATALOG)]
    assert sorted([*here, *ELSEWHERE]) == sorted(rule.name for rule in RULES)


def test_what_files_and_events_tell_is_found_as_of_now(declared: Project) -> None:
    shown = project_page(declared, NOW).shown
    assert found(shown) == {("understated_classification", "a.a"), ("unmatched_policy", "z.misspelt")}


def test_events_from_elsewhere_say_nothing_about_the_projects_other_files(declared: Project) -> None:
    shown = events_page(declared, declared.events, NOW).shown
    assert found(shown) == {("understated_classification", "a.a")}


def test_a_moment_that_is_past_has_no_findings(declared: Project) -> None:
    assert not project_page(declared, NOW, NOW - timedelta(days=1)).shown.findings


def test_what_only_a_full_check_finds_stays_until_the_next(declared: Project) -> None:
    kept = (finding("missing_run"), finding("unmatched_policy"))
    findings_seen.keep(declared.state, FindingsSeen(NOW, kept))
    shown = project_page(declared, NOW).shown
    assert ("missing_run", "a.a") in found(shown)
    # asked again, and mended since
    assert ("unmatched_policy", "a.a") not in found(shown)


@pytest.mark.parametrize("text", ["", "{}", '{"at": 1}', "not JSON"])
def test_what_another_version_kept_is_as_nothing(project: Project, text: str) -> None:
    (project.state / findings_seen.FILE).write_text(text)
    assert findings_seen.seen(project.state) is None
    assert project_page(project, NOW).shown.findings is not None


def test_a_table_that_the_catalog_no_longer_has_is_stale(project: Project) -> None:
    catalog_seen.keep(project.state, CatalogSeen(NOW, ("b.b",)))
    made = document(project_page(project, NOW).shown)
    assert {it["name"]: it["stale"] for it in made["datasets"]} == {"a.a": True, "b.b": False}


def test_pipelines_and_sources_that_nothing_told_of_are_there_too(project: Project) -> None:
    pipeline = project.root / "platform_assets/pipelines/mart/people.sql"
    pipeline.parent.mkdir(parents=True)
    pipeline.write_text("-- description: People.\n\ncreate table mart.people as select p.email from crm.people p\n")
    project.sources.write_text('["crm.people"]\ndescription = "All."\ncolumns.email = "varchar"\n')
    made = {it["name"]: it for it in document(project_page(project, NOW).shown)["datasets"]}
    assert made["mart.people"]["description"] == "People."
    assert [(it["name"], it["type"]) for it in made["mart.people"]["fields"]] == [("email", "varchar")]
    assert made["crm.people"]["origin"] == "source"
    assert made["crm.people"]["asset"] == ["crm", "people"]


def test_a_pipeline_that_cannot_be_read_is_found(project: Project) -> None:
    pipeline = project.root / "platform_assets/pipelines/mart/people.sql"
    pipeline.parent.mkdir(parents=True)
    pipeline.write_text("create table mart.people as select nonsense from nowhere.at_all\n")
    assert ("unreadable_lineage", "mart.people") in found(project_page(project, NOW).shown)


def test_the_page_describes_every_key(project: Project) -> None:
    described = (Path(__file__).parents[2] / "docs/page.md").read_text("utf-8")
    findings_seen.keep(project.state, FindingsSeen(NOW, (finding("missing_run"),)))
    more = event("c.c", "2026-11-02T02:00:00Z", writes=[table("c.c", {"x": ["a.a.x IDENTITY"]})])
    (project.events / "events-2026-11-02.ndjson").write_text(json.dumps(more) + "\n")
    made = document(project_page(project, NOW).shown)
    lists = [
        made,
        *(made[key][0] for key in ("datasets", "versions", "runs", "findings")),
        made["datasets"][0]["fields"][0],
    ]
    for key in {key for it in lists for key in it} | {"gone", "tagged", "through", "state"}:
        assert f"`{key}`" in described or f'"{key}"' in described, key
