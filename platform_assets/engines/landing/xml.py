"""XML by the Parquet files that it was made into: texts of columns, which are converted in SQL."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from governance.landing.model import Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing.document import SECTIONS, sections_of
from platform_assets.engines.landing.json import FIELDS
from platform_assets.engines.landing.name import FILE, LINE, TEXT, reading
from platform_assets.engines.landing.text import Kind, Rows
from platform_assets.engines.landing.value import Fault, Formats, value_of
from platform_assets.engines.sql import literal

COLUMN, REASON, PART = "__column", "__reason", "__part"

SCHEMA = pa.schema([(LINE, pa.int64()), (FIELDS, pa.list_(pa.string())), (COLUMN, pa.string()), (REASON, pa.string())])
"""Of a row: its line, the texts of its columns, and what is wrong with it before they are converted."""


NOTHING = {
    **dict.fromkeys((FILE, TEXT, COLUMN, REASON), "varchar"),
    **dict.fromkeys((FIELDS, SECTIONS), "varchar[]"),
    LINE: "bigint",
}
"""The columns of no row, with their types."""


def rows_of(_: str, landing: Landing, options: Mapping[str, Option]) -> Rows:
    """Return the rows of XML files.

    Raises:
        AssertionError: they were not made into Parquet before.
    """
    if len(landing.parts) != len(landing.paths):
        raise AssertionError(f"{landing.source.name} is XML: engines.xml.readable comes first")
    columns = landing.source.columns
    members = ", ".join(f"{literal(it.name)}, {FIELDS}[{number}]" for number, it in enumerate(columns, 1))
    row = f"json_object({members})::varchar as {TEXT}"
    values = tuple(value_of(it, f"{FIELDS}[{number}]", Formats()) for number, it in enumerate(columns, 1))
    document, faults = sections_of(landing.source, options)
    # which column it is about is known only there
    fault = Fault(None, f"{REASON} is not null", f"{COLUMN} || ': ' || {REASON}")

    by_path = dict(zip(landing.paths, landing.parts, strict=True))

    def items(paths: Sequence[str]) -> str:
        if not paths:
            none = ", ".join(f"null::{kind} as {name}" for name, kind in NOTHING.items())
            return f"(select {none} where false)"
        parts = [by_path[path] for path in paths]
        read = reading("read_parquet", [it.path for it in parts], f", filename = {literal(PART)}", {PART: "varchar"})
        files = ", ".join(
            f"({literal(part.path)}, {literal(path)}, {_texts(part.sections)})"
            for path, part in zip(paths, parts, strict=True)
        )
        of = f"(values {files}) as files({PART}, {FILE}, {SECTIONS})"
        return f"(select * exclude ({PART}), {row} from {read} join {of} using ({PART}))"

    return Rows(
        items(landing.paths), lambda path: items([path]), (Kind("", "true", values, (fault, *faults), document),)
    )


def _texts(texts: Sequence[str | None]) -> str:
    return f"[{', '.join('null' if it is None else literal(it) for it in texts)}]::varchar[]"
