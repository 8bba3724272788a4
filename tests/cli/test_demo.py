"""The demo as a reviewer runs it: the real job on a real catalog, then each failure and its mending."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def command(state: Path, *words: str, env: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
    settings = {name: value for name, value in os.environ.items() if not name.startswith("OPENLINEAGE")}
    return subprocess.run(
        [Path(sys.executable).with_name("headwater"), *words],
        env=settings | {"HEADWATER_STATE": str(state), **env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("platform")
    made = command(folder, "demo", "--scale", "0.1")
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def test_the_nightly_job_runs_and_says_what_its_events_say(state: Path) -> None:
    said = command(state, "demo", "--scale", "0.1").stdout

    assert "nightly  7 pipelines" in said
    assert re.search(r"checks   \d+ passed, 2 warned, 0 failed\n", said)
    assert re.search(r"marketing.audience +5 +crm.learners, learning.courses, learning.enrollments\n", said)


def test_the_events_alone_say_what_a_change_reaches(state: Path) -> None:
    def reached(name: str) -> tuple[list[str], list[str]]:
        found = json.loads(command(state, "impact", name, "--format", "json").stdout)
        return [it["field"] for it in found["values"]], [it["field"] for it in found["population"]]

    assert reached("crm.learners.email") == (["marketing.audience.email", "marketing.campaign_list.email"], [])
    values, population = reached("crm.learners.marketing_consent")
    assert values == []
    assert {field for field in population if field.startswith("marketing.audience.")} == {
        f"marketing.audience.{name}" for name in ("learner_id", "full_name", "email", "country", "favourite_category")
    }


def test_the_proposals_say_what_decided_them(state: Path) -> None:
    said = command(state, "propose").stdout

    assert re.search(r"marketing.audience.email .*personal .*crm.learners.email \(DIRECT IDENTITY\)", said)
    assert re.search(r"favourite_category .*internal .*crm.learners.learner_id \(INDIRECT JOIN\)", said)


@pytest.mark.parametrize(
    ("scenario", "rule", "asset", "words"),
    [
        ("silent", "missing_run", "ai.review_corpus", "OPENLINEAGE_DISABLED=true is set"),
        ("uninstrumented", "unaccounted_table", "governance.platform", "marketing.partner_export"),
        (
            "understated",
            "understated_classification",
            "marketing.campaign_list",
            "declared internal, lineage proposes personal",
        ),
        ("misspelt", "unreadable_lineage", "marketing.spring_offers", "emial"),
    ],
)
def test_each_scenario_turns_its_own_check_red_and_reset_turns_all_green(
    state: Path, scenario: str, rule: str, asset: str, words: str
) -> None:
    red = command(state, "demo", scenario)

    assert red.returncode == 0, red.stdout + red.stderr
    assert f"red: {rule} of {asset}" in red.stdout
    assert red.stdout.count("red: ") == 1
    assert words in red.stdout
    assert command(state, "check").returncode == 1

    reset = command(state, "demo", "reset")
    assert reset.returncode == 0, reset.stdout + reset.stderr
    assert "0 failed" in reset.stdout
    assert command(state, "check").returncode == 0


def test_a_scenario_without_the_platform_says_what_to_do_first(tmp_path: Path) -> None:
    refused = command(tmp_path, "demo", "silent")

    assert refused.returncode == 1
    assert "run `headwater demo` first" in refused.stderr
    assert "Traceback" not in refused.stderr
