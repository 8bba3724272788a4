"""A template runs as any pipeline does, and what goes wrong while it runs points into it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from governance.events.run import Attempt
from governance.events.run_facets import Parent
from governance.events.store import EventStore
from governance.load import load_pipelines
from governance.pipeline import Pipeline
from governance.policy import load_policy, load_sources
from governance.project import Project
from platform_assets.assets.metadata import pipeline_metadata
from platform_assets.cli import main
from platform_assets.engines.engine import Engine, Query, QueryError
from platform_assets.iceberg.catalog import Catalog, load, plan
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run

AT = datetime(2026, 10, 3, 2, tzinfo=UTC)
FILE = "platform_assets/pipelines/mart/mails.sql.j2"


@pytest.fixture
def platform(shop: Project, catalog: Catalog, engine: Engine) -> Platform:
    return Platform(
        shop, load_policy(shop), load_sources(shop), catalog, engine, EventStore(shop.events, lambda: AT), lambda: AT
    )


def mails(platform: Platform, text: str) -> Pipeline:
    path: Path = platform.project.root / FILE
    path.write_text(text, "utf-8")
    return next(it for it in load_pipelines(platform.project) if it.table == "mart.mails")


def ran(platform: Platform, pipeline: Pipeline, number: int = 0) -> None:
    attempt = Attempt("mart.mails", AT, "dagster-run", number)
    materialize(platform, pipeline, Run(attempt, Parent("01a0f9a6-0000-7000-8000-000000000000", "nightly"), AT))


def rows(platform: Platform) -> list[dict[str, Any]]:
    relation = plan("mart.mails", load(platform.catalog, "mart.mails")).relation
    with (
        platform.engine.open(Query("from mart.mails order by all", ""), {"mart.mails": relation}) as result,
        result.batches() as reader,
    ):
        return reader.read_all().to_pylist()


def test_a_template_builds_its_table_and_its_events_have_the_sql_that_ran(platform: Platform) -> None:
    text = "select\n{%- for c in ['id', 'mail'] %}\n  {{ c }}{{ ',' if not loop.last }}\n{%- endfor %}\n"
    ran(platform, mails(platform, f"{text}from {{{{ source('crm', 'people') }}}}\nwhere agreed"))
    assert rows(platform) == [{"id": 1, "mail": "ada@example.com"}, {"id": 2, "mail": "bo@example.com"}]
    files = platform.store.files()
    events = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    (sql,) = {event["job"]["facets"]["sql"]["query"] for event in events if "sql" in event["job"]["facets"]}
    assert sql == "create table mart.mails as select\n  id,\n  mail\nfrom crm.people\nwhere agreed"


def test_an_incremental_template_appends_to_the_table_that_it_declares(platform: Platform) -> None:
    text = (
        "{{ config(materialized='incremental') }}\ncreate table if not exists {{ this }} (id bigint);\n"
        "select id from {{ source('crm', 'people') }}\nwhere id > coalesce((select max(id) from {{ this }}), 0)"
    )
    ran(platform, mails(platform, text))
    ran(platform, mails(platform, text), 1)
    assert rows(platform) == [{"id": 1}, {"id": 2}, {"id": 3}]


def test_an_error_while_it_runs_says_the_templates_line_and_no_data(platform: Platform) -> None:
    text = "{# one\ntwo #}\nselect\n{%- for c in ['mail'] %}\n  cast({{ c }} as integer) as id\n{%- endfor %}\n"
    with pytest.raises(QueryError) as caught:
        ran(platform, mails(platform, f"{text}from {{{{ source('crm', 'people') }}}}"))
    assert caught.value.where() == f"{FILE}:5"
    assert "ada@" not in str(caught.value)
    assert "LINE 3" not in str(caught.value)


def test_dagster_says_that_the_sql_is_rendered(platform: Platform) -> None:
    metadata = pipeline_metadata(platform.project, mails(platform, "select id from {{ source('crm', 'people') }}"), ())
    (sql,) = (value for name, value in metadata.items() if name.startswith("SQL"))
    assert f"SQL, rendered from {FILE}" in metadata
    assert "create table mart.mails as select id from crm.people" in str(sql)


def test_lineage_tells_once_what_several_pipelines_build_on(shop: Project) -> None:
    mart = shop.root / "platform_assets/pipelines/mart"
    (mart / "base.sql").write_text("create table mart.base as\nselect nope from crm.people", "utf-8")
    for name in ("one", "two"):
        (mart / f"{name}.sql").write_text(f"-- include: mart.base\ncreate table mart.{name} as from mart.base", "utf-8")
    told = CliRunner().invoke(main, ["--project", str(shop.root), "lineage", "--all"])
    assert told.exit_code == 1
    assert told.stderr.count("mart/base.sql:2:8: crm.people has no column nope") == 1
