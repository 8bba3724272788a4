"""What ``sources.toml`` declares of files, as values.

A *location* is a folder or a prefix of an object store. Whatever lies under it is called by the location's name and the
path below it (``landing/orders.csv``), in SQL, in events and on the command line: never by a path of this machine. A
*file source* is one dataset: a file, or all files that a glob matches.

A file with several kinds of record is one base dataset, which keeps the discriminator, and one dataset a record type,
``landing/payments.txt#detail``. A document with sections around its rows has, beside its rows' columns, one field for
each value of a section, ``$doc.header.batch_date``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

RECORD_TYPE = "record_type"
"""The discriminator's column, on the base dataset of a file with several kinds of record."""

DOCUMENT = "$doc"
"""The column that holds a document's sections."""


class Format(Enum):
    """How a file is read."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    FIXED = "fixed"
    """Lines of columns at fixed places."""
    XML = "xml"


@dataclass(frozen=True, slots=True)
class Location:
    """Where files land.

    name:      what its datasets' names begin with
    at:        a folder, relative to the project's root or absolute, or a URL such as ``s3://bucket/prefix``
    namespace: the OpenLineage namespace of its datasets
    """

    name: str
    at: str
    namespace: str = "file"


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of a file.

    type:   as ``governance.sql_type`` writes it
    place:  its first and last character, 1-based, in a file of fixed places; None elsewhere
    format: how dates and times are written, in DuckDB's strptime words; empty: as ISO 8601
    path:   where a document has it, a dotted path; XML's attributes are ``@name``. Of a row's column it begins at the
            row, and is its name where empty. Of a section's it begins at the document's root, and is never empty
    """

    name: str
    type: str
    place: tuple[int, int] | None = None
    format: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One kind of record in a file of several.

    ``value`` is what the discriminator says for it, compared without the blanks at its ends.
    ``parent`` and ``join_key`` name the kind of record that it belongs to, and the column that both have.
    """

    id: str
    value: str
    columns: tuple[FileColumn, ...]
    parent: str | None = None
    join_key: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document beside its rows, such as its header: each of its values is one for the whole document."""

    name: str
    columns: tuple[FileColumn, ...]


Option = str | int | bool | tuple[str, ...]
"""The value of an option of DuckDB's reading functions; several texts are a list there."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files as one dataset.

    name:        what SQL calls it: location and path below it, with its glob. ``*``, ``?`` and ``[…]`` stand for parts
                 of a name, ``**`` for folders
    location:    where it lies
    format:      how it is read
    columns:     what its rows have; of a file with several kinds of record none, those are in ``records``
    options:     of DuckDB's function for the format, each by the one name of ``governance.landing.options``; a CSV's
                 header is always among them
    record_type: where the discriminator stands: characters of a line (first, last), or the first field of a delimited
                 one, which is (1, 1); None where there is one kind of record only
    records:     the kinds of record, in declared order
    rows:        where a document has its rows, a dotted path; empty: the document is them
    sections:    the parts of a document beside its rows
    filename:    the column that says which file a row comes from (``landing/orders/01.csv``), after the others; a file
                 with several kinds of record has it on its base dataset. None where no column does
    max_rejects: how many rows may be rejected before a run fails; None: any number, short of a whole file
    """

    name: str
    location: Location
    format: Format
    columns: tuple[FileColumn, ...] = ()
    options: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    record_type: tuple[int, int] | None = None
    records: tuple[Record, ...] = ()
    rows: str = ""
    sections: tuple[Section, ...] = ()
    filename: str | None = None
    max_rejects: int | None = None
