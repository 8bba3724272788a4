"""A backfill as the UI starts one: the daemon plans it, and a run of its own makes the days, all in one commit."""

import pytest

from platform_assets.assets.instance import dagster_home
from platform_assets.iceberg.catalog import open_catalog
from tests.dagster.dev import dagster_dev
from tests.dagster.shop import HANG, make_shop, until

DAYS = """
    -- description: Orders by the day they were made up for.
    -- owner: team:mart
    -- partition by: day(ordered_at)
    -- partitions: daily from 2026-01-01
    create table mart.days as
    select o.order_id, timestamp '2026-01-01' + to_days((o.order_id % 5)::integer) as ordered_at from shop.orders o
"""
LAUNCH = """
mutation ($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
STATUS = "query ($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"


@pytest.mark.prove
@pytest.mark.timeout(600)
def test_the_daemon_makes_the_days_that_were_asked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    shop = make_shop(tmp_path_factory.mktemp("backfill") / "shop")
    shop.pipeline("mart.days", DAYS)
    wanted = ["2026-01-02", "2026-01-03", "2026-01-05"]
    params = {"assetSelection": [{"path": ["mart", "days"]}], "partitionNames": wanted}
    with dagster_dev(shop, dagster_home(shop.project)) as dev:
        said = dev.ask(LAUNCH, params=params)["launchPartitionBackfill"]
        assert said["__typename"] == "LaunchBackfillSuccess", said

        def status() -> str:
            return str(dev.ask(STATUS, id=said["backfillId"])["partitionBackfillOrError"]["status"])

        until(lambda: status().startswith(("COMPLETED", "FAILED", "CANCELED")), HANG)
        assert status() == "COMPLETED_SUCCESS"
    with open_catalog(shop.project) as catalog:
        days = catalog.load_table("mart.days").scan().to_arrow()["ordered_at"].to_pylist()
    assert {f"{it:%Y-%m-%d}" for it in days} == set(wanted)
    # what lies between is not made: a run for each row of neighbours
    assert shop.told("mart.days") == ["START", "COMPLETE"] * 2
