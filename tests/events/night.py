"""Facts of one run of ``marketing.audience``, and its events as they were written."""

import json
from datetime import UTC, datetime
from typing import Any

from governance.dataset import Dataset
from governance.events.run import Catalog, Column, Input, Output
from governance.events.store import EventStore
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation

NIGHT = datetime(2026, 10, 1, 2, tzinfo=UTC)
DAGSTER_RUN = "6f1f3a52-6c7e-4c43-8a51-0d1b7c6a2f10"

LINEAGE = ColumnLineage(
    output="marketing.audience",
    fields=(
        OutputField("email", (InputField("crm.learners", "email", Transformation.IDENTITY),)),
        OutputField(
            "address",
            (
                InputField("crm.learners", "country", Transformation.TRANSFORMATION),
                InputField("crm.learners", "country", Transformation.CONDITIONAL),
                InputField("crm.learners", "city", Transformation.TRANSFORMATION, masking=True),
            ),
        ),
        OutputField("made_at", ()),
    ),
    dataset=(InputField("crm.learners", "marketing_consent", Transformation.FILTER),),
    inputs=("crm.learners", "learning.courses"),
)

READ = Input("crm.learners", snapshot_id=11, rows=5000, bytes=123456, files=1)

WRITTEN = Output(
    name="marketing.audience",
    schema=(
        Column("email", "string", "Where to write to.", "personal"),
        Column("address", "struct", fields=(Column("city", "string", classification="personal"),)),
        Column("made_at", "timestamptz"),
    ),
    lineage=LINEAGE,
    snapshot_id=42,
    rows=3712,
    bytes=90000,
    files=1,
    lifecycle="OVERWRITE",
    owner="team:marketing",
    description="The learners marketing may email.",
    tags=(("domain", "marketing"),),
    catalog=Catalog("sql", "default"),
    symlinks=(Dataset("s3://warehouse", "marketing/audience"),),
)


def written(store: EventStore) -> list[dict[str, Any]]:
    """The store's events as plain JSON."""
    return [json.loads(line) for file in store.files() for line in file.read_text().splitlines()]
