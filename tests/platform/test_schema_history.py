"""Field ids of real Iceberg tables."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import StringType

from governance.identity import followed
from platform_assets.schema_history import schema_history, schema_versions


@pytest.fixture
def table(tmp_path: Path) -> Table:
    catalog = SqlCatalog("test", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=tmp_path.as_uri())
    catalog.create_namespace("crm")
    rows = pa.table({"id": [1], "mail": ["a@example.com"]})
    made = catalog.create_table("crm.learners", rows.schema)
    made.append(rows)
    return made


def test_rename_drop_and_add_again_are_told_apart(table: Table) -> None:
    assert schema_history({"crm.learners": table}) == {}
    with table.update_schema() as change:
        change.rename_column("mail", "contact")
    renamed = schema_versions(table)
    with table.update_schema() as change:
        change.delete_column("contact")
    table.append(pa.table({"id": [2]}))
    with table.update_schema() as change:
        change.add_column("mail", StringType())

    again = schema_history({"crm.learners": table})["crm.learners"]

    assert [dict(it.names) for it in renamed] == [{1: "id", 2: "mail"}, {1: "id", 2: "contact"}]
    assert followed(renamed, 0, "mail") == "contact"
    assert [dict(it.names) for it in again] == [{1: "id", 2: "mail"}, {1: "id"}, {1: "id", 3: "mail"}]
    assert followed(again, 0, "mail") == "mail#2"
    assert followed(again, 2, "mail") == "mail"
    assert [it.snapshot for it in again] == [*(str(it.snapshot_id) for it in table.snapshots()), None]
