"""What one run is known by → Dagster metadata."""

from collections.abc import Collection

from dagster import MetadataValue

from governance.policy import Policy
from governance.report.table import markdown
from platform_assets.assets.metadata import (
    FILES_READ,
    KEPT_IN,
    REJECTED,
    ROWS_WRITTEN,
    Metadata,
    column_lineage,
    field_table,
    lineage_image,
    markdown_table,
    row_table,
    table_metadata,
)
from platform_assets.runs.run import Arrived, Begun, Materialized

FILES_SHOWN = 20
"""Names of files of one dataset; the event has up to a thousand."""


def run_metadata(policy: Policy, run: Materialized, assets: Collection[str]) -> Metadata:
    """Return what one run is known by; ``assets`` are the tables that Dagster has a page for."""
    commit, lineage = run.done.commit, run.done.traced.lineage
    columns = [(column.name, column.type) for column in commit.columns]
    return (
        {
            **table_metadata(policy, commit.table, dict(columns)),
            "dagster/row_count": commit.total_rows,
            "dagster/size_bytes": commit.total_bytes,
            "dagster/column_lineage": column_lineage(lineage, assets),
            "column lineage": MetadataValue.md(lineage_image(policy, lineage)),
            "inputs of each column": MetadataValue.md(field_table(lineage, assets)),
            "inputs that shape every row": MetadataValue.md(row_table(lineage, assets)),
            ROWS_WRITTEN: commit.rows,
            "snapshot id": str(commit.snapshot_id),
            "OpenLineage run id": run.run_id,
            "seconds": round(run.timings.work, 3),
            "seconds for governance": round(run.timings.lineage + run.timings.events, 3),
        }
        | files_metadata(run.done.begun)
        | ({"warnings": MetadataValue.md("\n".join(f"- {markdown(w)}" for w in run.warnings))} if run.warnings else {})
    )


def files_metadata(begun: Begun) -> Metadata:
    """Return which files a run read, and how many of their rows it left out and where those are kept."""
    if not begun.arrived:
        return {}
    rows = [
        (markdown(it.source.name), str(len(it.files)), markdown(_names(it)), str(_rejected(it, begun)))
        for it in begun.arrived
    ]
    known: Metadata = {
        FILES_READ: sum(len(it.files) for it in begun.arrived),
        "files": MetadataValue.md(markdown_table(("dataset", "files", "names", "rows rejected"), rows)),
    }
    if begun.rejected and (total := sum(begun.rejected.rows.values())):
        known[REJECTED] = total
        known[KEPT_IN] = begun.rejected.commit.table if begun.rejected.commit else "nothing"
    return known


def _names(arrived: Arrived) -> str:
    names = ", ".join(it.shown for it in arrived.files[:FILES_SHOWN])
    left = len(arrived.files) - FILES_SHOWN
    return f"{names} and {left} more" if left > 0 else names


def _rejected(arrived: Arrived, begun: Begun) -> int:
    return begun.rejected.rows.get(arrived.source.name, 0) if begun.rejected else 0
