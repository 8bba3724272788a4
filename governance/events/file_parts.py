"""What events say of datasets of files, as it is read: what they are kept as, and which files a run read.

``governance.events.file_facets`` writes it.
"""

import msgspec


class DatasetTypePart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The datasetType facet: ``TABLE``, ``FILE`` and the like."""

    dataset_type: str


class StoragePart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The storage facet."""

    storage_layer: str | None = None
    file_format: str | None = None


class ReadFilePart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A file that a run read: its name as it may be shown, its bytes."""

    name: str
    size: int | None = None


class ReadFilesPart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The files that a dataset stood for in one run: how many, and some or all of them."""

    file_count: int = 0
    files: tuple[ReadFilePart, ...] = ()


class InputFacetsPart(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """The input facets that Headwater reads."""

    files: ReadFilesPart | None = msgspec.field(default=None, name="headwater_files")
