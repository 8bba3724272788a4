"""Datasets of files in events: what is said of them that is not said of a table.

The files that a name stood for are told in a custom input facet, ``headwater_files``, as OpenLineage allows one::

    {"fileCount": 2,
     "files": [{"name": "landing/orders/01.csv", "size": 120, "lastModified": "2026-10-01T02:00:00+00:00"}, …]}

``files`` are those that the run read, by name, at most :data:`LARGEST` of them; ``fileCount`` counts all; ``size`` is
in bytes. A file of several kinds of record is told once, on its base dataset.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from openlineage.client.facet_v2 import DatasetFacet, InputDatasetFacet, dataset_type_dataset, storage_dataset

KEY = "headwater_files"

LARGEST = 1_000
"""How many files are named in one event."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as a run read it: its name as it may be shown, its bytes, when it was last changed (aware)."""

    name: str
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Landed:
    """A dataset of files as a run read it.

    format: as ``storage`` says it: ``csv``
    layer:  what the files lie on, as ``storage`` says it: ``file``, ``s3``
    files:  those read; None where another dataset tells them, or nothing has run
    """

    format: str
    layer: str = "file"
    files: tuple[ReadFile, ...] | None = None


def dataset_facets(landed: Landed | None) -> dict[str, DatasetFacet]:
    """Return what tells a dataset of files from a table, for which there is nothing."""
    if landed is None:
        return {}
    return {
        "datasetType": dataset_type_dataset.DatasetTypeDatasetFacet("FILE"),
        "storage": storage_dataset.StorageDatasetFacet(landed.layer, landed.format),
    }


def input_facets(landed: Landed | None) -> dict[str, InputDatasetFacet]:
    """Return the facet of the files that were read, nothing where they are not told here."""
    if landed is None or landed.files is None:
        return {}
    named = sorted(landed.files, key=lambda it: it.name)[:LARGEST]
    told = {"fileCount": len(landed.files), "files": [_told(it) for it in named]}
    return {KEY: cast("InputDatasetFacet", InputDatasetFacet().with_additional_properties(**told))}


def _told(it: ReadFile) -> dict[str, Any]:
    return {"name": it.name, "size": it.size, "lastModified": it.modified.astimezone(UTC).isoformat()}
