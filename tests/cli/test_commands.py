"""The commands as a user types them, each on files of its own."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from platform_assets.cli import main

EVENT = {
    "eventTime": "2026-10-01T02:00:01+00:00",
    "eventType": "COMPLETE",
    "producer": "https://example.com",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "019992f7-3a00-7000-8000-000000000001"},
    "job": {"namespace": "jobs", "name": "mart.buyers"},
    "inputs": [{"namespace": "n", "name": "crm.people"}],
    "outputs": [
        {
            "namespace": "n",
            "name": "mart.buyers",
            "facets": {
                "columnLineage": {
                    "_producer": "https://example.com",
                    "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
                    "fields": {
                        "mail": {
                            "inputFields": [
                                {
                                    "namespace": "n",
                                    "name": "crm.people",
                                    "field": "mail",
                                    "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                                }
                            ]
                        }
                    },
                }
            },
        }
    ],
}


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.ndjson"
    path.write_text(json.dumps(EVENT) + "\n")
    return path


def run(*words: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=stdin)


def test_impact_reads_events_of_any_producer(events: Path) -> None:
    found = json.loads(run("impact", "crm.people.mail", "--events", events, "--format", "json").stdout)

    assert found["start"] == "crm.people.mail"
    assert [it["field"] for it in found["values"]] == ["mart.buyers.mail"]
    assert (found["population"], found["tables"], found["unknown"]) == ([], [], [])


def test_impact_of_what_no_event_names_suggests_what_is_close(events: Path) -> None:
    refused = run("impact", "crm.people.mial", "--events", events)

    assert refused.exit_code == 1
    assert "no event names crm.people.mial" in refused.stderr
    assert "crm.people.mail" in refused.stderr


def test_a_torn_line_is_warned_of_and_the_rest_is_read(events: Path) -> None:
    events.write_text(events.read_text() + '{"eventTime": "2026-')

    told = run("impact", "crm.people.mail", "--events", events)

    assert told.exit_code == 0
    assert "events.ndjson:2" in told.stderr


def test_lineage_reads_standard_input_and_a_schema_file(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"s.t": {"a": "int", "b": "int"}}')

    told = run("lineage", "-", "--schema", schema, stdin="create table s.u as select a from s.t where b > 1")

    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "s.u",
        "  a  pass-through  s.t.a DIRECT IDENTITY",
        "  rows shaped by",
        "    s.t.b INDIRECT FILTER",
        "  reads s.t",
    ]


def test_lineage_in_json_is_the_public_form(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"s.t": {"a": "int"}}')

    told = run("lineage", "-", "--schema", schema, "--format", "json", stdin="select a + 1 as b from s.t")

    assert json.loads(told.stdout) == [
        {
            "output": None,
            "fields": {"b": [["s.t", "a", "DIRECT", "TRANSFORMATION", False]]},
            "dataset": [],
            "inputs": ["s.t"],
        }
    ]


def test_a_refused_statement_is_shown_with_a_caret_under_the_offending_text(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"s.t": {"email": "varchar"}}')

    refused = run("lineage", "-", "--schema", schema, stdin="select\n  emial\nfrom s.t")

    assert refused.exit_code == 1
    assert "s.t has no column emial" in refused.stderr
    assert "  emial\n  ^" in refused.stderr


@pytest.mark.parametrize("text", ["[1]", '{"s.t": ["a"]}', '{"s.t": {"a": 1}}', "{"])
def test_a_schema_file_that_is_none_says_what_one_is(tmp_path: Path, text: str) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(text)

    refused = run("lineage", "-", "--schema", schema, stdin="select 1")

    assert refused.exit_code == 1
    assert '{"schema.table": {"column": "type"}}' in refused.stderr


def test_lineage_as_openlineage_is_a_start_and_a_complete_of_one_run(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"s.t": {"a": "int"}}')

    told = run(
        "lineage", "-", "--schema", schema, "--format", "openlineage", stdin="create table s.u as select a from s.t"
    )

    start, complete = (json.loads(line) for line in told.stdout.splitlines())
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == complete["run"]["runId"]
    (output,) = complete["outputs"]
    assert output["name"] == "s.u"
    assert output["facets"]["columnLineage"]["fields"]["a"]["inputFields"][0]["field"] == "a"


def test_one_refused_file_does_not_hide_the_lineage_of_another(tmp_path: Path) -> None:
    (tmp_path / "good.sql").write_text("select 1 as one")
    (tmp_path / "bad.sql").write_text("select frm")

    told = run("lineage", tmp_path / "bad.sql", tmp_path / "good.sql")

    assert told.exit_code == 1
    assert "bad.sql:1:8" in told.stderr
    assert "one  source" in told.stdout
