"""Declared datasets of files as external assets of Dagster."""

from dataclasses import replace

import dagster as dg
import pytest

from governance.block import Block, BlockKind
from governance.load import load_pipelines
from governance.project import Project
from platform_assets.factory import build_assets, duckdb_resource, load
from platform_assets.metadata import asset_key
from tests.platform.conftest import LINEAGE, write

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
