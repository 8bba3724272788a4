"""What a name means beside what standing runs name: what only the catalog has, and what a producer says is another."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.graph.known import start_of
from governance.graph.part import downstream, upstream
from governance.identity import SchemaVersion
from governance.impact import impact
from governance.impact.model import NONE_FOUND
from governance.stored import Stored, read_stored
from governance.trace import trace

TABLE = Dataset("iceberg://platform", "billing.refunds")
TICKETS = Dataset("iceberg://platform", "support.tickets")
MADE = datetime(2026, 10, 5, tzinfo=UTC)
SCHEMAS = {TABLE: (SchemaVersion(MADE, None, {1: "amount", 2: "payer", 3: "payer.name"}),)}
PATH = {"namespace": "s3://lake", "name": "bronze/orders"}
LINK = {"symlinks": {"identifiers": [{"namespace": "hive://m", "name": "sales.orders", "type": "TABLE"}]}}


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-10-01T02:00:00Z",
        "run": {"runId": "r"},
        "job": {"namespace": "j", "name": "load"},
        "outputs": [PATH | {"facets": LINK | {"columnLineage": {"fields": {"email": {"inputFields": []}}}}}],
    }
    file = tmp_path / "events.ndjson"
    file.write_text(json.dumps(event))
    return read_stored(file, {}, SCHEMAS, {TABLE: ("amount", "payer", "payer.name"), TICKETS: ("body",)})


@pytest.mark.parametrize(
    "name", ["billing.refunds", "billing.refunds.amount", "Billing.Refunds.payer.name", "support.tickets.body"]
)
def test_what_the_catalog_has_and_no_run_reads_has_no_consumers(stored: Stored, name: str) -> None:
    found = impact(*downstream(stored.known(), name))

    assert (found.statement, found.downstream) == (NONE_FOUND, ())
    assert {step.word for step in trace(*upstream(stored.known(), name)).steps} <= {"source", "rows"}


def test_a_table_of_the_catalog_has_its_columns_and_not_their_members(stored: Stored) -> None:
    start, columns = start_of(stored.known(), "billing.refunds")

    assert start == TABLE
    assert columns == (Field(TABLE, "amount"), Field(TABLE, "payer"))


def test_a_table_was_not_there_before_the_catalog_had_it(stored: Stored) -> None:
    with pytest.raises(UnknownField):
        start_of(stored.known(datetime(2026, 10, 2, tzinfo=UTC)), "billing.refunds")


@pytest.mark.parametrize("name", ["bronze/orders", "s3://lake/bronze/orders", "sales.orders", "BRONZE/orders"])
def test_a_dataset_is_found_by_each_name_that_producers_say_it_has(stored: Stored, name: str) -> None:
    table = Dataset("hive://m", "sales.orders")

    assert start_of(stored.known(), name)[0] == table
    assert start_of(stored.known(), f"{name}.email")[0] == Field(table, "email")
    with pytest.raises(UnknownField, match="emial"):
        start_of(stored.known(), f"{name}.emial")
