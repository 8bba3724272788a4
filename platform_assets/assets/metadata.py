"""What is known of a table → Dagster metadata, for the machine and, as Markdown tables, for people.

Dagster's open-source UI keeps `dagster/column_lineage` to itself and knows no transformation types, so every input is
shown again as a table, with a link to the asset that it comes from.
"""

import re
import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from urllib.parse import quote

from dagster import (
    AssetKey,
    BetaWarning,
    CodeReferencesMetadataValue,
    LocalFileCodeReference,
    MetadataValue,
    TableColumn,
    TableColumnDep,
    TableColumnLineage,
    TableSchema,
)

from governance.events.redact import redact_sql, redact_stretches
from governance.lineage.model import ColumnLineage, InputField
from governance.page.address import asset_path, page_address
from governance.pipeline import Pipeline
from governance.policy import ColumnPolicy, Policy
from governance.project import Project
from governance.report.picture import lineage_picture
from governance.report.svg import markdown_image
from governance.report.table import markdown
from governance.statement.model import Statement

ROWS_WRITTEN, FILES_READ = "rows written", "files read"
REJECTED, KEPT_IN = "rows rejected", "rejected rows are kept in"
"""Metadata of a run: what it wrote, of how many files; where rows of those did not fit, how many, and what has them."""

ROWS_SHOWN = 300
"""Rows of a table in Dagster; the event has all of them."""

UNDECLARED = ColumnPolicy()
"""What nobody declared of a column."""

Metadata = dict[str, MetadataValue | TableColumnLineage | str | int | float]


def asset_key(table: str) -> AssetKey:
    """Return the key of the asset that a table or a dataset of files is: its parts."""
    return AssetKey(asset_path(table))


def table_metadata(policy: Policy, table: str, columns: Mapping[str, str]) -> Metadata:
    """Return what is known of a table before it runs: its name, and its columns with descriptions and classes."""
    namespace = policy.lineage.namespace.rstrip("/")
    known: Metadata = {
        "dagster/table_name": table,
        "dagster/uri": f"{namespace}/{table}",
        "dagster/storage_kind": "iceberg",
        "lineage page": MetadataValue.url(page_address(policy, table)),
    }
    return known | ({"dagster/column_schema": column_schema(policy, table, columns.items())} if columns else {})


def pipeline_metadata(
    project: Project, pipeline: Pipeline, secrets: tuple[str, ...], statement: Statement | None = None
) -> Metadata:
    """Return where a pipeline's text stands and the text itself, as it may be shown: without the ``secrets``.

    ``statement`` is what was read of it, if it can be read: then its text is not read again.
    """
    title = f"SQL, rendered from {pipeline.file}" if pipeline.template else "SQL"
    known: Metadata = {title: MetadataValue.md(fenced(_shown(pipeline.sql, secrets, statement), "sql"))}
    if pipeline.grain:
        known["grain"] = ", ".join(pipeline.grain)
    path = project.root / pipeline.file
    if path.is_file():
        with warnings.catch_warnings():
            # code references are Dagster's beta since 1.8, and losing them would lose a link and nothing else
            warnings.simplefilter("ignore", BetaWarning)
            here = LocalFileCodeReference(file_path=str(path), line_number=1, label=pipeline.file)
            known["dagster/code_references"] = CodeReferencesMetadataValue(code_references=[here])
    return known


def _shown(sql: str, secrets: tuple[str, ...], statement: Statement | None) -> str:
    guarded = statement.guarded if statement else None
    return redact_sql(sql, secrets) if guarded is None else redact_stretches(sql, guarded, secrets)


def column_lineage(lineage: ColumnLineage, assets: Collection[str]) -> TableColumnLineage:
    """Return Dagster's column lineage: the DIRECT inputs that come from an asset, once each."""
    return TableColumnLineage(
        {
            out.name: [
                TableColumnDep(asset_key=asset_key(dataset), column_name=name)
                for dataset, name in sorted(
                    {(i.dataset, i.field) for i in out.inputs if i.transformation.direct and i.dataset in assets}
                )
            ]
            for out in lineage.fields
        }
    )


def lineage_image(policy: Policy, lineage: ColumnLineage) -> str:
    """Return the picture of ``lineage`` as Markdown, with the classes that people declared and the link to the page."""
    drawn = lineage_picture(lineage, lambda table, column: policy.column(table, column).classification)
    table = lineage.output or ""
    return f"{markdown_image(drawn, f'Column lineage of {table}')}\n\n[full view]({page_address(policy, table)})"


def field_table(lineage: ColumnLineage, assets: Collection[str]) -> str:
    """Return every column with all of its inputs, DIRECT and INDIRECT, as a Markdown table."""
    rows = (
        (markdown(out.name), *_input(used, assets)) for out in lineage.fields for used in _sorted(out.inputs) or (None,)
    )
    return markdown_table(("column", "how", "input"), rows)


def row_table(lineage: ColumnLineage, assets: Collection[str]) -> str:
    """Return the inputs that decide which rows there are, and the tables read for no column, as Markdown."""
    shown = markdown_table(("how", "input"), (_input(used, assets) for used in _sorted(lineage.dataset)))
    used = {i.dataset for out in lineage.fields for i in out.inputs} | {i.dataset for i in lineage.dataset}
    others = ", ".join(_linked(name, name, assets) for name in sorted(set(lineage.inputs) - used))
    return f"{shown}\n\nRead too, for how many rows there are: {others}" if others else shown


def fenced(text: str, language: str) -> str:
    """Return ``text`` as a Markdown code block that nothing in it can end."""
    longest = max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def column_schema(policy: Policy, table: str, columns: Iterable[tuple[str, str]]) -> MetadataValue:
    """Return (name, SQL type) columns with the descriptions and classes that people declared."""
    declared = policy.tables[table].columns if table in policy.tables else {}
    said = ((name, kind, declared.get(name, UNDECLARED)) for name, kind in columns)
    return MetadataValue.table_schema(
        TableSchema([_table_column(name, kind, it.description, it.classification) for name, kind, it in said])
    )


@lru_cache(maxsize=65_536)
def _table_column(name: str, kind: str, description: str | None, classification: str | None) -> TableColumn:
    # many tables have a column of that name and type, and Dagster checks each that is made
    tags = {"classification": classification} if classification else {}
    return TableColumn(name, kind, description=description, tags=tags)


def _sorted(inputs: Iterable[InputField]) -> tuple[InputField, ...]:
    """DIRECT before INDIRECT, then by name."""
    return tuple(sorted(inputs, key=lambda i: (i.transformation.value, i.dataset, i.field)))


def _input(used: InputField | None, assets: Collection[str]) -> tuple[str, str]:
    if used is None:
        return "from no column", ""
    transformation = used.transformation
    # the cell of the UI is narrow: type, subtype and masking share a column, and the longest text stands last
    how = f"{transformation.type} {transformation.subtype}{', masked' if used.masking else ''}"
    return markdown(how), _linked(used.dataset, f"{used.dataset}.{used.field}", assets)


def _linked(table: str, text: str, assets: Collection[str]) -> str:
    if table not in assets:
        return markdown(text)
    path = "/".join(quote(part, safe="") for part in asset_path(table))
    return f"[{markdown(text)}](/assets/{path})"


def markdown_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows of Markdown as a table, and how many it leaves out past ``ROWS_SHOWN``."""
    remaining = iter(rows)
    shown = list(islice(remaining, ROWS_SHOWN))
    lines = [head, ("---",) * len(head), *shown]
    left = sum(1 for _ in remaining)
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines) if shown else "none"
    return f"{table}\n\nand {left} more, which the COMPLETE event has" if left else table
