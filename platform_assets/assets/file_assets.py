"""Declared datasets of files → external assets: what is known of a file before anything reads it."""

import re
from collections.abc import Iterator

from dagster import AssetSpec, MetadataValue

from governance.landing.described import description_of
from governance.landing.model import FileSource, Format
from governance.page.address import page_address
from governance.policy import Policy, TablePolicy
from governance.sources import Source
from platform_assets.assets.metadata import Metadata, asset_key, column_schema

KINDS = {Format.CSV: "csv", Format.JSON: "json", Format.PARQUET: "parquet", Format.XML: "xml", Format.FIXED: "text"}
"""What Dagster shows a format as."""


def file_asset(policy: Policy, source: Source, files: FileSource) -> AssetSpec:
    """Return the external asset of one dataset of ``files``, which ``source`` is: the file, or a kind of record."""
    said = policy.tables.get(source.table, TablePolicy())
    return AssetSpec(
        asset_key(source.table),
        description=said.description or description_of(source),
        group_name=re.sub(r"\W", "_", files.location.name),
        kinds={"file", KINDS[files.format]},
        owners=[said.owner] if said.owner else [],
        metadata=_metadata(policy, source, files),
    )


def _metadata(policy: Policy, source: Source, files: FileSource) -> Metadata:
    known: Metadata = {
        "dagster/storage_kind": KINDS[files.format],
        "dagster/column_schema": column_schema(policy, source.table, source.columns),
        "namespace": files.location.namespace,
        "format": files.format.value,
        "lineage page": MetadataValue.url(page_address(policy, source.table)),
    }
    reading = ", ".join(_reading(files))
    return known | ({"read with": reading} if reading else {})


def _reading(files: FileSource) -> Iterator[str]:
    yield from (f"{name} = {value!r}" for name, value in sorted(files.options.items()))
    if files.rows:
        yield f"rows = {files.rows!r}"
    if files.max_rejects is not None:
        yield f"max_rejects = {files.max_rejects}"
