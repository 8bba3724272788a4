"""Field ids of real Iceberg tables."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import StringType

from governance.identity import followed
from platform_assets.iceberg.schema_history import schema_versions, versions_of

MADE = {1: "id", 2: "mail"}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    catalog = SqlCatalog("test", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=tmp_path.as_uri())
    catalog.create_namespace("crm")
    rows = pa.table({"id": [1], "mail": ["a@example.com"]})
    made = catalog.create_table("crm.learners", rows.schema)
    made.append(rows)
    return made


def test_rename_drop_and_add_again_are_told_apart(table: Table) -> None:
    assert versions_of(table) == ()
    with table.update_schema() as change:
        change.rename_column("mail", "contact")
    renamed = schema_versions(table)
    with table.update_schema() as change:
        change.delete_column("contact")
    table.append(pa.table({"id": [2]}))
    with table.update_schema() as change:
        change.add_column("mail", StringType())

    again = versions_of(table)

    # each change has a version of its own, whether or not a snapshot was made with it
    assert [dict(it.names) for it in renamed] == [MADE, MADE, {1: "id", 2: "contact"}]
    assert followed(renamed, 0, "mail") == "contact"
    assert [dict(it.names) for it in again] == [
        MADE,
        MADE,
        {1: "id", 2: "contact"},
        {1: "id"},
        {1: "id"},
        {1: "id", 3: "mail"},
    ]
    assert followed(again, 0, "mail") == "contact#2"
    assert followed(again, 5, "mail") == "mail"
    first, second = (str(it.snapshot_id) for it in table.snapshots())
    assert [it.snapshot for it in again] == [None, first, None, None, second, None]


def test_a_change_without_a_snapshot_is_dated_by_its_own_metadata_file(table: Table) -> None:
    with table.update_schema() as change:
        change.rename_column("mail", "contact")
    changed = table.metadata.last_updated_ms
    with table.transaction() as later:
        later.set_properties(note="touched")
    assert table.metadata.last_updated_ms > changed

    *_, now = schema_versions(table)

    assert now.at.timestamp() == changed / 1000


def test_a_metadata_file_that_is_gone_leaves_the_other_versions(table: Table) -> None:
    with table.update_schema() as change:
        change.rename_column("mail", "contact")
    with table.update_schema() as change:
        change.add_column("mail", StringType())
    for entry in table.metadata.metadata_log:
        Path(entry.metadata_file.removeprefix("file://")).unlink()

    assert [dict(it.names) for it in schema_versions(table)] == [MADE, {1: "id", 2: "contact", 3: "mail"}]
