"""The commands from log to answer, on a project of their own."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from governance.errors import HeadwaterError
from platform_assets.commands.consumers import COMMANDS

EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-08-30T02:00:00Z",
    "run": {"runId": "r"},
    "job": {"namespace": "headwater", "name": "w.t"},
    "inputs": [{"namespace": "iceberg://platform", "name": "crm.learners"}],
    "outputs": [{"namespace": "iceberg://platform", "name": "w.t"}],
}
LINEAGE = """
order = ["public"]
propagate_through = ["DIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"
"""
LOG = [
    {"time": "2026-08-01T12:00:00Z", "user": "ann", "sql": "select email from crm.learners"},
    {"time": "2026-08-31T12:00:00Z", "user": "sheet", "sql": "select email from crm.learners"},
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADWATER_ROOT", str(tmp_path))
    monkeypatch.delenv("HEADWATER_STATE", raising=False)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    files = {
        "governance/lineage.toml": LINEAGE,
        "governance/metadata.toml": '["crm.learners"]\nowner = "team:crm"\n',
        "governance/consumers.toml": '[consumers.Sheet]\nreads = ["crm.learners.email"]\naccounts = ["sheet"]\n',
        "platform_assets/sources.toml": '["crm.learners"]\ncolumns.learner_id = "bigint"\ncolumns.email = "varchar"\n',
        ".headwater/events/events-2026-08-30.ndjson": json.dumps(EVENT) + "\n",
        "log.ndjson": "\n".join(json.dumps(line) for line in LOG),
        "inventory.txt": "crm.learners\nw.t\nx.x\n",
    }
    (tmp_path / "platform_assets" / "pipelines").mkdir(parents=True)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def run(*args: str) -> Result:
    result = CliRunner().invoke(click.Group(commands=COMMANDS), list(args))
    if isinstance(result.exception, HeadwaterError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def document(*args: str) -> Any:
    return json.loads(run(*args, "--format", "json").stdout)


def test_from_log_to_coverage_and_consumers(root: Path) -> None:
    ingested = document("ingest-queries", "log.ndjson", "--from", "2026-06-01")

    assert (ingested["added"], ingested["lines"]["columns known"]) == (2, 2)
    assert ingested["window"]["from"] == "2026-06-01T00:00:00+00:00"
    found = document("consumers", "crm.learners.email")
    assert {it["name"] for it in found["consumers"]} == {"ann", "Sheet", "w.t"}
    assert [it["consumer"] for it in found["reconciliation"]["reads_without_edge"]] == ["ann"]
    measured = document("coverage", "--inventory", "inventory.txt")
    assert measured["measures"]["nodes"] == {"part": 2, "whole": 3, "ratio": 2 / 3}
    assert measured["measures"]["edges"] == {"part": 1, "whole": 2, "ratio": 0.5}
    assert [it["table"] for it in measured["missing_tables"]] == ["x.x"]
    assert not (root / ".headwater" / "coverage").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it lists no table"),
        ("# all\n\n", "it lists no table"),
        ("# all\ncrm.learners\nlearners\n", "line 3: 'learners'"),
    ],
)
def test_an_inventory_that_lists_no_tables_is_refused(root: Path, text: str, said: str) -> None:
    (root / "odd.txt").write_text(text)
    with pytest.raises(HeadwaterError, match=f"odd.txt: {said}"):
        run("coverage", "--inventory", "odd.txt")


def test_an_inventory_may_have_comments_and_quotes(root: Path) -> None:
    (root / "all.txt").write_text('# all\n"crm"."learners"\n')
    assert "Measured against 1 table of the inventory" in run("coverage", "--inventory", "all.txt").output


@pytest.mark.usefixtures("root")
def test_each_plain_measurement_is_kept_and_shown_over_time() -> None:
    assert "0 of 0" not in run("coverage").output
    run("coverage")

    assert len(document("coverage", "--over-time")) == 2
    assert "Coverage over time: 2" in run("coverage", "--over-time").output
    assert "**Coverage over time: 2**" in run("coverage", "--over-time", "--format", "md").output


def test_other_events_and_logs_can_be_asked(root: Path) -> None:
    (root / "other").mkdir()
    (root / "empty").mkdir()
    (root / "other" / "e.json").write_text(json.dumps(EVENT | {"job": {"namespace": "airflow", "name": "nightly"}}))
    run("ingest-queries", "log.ndjson")

    found = document("consumers", "crm.learners", "--events", "other", "--queries", "empty")

    assert {it["name"] for it in found["consumers"]} == {"nightly", "Sheet"}


@pytest.mark.usefixtures("root")
def test_a_window_leaves_older_reads_out() -> None:
    run("ingest-queries", "log.ndjson")

    found = document("consumers", "crm.learners", "--window", "1 hour")

    assert "ann" not in {it["name"] for it in found["consumers"]}
    with pytest.raises(HeadwaterError, match="'soon' is no span of time"):
        run("consumers", "crm.learners", "--window", "soon")


@pytest.mark.usefixtures("root")
def test_nobody_is_said_of_these_sources_over_this_window() -> None:
    output = run("consumers", "w.t").output

    assert "w.t: no consumers found among these sources over this window." in output


@pytest.mark.usefixtures("root")
def test_a_table_that_nothing_knows_is_an_error_with_what_to_do() -> None:
    with pytest.raises(HeadwaterError, match=r"no event names crm\.learner"):
        run("consumers", "crm.learner")


@pytest.mark.usefixtures("root")
def test_a_wrong_form_lists_the_forms() -> None:
    with pytest.raises(HeadwaterError, match=r"unknown form 'oracle'; write one of auto, snowflake"):
        run("ingest-queries", "log.ndjson", "--form", "oracle")


def test_a_file_that_is_no_log_fails_and_one_with_a_wrong_line_does_not(root: Path) -> None:
    (root / "noise.ndjson").write_bytes(b"\x00\x9c\xff\n" * 3)
    (root / "mixed.ndjson").write_text("no line of a log\n" + json.dumps(LOG[0]))
    codes = {
        name: CliRunner().invoke(click.Group(commands=COMMANDS), ["ingest-queries", name]).exit_code
        for name in ("noise.ndjson", "mixed.ndjson", "log.ndjson")
    }
    assert codes == {"noise.ndjson": 1, "mixed.ndjson": 0, "log.ndjson": 0}


def test_without_events_the_commands_say_what_to_run(root: Path) -> None:
    (root / ".headwater" / "events" / "events-2026-08-30.ndjson").unlink()
    (root / ".headwater" / "events").rmdir()

    with pytest.raises(HeadwaterError, match="there are no events yet; run `headwater run` or `headwater demo`"):
        run("coverage", "--inventory", "inventory.txt")
