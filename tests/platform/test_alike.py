"""An asset that is made quickly is the asset that Dagster's decorator makes: spec by spec, op by op."""

from typing import Any

import dagster as dg
import pytest
from dagster_duckdb import DuckDBResource

from governance.project import Project
from platform_assets.assets.alike import Alike
from platform_assets.assets.factory import build_assets, duckdb_resource
from platform_assets.assets.metadata import asset_key
from platform_assets.loaded import load

FORMS = {
    "reads two tables, runs when they change": "mart.buyers",
    "has a schedule of its own": "mart.days",
    "reads nothing": "mart.nothing",
    "has partitions": "mart.daily",
    "has partitions and reads one that has them": "mart.daily_copy",
    "cannot be read": "mart.unreadable",
    "reads a table that nothing here knows": "mart.foreign",
}
TEXTS = {
    "nothing": "create table mart.nothing as select 1 as one",
    "daily": "-- partitions: daily from 2026-01-01\n-- partition by: day(at)\ncreate table mart.daily as "
    "select id, at from shop.orders",
    "daily_copy": "-- partitions: daily from 2026-01-01\n-- partition by: day(at)\ncreate table mart.daily_copy as "
    "select id, at from mart.daily",
    "unreadable": "create table mart.unreadable as select no_such from shop.orders",
    "foreign": "create table mart.foreign as select f.x from elsewhere.facts f",
}


@pytest.fixture
def forms(shop: Project) -> Project:
    for name, text in TEXTS.items():
        (shop.pipelines[0] / "mart" / f"{name}.sql").write_text(text, "utf-8")
    return shop


def quick(project: Project) -> dict[dg.AssetKey, dg.AssetsDefinition]:
    return {it.key: it for it in build_assets(load(project)) if isinstance(it, dg.AssetsDefinition)}


def decorated(spec: dg.AssetSpec, policy: dg.BackfillPolicy | None) -> dg.AssetsDefinition:
    """Return the asset of ``spec`` as the decorator makes it, step and all."""
    mappings = {dep.asset_key: dep.partition_mapping for dep in spec.deps}

    @dg.asset(
        key=spec.key,
        ins={
            f"input_{place}": dg.AssetIn(key, dagster_type=dg.Nothing, partition_mapping=mapping)
            for place, (key, mapping) in enumerate(mappings.items())
        },
        description=spec.description,
        group_name=spec.group_name,
        kinds=spec.kinds,
        owners=spec.owners,
        tags={name: value for name, value in spec.tags.items() if not name.startswith("dagster/kind/")},
        metadata=spec.metadata,
        code_version=spec.code_version,
        automation_condition=spec.automation_condition,
        freshness_policy=spec.freshness_policy,
        partitions_def=spec.partitions_def,
        backfill_policy=policy,
    )
    def run(context: dg.AssetExecutionContext, duckdb: DuckDBResource) -> dg.MaterializeResult[None]:
        raise NotImplementedError

    return run


def of_op(op: dg.OpDefinition) -> dict[str, Any]:
    return {
        "name": op.name,
        "ins": op.ins,
        "outs": op.outs,
        "description": op.description,
        "tags": op.tags,
        "resources": op.required_resource_keys,
        "config": op.config_schema.as_field().config_type.key,
        "retry": op.retry_policy,
        "positional": op.positional_inputs,
        "pool": op.pool,
    }


def of_asset(asset: dg.AssetsDefinition) -> dict[str, Any]:
    """Return all that Dagster knows of an asset but the function that it runs."""
    said = asset.get_attributes_dict()
    return {**said, "specs": list(said["specs"]), "node_def": of_op(asset.op)}


@pytest.mark.parametrize("table", FORMS.values(), ids=FORMS)
@pytest.mark.filterwarnings("ignore::dagster.BetaWarning")
def test_it_is_what_the_decorator_makes(forms: Project, table: str) -> None:
    found = quick(forms)[asset_key(table)]
    resources = {"duckdb": duckdb_resource(forms)}
    (expected,) = dg.with_resources([decorated(found.get_asset_spec(), found.backfill_policy)], resources)
    assert of_asset(found) == of_asset(expected)
    (given,) = dg.with_resources([found], resources)
    assert given is found


def test_the_forms_are_what_they_are_called(forms: Project) -> None:
    found = quick(forms)
    assert found.keys() == {asset_key(it) for it in FORMS.values()}
    specs = {table: found[asset_key(table)].get_asset_spec() for table in FORMS.values()}
    assert "cannot be read" in (specs["mart.unreadable"].description or "")
    assert specs["mart.daily"].partitions_def is not None
    (dep,) = specs["mart.daily_copy"].deps
    assert isinstance(dep.partition_mapping, dg.TimeWindowPartitionMapping)


def test_who_gives_other_resources_is_heard(shop: Project) -> None:
    buyers = quick(shop)[asset_key("mart.buyers")]
    other = DuckDBResource(database="other.duckdb")
    (given,) = dg.with_resources([buyers], {"duckdb": other})
    assert given.resource_defs["duckdb"] is other.get_resource_definition()
    assert given.get_asset_spec() == buyers.get_asset_spec()
    with pytest.raises(dg.DagsterInvalidDefinitionError, match="duckdb"):
        dg.with_resources([buyers], {})


def test_two_assets_of_one_function_know_which_they_are() -> None:
    ran = []

    @dg.asset
    def run(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        ran.append((context.asset_key, context.op_execution_context.op.name))
        return dg.MaterializeResult()

    alike = Alike(run, {})
    first, second = dg.AssetKey(["a", "first"]), dg.AssetKey(["a", "second"])
    assets = [alike.asset(dg.AssetSpec(first), None), alike.asset(dg.AssetSpec(second, deps=[first]), None)]
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize(assets, instance=instance).success
    assert ran == [(first, "a__first"), (second, "a__second")]
