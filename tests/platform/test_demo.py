"""The demo platform's sources: the figures that are promised, the same rows every time, and only what is declared."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from governance.errors import CatalogError
from governance.policy import Policy, Source, load_policy, load_sources
from governance.project import project_at
from platform_assets.engines.engine import Engine, Query
from platform_assets.iceberg.catalog import Catalog, columns, inventory, load, plan, schema_of
from platform_assets.tour.demo import generate, platform

HERE = project_at(Path(__file__).parents[2])
SOURCES = load_sources(HERE)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return load_policy(HERE)


def test_scale_one_has_the_promised_rows() -> None:
    made = platform()
    assert len(made) == 8
    assert len(made["crm.learners"]["learner_id"]) == 5_000
    assert len(made["learning.reviews"]["review_id"]) == 3_000
    assert pc.count_distinct(made["crm.learners"]["email"]).as_py() == 5_000


def test_the_rows_are_the_same_every_time_and_more_with_scale() -> None:
    assert platform(0.1) == platform(0.1)
    assert len(platform(0.1)["learning.reviews"]["body"]) == 300
    assert all(
        len(next(iter(table.values()))) > 0 for name, table in platform(0.02).items() if name != "billing.refunds"
    )


def test_rows_hang_together_and_end_before_october_2026() -> None:
    made = platform(0.2)
    latest = datetime(2026, 10, 1, tzinfo=UTC).replace(tzinfo=None)
    for name, table in made.items():
        assert len({len(column) for column in table.values()}) == 1, name
        for column in table.values():
            if pa.types.is_timestamp(column.type) and len(column):
                assert pc.max(column).as_py() < latest
    for table, key in (("learning.events", "learner_id"), ("learning.enrollments", "learner_id")):
        assert pc.max(made[table][key]).as_py() <= len(made["crm.learners"]["learner_id"])
    enrolled = made["learning.enrollments"]
    assert enrolled["completed_at"].null_count > 0
    assert pc.all(pc.greater(enrolled["completed_at"], enrolled["enrolled_at"])).as_py()
    assert {*made["billing.payments"]["status"].to_pylist()} == {"succeeded", "failed", "refunded"}


def test_some_reviews_hold_a_name_or_an_address() -> None:
    bodies = platform()["learning.reviews"]["body"].to_pylist()
    mailed = sum("@example.com" in body for body in bodies)
    named = sum("Regards, " in body for body in bodies)
    assert 60 < mailed < 200
    assert 90 < named < 250


def test_the_declared_tables_are_written_as_declared_and_again(
    catalog: Catalog, engine: Engine, policy: Policy
) -> None:
    for _ in range(2):
        commits = generate(catalog, engine, SOURCES, policy, 0.02)
    assert inventory(catalog) == {source.table for source in SOURCES} == {commit.table for commit in commits}
    for source in SOURCES:
        declared = {field.name: field.type for field in engine.schema(source.columns)}
        stored = {
            field.name: field.type for field in engine.schema(tuple(schema_of(load(catalog, source.table)).items()))
        }
        assert stored == declared
    learners = {column.name: column.doc for column in columns(load(catalog, "crm.learners"))}
    assert learners["email"] == policy.column("crm.learners", "email").description
    learners = {"crm.learners": plan("crm.learners", load(catalog, "crm.learners")).relation}
    query = Query("select count(*) n from crm.learners", "")
    with engine.open(query, learners) as result, result.batches() as reader:
        assert reader.read_all().to_pylist() == [{"n": 100}]


def test_a_declared_column_that_the_demo_lacks_is_named(catalog: Catalog, engine: Engine, policy: Policy) -> None:
    wrong = Source("crm.learners", (("learner_id", "bigint"), ("shoe_size", "bigint")))
    with pytest.raises(CatalogError, match=r"crm\.learners\.shoe_size"):
        generate(catalog, engine, (wrong,), policy)


def test_a_source_of_the_users_own_is_left_alone(catalog: Catalog, engine: Engine, policy: Policy) -> None:
    own = Source("erp.orders", (("order_id", "bigint"),))
    assert generate(catalog, engine, (own,), policy) == ()
