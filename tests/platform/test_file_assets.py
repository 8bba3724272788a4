"""Declared datasets of files as external assets of Dagster."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest

from governance.block import Block, BlockKind
from governance.dataset import Dataset, Field
from governance.diff import Side
from governance.errors import UnknownField
from governance.events.facets import Naming
from governance.events.reading import read_store
from governance.events.static import ndjson, static_events
from governance.events.store import EventStore
from governance.graph import build_graph, graph_of
from governance.graph.known import start_of
from governance.graph.stated import stated
from governance.history import history
from governance.load import load_pipelines
from governance.project import Project
from governance.report.history import history_dict, history_text
from governance.runs import Run, read_runs
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.changes.static import static_jobs
from platform_assets.commands.asked import asked
from platform_assets.loaded import load
from platform_assets.side import side_of_project
from tests.platform.conftest import write
from tests.platform.settings import LINEAGE

SOURCES = """
[locations.landing]
at = "landing"

["landing/orders/*.csv"]
description = "Orders of the shop."
options = { delim = ";" }
max_rejects = 5
columns.id = "bigint"
columns.mail = "varchar"

["landing/payments.txt"]
format = "fixed"
record_type = [1, 1]
records.header = { value = "H", columns = { batch = { type = "bigint", at = [2, 9] } } }
["landing/payments.txt".records.detail]
value = "D"
parent = "header"
join_key = "batch"
columns.batch = { type = "bigint", at = [2, 9] }
columns.cents = { type = "bigint", at = [10, 17] }
"""
METADATA = """
["landing/orders/*.csv"]
owner = "team:shop"
columns.mail = { classification = "personal", description = "Whom to write to." }
"""
ORDERS = "create table bronze.orders as\nselect id, mail from 'landing/orders/*.csv'\n"


@pytest.fixture
def landing(project: Project) -> Project:
    """A project that reads files; none has landed yet."""
    write(project.sources, SOURCES)
    write(project.policy[0] / "lineage.toml", LINEAGE)
    write(project.policy[0] / "metadata.toml", METADATA)
    write(project.pipelines[0] / "bronze" / "orders.sql", ORDERS)
    write(
        project.pipelines[0] / "bronze" / "payments.sql",
        "create table bronze.payments as\nselect cents from 'landing/payments.txt#detail'\n",
    )
    return project


def specs(project: Project) -> dict[dg.AssetKey, dg.AssetSpec]:
    found: dict[dg.AssetKey, dg.AssetSpec] = {}
    for built in build_assets(load(project)):
        for spec in [built] if isinstance(built, dg.AssetSpec) else built.specs:
            found[spec.key] = spec
    return found


def test_each_dataset_of_files_is_an_external_asset(landing: Project) -> None:
    found = specs(landing)
    orders = found[dg.AssetKey(["landing", "orders", "*.csv"])]
    assert (orders.description, orders.group_name, orders.kinds) == ("Orders of the shop.", "landing", {"csv", "file"})
    assert list(orders.owners) == ["team:shop"]
    assert orders.metadata["namespace"] == "file"
    assert orders.metadata["read with"] == "delim = ';', header = True, max_rejects = 5"
    assert "dagster/uri" not in orders.metadata
    _, mail = orders.metadata["dagster/column_schema"].value.columns
    assert (mail.name, mail.type, mail.description) == ("mail", "varchar", "Whom to write to.")
    assert dict(mail.tags) == {"classification": "personal"}

    detail = found[dg.AssetKey(["landing", "payments.txt#detail"])]
    said = "The detail records of landing/payments.txt, which say 'D'; each belongs to one of header by batch."
    assert (detail.description, detail.kinds) == (said, {"text", "file"})
    (base,) = found[dg.AssetKey(["landing", "payments.txt"])].metadata["dagster/column_schema"].value.columns
    assert base.name == "record_type"


def test_pipelines_come_after_the_files_that_they_read(landing: Project) -> None:
    found = specs(landing)
    assert {dep.asset_key for dep in found[asset_key("bronze.orders")].deps} == {asset_key("landing/orders/*.csv")}
    read = {dep.asset_key for dep in found[asset_key("bronze.payments")].deps}
    assert read == {asset_key("landing/payments.txt"), asset_key("landing/payments.txt#detail")}
    dg.Definitions.validate_loadable(
        dg.Definitions(build_assets(load(landing)), resources={"duckdb": duckdb_resource(landing)})
    )


def test_an_undeclared_file_is_an_unreadable_pipeline_and_breaks_no_other(landing: Project) -> None:
    write(
        landing.pipelines[0] / "bronze" / "lost.sql",
        "create table bronze.lost as\nselect * from 'landing/lo st*.csv'\n",
    )
    found = specs(landing)
    assert "cannot be read" in (found[asset_key("bronze.lost")].description or "")
    assert found[asset_key("bronze.orders")].description


def test_a_changed_block_is_changed_code(landing: Project) -> None:
    (orders, _) = load_pipelines(landing)
    block = Block("cents", BlockKind.MACRO, "blocks/money.sql", 1, "create macro cents(x) as x * 100")

    def version(*blocks: Block) -> str | None:
        loaded = load(landing)
        with_blocks = replace(loaded, pipelines=(replace(orders, blocks=blocks),), sources=())
        (built,) = build_assets(with_blocks)
        assert isinstance(built, dg.AssetsDefinition)
        return next(iter(built.specs)).code_version

    assert version(block) == version(block)
    assert len({version(), version(block), version(replace(block, sql="create macro cents(x) as x * 10"))}) == 3


@pytest.fixture
def landed(landing: Project) -> Project:
    """The same with files: a row of orders does not fit."""
    write(landing.root / "landing" / "orders" / "1.csv", "id;mail\n1;ada@example.com\n2;bo@example.com\n")
    write(landing.root / "landing" / "orders" / "2.csv", "id;mail\nx;cy@example.com\n3;di@example.com\n")
    write(landing.root / "landing" / "payments.txt", "H00000001\nD0000000100000250\n")
    return landing


def ran(project: Project, table: str) -> dict[str, Any]:
    resources = {"duckdb": duckdb_resource(project)}
    with dg.DagsterInstance.ephemeral() as instance:
        assets = build_assets(load(project))
        result = dg.materialize(assets, instance=instance, resources=resources, selection=[asset_key(table)])
    (done,) = result.asset_materializations_for_node(asset_key(table).to_python_identifier())
    return {name: it.value for name, it in done.metadata.items()}


def test_a_materialization_shows_files_and_rejected_rows(landed: Project) -> None:
    shown = ran(landed, "bronze.orders")
    assert (shown["files read"], shown["rows rejected"]) == (2, 1)
    assert shown["rejected rows are kept in"] == "quarantine.bronze_orders"
    assert "landing/orders/1.csv, landing/orders/2.csv | 1 |" in shown["files"]
    assert "(/assets/landing/orders/%2A.csv)" in shown["inputs of each column"]
    deps = shown["dagster/column_lineage"].deps_by_column["mail"]
    assert [(it.asset_key, it.column_name) for it in deps] == [(asset_key("landing/orders/*.csv"), "mail")]
    assert str(landed.root) not in str({key: it for key, it in shown.items() if key != "dagster/code_references"})


def test_without_files_nothing_is_said_of_files(landed: Project) -> None:
    write(landed.pipelines[0] / "bronze" / "one.sql", "create table bronze.one as\nselect 1 as one\n")
    assert not {it for it in ran(landed, "bronze.one") if "file" in it or "reject" in it}


def told(events: Iterable[dict[str, Any]], job: str) -> Any:
    """What the COMPLETE of a job says of names and of lineage."""
    (event,) = [it for it in events if it["job"]["name"] == job and it["eventType"] == "COMPLETE"]
    output = next(it for it in event["outputs"] if it["name"] == job)
    inputs = [
        (
            it["namespace"],
            it["name"],
            [(field["name"], field["type"]) for field in it["facets"]["schema"]["fields"]],
            it["facets"]["datasetType"]["datasetType"],
            it["facets"]["storage"]["fileFormat"],
        )
        for it in event["inputs"]
    ]
    lineage = {key: it for key, it in output["facets"]["columnLineage"].items() if not key.startswith("_")}
    return (output["namespace"], output["name"]), inputs, lineage


@pytest.mark.parametrize("table", ["bronze.orders", "bronze.payments"])
def test_runs_and_texts_tell_the_same_of_files(landed: Project, table: str) -> None:
    ran(landed, table)
    side = side_of_project(landed)
    naming = Naming(side.policy.lineage.namespace, side.policy.lineage.job_namespace, side.policy.lineage.files)
    texts = (event for job in static_jobs(landed, side) for event in static_events(job, naming, datetime.now(UTC)))
    run = [json.loads(line) for file in EventStore(landed.events).files() for line in file.read_text().splitlines()]

    assert told(map(json.loads, ndjson(texts)), table) == told(run, table)
    assert {it[0] for it in told(run, table)[1]} == {"file"}
    # what texts state without events is named alike
    graph, stated_graph = build_graph(read_store(landed.events).events), graph_of(stated_runs(side))
    same = {(it.source, it.target, it.transformation) for it in stated_graph.edges}
    assert {
        (it.source, it.target, it.transformation) for it in graph.edges if "quarantine" not in str(it.target)
    } <= same


def stated_runs(side: Side) -> tuple[Run, ...]:
    return stated(side.program.lineages.values(), side.policy.lineage, side.owners)


def test_which_files_a_run_read_is_read_back(landed: Project) -> None:
    ran(landed, "bronze.orders")
    (past,) = history(read_runs(read_store(landed.events).events), Dataset("iceberg://test", "bronze.orders"))
    names = {name: [it.name for it in read.files] for name, read in past.files.items()}
    assert names == {"landing/orders/*.csv": ["landing/orders/1.csv", "landing/orders/2.csv"]}
    assert history_text([past], ()).splitlines()[0].endswith("Files read")
    assert "2: landing/orders/1.csv, landing/orders/2.csv" in history_text([past], ())
    assert history_dict([past], ())[0]["files"] == {
        "landing/orders/*.csv": {"count": 2, "names": ["landing/orders/1.csv", "landing/orders/2.csv"]}
    }


def test_a_declared_column_is_known_before_anything_read_it(landed: Project) -> None:
    ran(landed, "bronze.orders")

    def meant(name: str) -> Field | Dataset:
        return asked(landed, name, None, None, None).part(start_of)[0]

    assert meant("landing/payments.txt#detail.cents") == Field(Dataset("file", "landing/payments.txt#detail"), "cents")
    assert meant("landing/payments.txt") == Dataset("file", "landing/payments.txt")
    with pytest.raises(UnknownField, match=r"did you mean landing/payments\.txt#detail\.cents"):
        meant("landing/payments.txt#detail.cent")
