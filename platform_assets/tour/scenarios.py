"""``headwater demo <scenario>``: one failure each, set up on the demo platform for review, and ``reset``.

No tracked file is edited: pipelines and policy of a scenario lie in the project's overlay folder.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from governance.errors import CatalogError
from governance.project import Project
from governance.report.findings import findings_text
from governance.rules import RULES, check
from platform_assets.assets.factory import duckdb_resource
from platform_assets.assets.instance import project_instance
from platform_assets.assets.job import JobOutcome, run_job
from platform_assets.definitions import build_definitions, closer_of, known_to
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Query
from platform_assets.iceberg.catalog import load_known, open_catalog, plan
from platform_assets.iceberg.publish import replace, target
from platform_assets.loaded import load
from platform_assets.runs.repair import repair_events
from platform_assets.tour.tour import Say, checks_line

SWITCH = "OPENLINEAGE_DISABLED"

COPY = "marketing.partner_export"
"""The table that the scenario ``uninstrumented`` writes behind lineage's back."""

UNDERSTATED = """\
# Of the scenario `understated`: "only the marketing team reads it", which says who reads it and not what it holds.
["marketing.campaign_list"]
owner = "team:marketing"
description = "Copy of the audience that the email tool reads."
columns.learner_id = { classification = "internal", description = "Key of the learner." }
columns.full_name = { classification = "internal", description = "Name, for the salutation." }
columns.email = { classification = "internal", description = "Address the campaign goes to." }
"""

MISSPELT = """\
-- description: Addresses for the spring offer.
-- owner: team:marketing

create table marketing.spring_offers as
select learner_id, emial
from crm.learners
where marketing_consent
"""


def run_scenario(project: Project, scenario: str, say: Say) -> bool:
    """Set up ``scenario`` and show which check it turns red; return whether it turned out as it should.

    Raises:
        CatalogError: the platform has not been made yet.
    """
    _require_platform(project)
    if scenario == "reset":
        return _reset(project, say)
    story, run, rule = SCENARIOS[scenario]
    say(f"{scenario}: {story}\n")
    with _switched_back():
        outcome = run(project)
        red = _governance(project, say, outcome)
    if red != {rule}:
        say(f"\nRed besides {rule}, from something set up before: `headwater demo reset`, then this scenario alone.")
    say("\n`headwater demo reset` turns it green again. Dagster's UI shows it once its definitions are reloaded.")
    return red == {rule}


def _require_platform(project: Project) -> None:
    with open_catalog(project) as catalog:
        if not load_known(catalog, ["marketing.audience"]):
            raise CatalogError("the demo platform is not there yet", fix="run `headwater demo` first")


def _silent(project: Project) -> JobOutcome | None:
    os.environ[SWITCH] = "true"
    return _nightly(project, "ai.review_corpus")


def _uninstrumented(project: Project) -> JobOutcome | None:
    sql = "select learner_id, full_name, email from marketing.audience"
    with open_catalog(project) as catalog:
        tables = load_known(catalog, ["marketing.audience", COPY])
        audience = plan("marketing.audience", tables["marketing.audience"])
        engine = DuckDb(duckdb_resource(project).get_connection)
        with engine.open(Query(sql, "a script"), {audience.table: audience.relation}) as result:
            replace(catalog, target(COPY, tables.get(COPY)), result, {}, {})
    return None


def _understated(project: Project) -> JobOutcome | None:
    _write(project, "governance/metadata.toml", UNDERSTATED)
    return _nightly(project, "marketing.campaign_list")


def _misspelt(project: Project) -> JobOutcome | None:
    _write(project, "pipelines/marketing/spring_offers.sql", MISSPELT)
    return _nightly(project, "marketing.spring_offers")


Scenario = tuple[str, Callable[[Project], JobOutcome | None], str]

SCENARIOS: Mapping[str, Scenario] = {
    "silent": (
        f"{SWITCH}=true was left in the environment, and ai.review_corpus runs: it writes its rows and sends no event.",
        _silent,
        "missing_run",
    ),
    "uninstrumented": (
        f"a script copies marketing.audience into {COPY}, straight into the catalog.",
        _uninstrumented,
        "unaccounted_table",
    ),
    "understated": (
        "the owner of marketing.campaign_list declares its columns internal, names and addresses included.",
        _understated,
        "understated_classification",
    ),
    "misspelt": (
        "a new pipeline, marketing.spring_offers, selects emial from crm.learners.",
        _misspelt,
        "unreadable_lineage",
    ),
}
"""What happens, how it is made to happen, and the one rule that it turns red."""


def _nightly(project: Project, table: str) -> JobOutcome:
    with project_instance(project) as instance:
        return run_job(build_definitions(project), "nightly", instance, [table])


def _governance(project: Project, say: Say, ran: JobOutcome | None) -> set[str]:
    """Run the governance job, tell what is red and why, and return the names of the red rules."""
    if ran:
        said = [f"{table} was written" for table in ran.built]
        said += [f"{step} stopped: {error}" for step, error in ran.failed if "AssetCheck" not in error]
        say("\n".join(said))
    with project_instance(project) as instance:
        outcome = run_job(build_definitions(project), "governance", instance)
        known = known_to(project, instance)
    say(f"governance: {checks_line(outcome)}")
    for red in outcome.red:
        say(f"red: {red.check} of {red.asset}")
    names = {red.check for red in outcome.red}
    for rule in RULES:
        if rule.name in names:
            say(findings_text(check(rule, known).findings))
    return names


def _reset(project: Project, say: Say) -> bool:
    shutil.rmtree(project.scenario, ignore_errors=True)
    with open_catalog(project) as catalog:
        if load_known(catalog, [COPY]):
            catalog.drop_table(COPY)
            say(f"dropped {COPY}")
    for repaired in repair_events(load(project)):
        say(f"{repaired.lost.job}: {repaired.problem or 'its lost COMPLETE is rebuilt from its snapshot'}")
    with project_instance(project) as instance:
        closer_of(load(project)).close(instance)
    red = _governance(project, say, _nightly(project, "marketing.campaign_list"))
    return not red


def _write(project: Project, name: str, text: str) -> None:
    path = project.scenario / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def _switched_back() -> Iterator[None]:
    before = os.environ.get(SWITCH)
    try:
        yield
    finally:
        os.environ.pop(SWITCH, None)
        if before is not None:
            os.environ[SWITCH] = before
