"""Lines of text, by DuckDB's reader of CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from governance.landing.model import Option
from platform_assets.engines.landing import option
from platform_assets.engines.landing.name import FILE, LINE, TEXT, kept_rejects, reading
from platform_assets.engines.landing.whole import in_one_piece
from platform_assets.engines.sql import literal

NO_DELIMITER = "\x01\x02\x03\x04"
"""Characters that no text has one after the other: DuckDB's CSV reader reads lines where nothing parts them."""

LINE_SIZE = 16_777_216
"""Bytes of the longest line of JSON, as DuckDB's own reader has it."""

READER = ("encoding", "compression", "max_line_size", "buffer_size", "new_line")
"""The options that lines are read by."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that are neither blank nor a comment.

    arguments: of ``read_csv``, each begun with a comma
    kept:      SQL that is true of the lines that count
    more:      SQL of columns beside path and text, each begun with a comma
    """

    arguments: str
    kept: str
    more: str
    skip: int
    options: Mapping[str, Option]

    def of(self, paths: Sequence[str]) -> str:
        """Return the FROM item of the lines of ``paths``."""
        return f"(select {FILE}, {TEXT}{self.more} from {self.read(paths)} where {self.kept})"

    def numbered(self, path: str) -> str:
        """Return the FROM item of the lines of one file, with their numbers, in its order."""
        # a window over everything goes through the file from its first line to its last
        number = f"row_number() over () + {self.skip} as {LINE}"
        lines = f"(select *, {number} from {self.read([path])})"
        return f"(select {FILE}, {TEXT}, {LINE}{self.more} from {lines} where {self.kept})"

    def read(self, paths: Sequence[str]) -> str:
        """Return the FROM item of all lines of ``paths``, blank ones and comments too."""
        arguments = self.arguments + option.arguments(in_one_piece(paths, self.options))
        return reading("read_csv", paths, arguments, {TEXT: "VARCHAR"})


def lines_of(name: str, options: Mapping[str, Option], more: str, defaults: Mapping[str, str]) -> Lines:
    """Return the lines of files that are read as the relation ``name``."""
    given = {it: option.sql_of(options[it]) for it in READER if it in options}
    skip = option.number(options, "skip")
    own = {
        "columns": f"{{{literal(TEXT)}: 'VARCHAR'}}",
        "auto_detect": "false",
        "header": "false",
        "delim": literal(NO_DELIMITER),
        "quote": "''",
        "escape": "''",
        "skip": str(skip),
        "filename": literal(FILE),
        **kept_rejects(name),
    }
    comment = option.text(options, "comment", "")
    kept = f"{TEXT} is not null" + (f" and not starts_with({TEXT}, {literal(comment)})" if comment else "")
    return Lines(option.arguments({**defaults, **own, **given}), kept, more, skip, options)
