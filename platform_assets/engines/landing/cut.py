"""Rows that do not fit, whole: DuckDB keeps the beginning of one, and the rest is read from the file again."""

from collections.abc import Iterator, Mapping, Sequence

from governance.landing.model import Option
from platform_assets.engines.landing.name import ROW_LENGTH
from platform_assets.engines.landing.opened import opened_utf8
from platform_assets.engines.landing.quote import row_pattern

DUCKDB_KEEPS = 10_000
"""Bytes that DuckDB keeps of a row, less those of a character that would be cut."""


def whole_rows(path: str, options: Mapping[str, Option], positions: Sequence[int]) -> Iterator[str]:
    """Yield the row at each byte, counted from 1 and in order; one that is too long with a mark of what it was."""
    pattern, pieces = row_pattern(options), opened_utf8(path, options)
    held, before = b"", 0
    for position in positions:
        at = position - 1
        while True:
            begin = at - before
            while begin < len(held) and held[begin : begin + 1] in {b"\r", b"\n"}:
                begin += 1
            match = pattern.match(held, begin) if begin < len(held) else None
            if match and match.end() < len(held) - 1:
                break
            following = next(pieces, None)
            if following is None:
                break
            dropped = min(begin, len(held))
            held, before = held[dropped:] + following, before + dropped
            at = max(at, before)
        row = match.group() if match else held[begin:]
        yield cut(row.decode("utf-8", "replace"), before + begin + 1)


def cut(row: str, byte: int) -> str:
    """Return a row up to what is kept of it, with a mark where that is not all."""
    if len(row) <= ROW_LENGTH:
        return row
    return f"{row[:ROW_LENGTH]}… cut: the row has {len(row)} characters, and begins at byte {byte} of the file"
