"""Quotes of delimited files that are not closed: DuckDB takes what follows for one value, lines and lines of it.

What it swallows so it does not always tell: read in one piece it says nothing of a value that does not end, and what it
tells of others is one row that does not fit. So rows are counted by the lines of the file, and where there are more
lines, the file is gone through by its quotes.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from governance.errors import LandingError
from governance.landing.model import Option
from platform_assets.engines.engine import Landing
from platform_assets.engines.landing import option
from platform_assets.engines.landing.opened import opened_utf8

LONGEST = 2_000_000
"""Bytes of the longest row, as DuckDB has it."""

MARK = b"\xef\xbb\xbf"

BEFORE, BEHIND = 8, 64
"""Bytes around a quoted value that tell whether it begins and ends there."""


def require_closed(landing: Landing, options: Mapping[str, Option], rows: int) -> bool:
    """Raise LandingError where a quote is not closed before its line ends; ``rows`` were read or rejected of all files.

    A value with line ends in it whose quote is closed is none of these. Returns whether there is a row for each line,
    so that nothing at all is lost.
    """
    quote = option.text(options, "quote", '"').encode()
    if not quote:
        return False
    before = option.number(options, "skip") + bool(options.get("header", True))
    if rows == sum(max(_lines_in(path, options) - before, 0) for path in landing.paths):
        return True
    for path, shown in zip(landing.paths, landing.shown, strict=True):
        if _has(path, options, quote) and (line := unclosed(path, options)) is not None:
            raise LandingError(
                f"{shown}:{line}: a quote opens in this line and is not closed: what follows it would be lost",
                fix='close the quote, or say quote = "" in its options where quotes are text',
            )
    return False


def unclosed(path: str, options: Mapping[str, Option]) -> int | None:
    """Return the line, from 1, of the first quote that swallows line ends and is not closed; None: there is none."""
    quote = option.text(options, "quote", '"').encode()
    if not quote:
        return None
    longest = max(LONGEST, option.number(options, "max_line_size"), option.number(options, "buffer_size"))
    return _Quotes(_pattern(options), _body(options), quote, longest).first(opened_utf8(path, options))


@dataclass(frozen=True, slots=True)
class _Quotes:
    """What goes through a file's quotes.

    whole:   matches as far as every quoted value is closed
    body:    matches what is quoted, up to its end
    longest: bytes of what may be quoted
    """

    whole: re.Pattern[bytes]
    body: re.Pattern[bytes]
    quote: bytes
    longest: int

    def first(self, pieces: Iterator[bytes]) -> int | None:
        """Return the line of the first quote that is not closed."""
        # the text begins as a line does, and ends as one
        held, at, line, more = b"\n" + next(pieces, b"").removeprefix(MARK), 1, 1, True
        while True:
            end = _end(self.whole, held, at)
            line += _lines(held, at, end)
            inside = _end(self.body, held, end + 1) if held.startswith(self.quote, end) else len(held)
            over = _lines(held, end, inside)
            if more and inside > len(held) - BEHIND and (not over or inside - end < self.longest):
                following = next(pieces, None)
                more = following is not None
                # what stands before a value tells whether it begins there
                held, at = held[max(end - BEFORE, 0) :] + (following or b"\n"), min(end, BEFORE)
            elif end == len(held):
                return None
            elif over or inside == len(held):
                return line
            else:
                at = inside + 1


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _lines(text: bytes, begin: int, end: int) -> int:
    return text.count(b"\n", begin, end) or text.count(b"\r", begin, end)


def _body(options: Mapping[str, Option]) -> re.Pattern[bytes]:
    return re.compile(_inside(options), re.DOTALL)


def _inside(options: Mapping[str, Option]) -> bytes:
    quote = option.text(options, "quote", '"')
    escape = option.text(options, "escape", quote)
    q, e = (re.escape(it.encode()) for it in (quote, escape))
    # a quote behind a closed value and blanks opens it again
    again = b"%b *+%b" % (q, q)
    return b"(?:[^%b]++|%b)*+" % (q, again) if escape in {"", quote} else b"(?:[^%b%b]++|%b.|%b)*+" % (q, e, e, again)


def _pattern(options: Mapping[str, Option]) -> re.Pattern[bytes]:
    quote, delim = option.text(options, "quote", '"'), option.text(options, "delim", ",")
    q, d = (re.escape(it.encode()) for it in (quote, delim))
    # one blank may stand before a quoted value, any number behind it
    begin = b"(?:(?<=%b)|(?<=%b )|(?<=[\\r\\n])|(?<=[\\r\\n] ))" % (d, d)
    closed = b"%b%b%b%b *+(?=%b|[\\r\\n])" % (begin, q, _inside(options), q, d)
    note = option.text(options, "comment", "").encode()
    n, skipped = (re.escape(note), b"|%b[^\\r\\n]*+(?=[\\r\\n])" % re.escape(note)) if note else (b"", b"")
    return re.compile(b"(?:[^%b%b]++%b|%b|(?!%b)%b)*+" % (q, n, skipped, closed, begin, q), re.DOTALL)


def row_pattern(options: Mapping[str, Option]) -> re.Pattern[bytes]:
    """Return what matches a row from its beginning: up to the first line end that is not quoted."""
    quote = re.escape(option.text(options, "quote", '"').encode())
    delim = re.escape(option.text(options, "delim", ",").encode())
    if not quote:
        return re.compile(b"[^\\r\\n]*+")
    quoted = b"%b%b(?:%b)?" % (quote, _inside(options), quote)
    begins = b"(?:(?<=%b)|(?<=%b )|(?<=[\\r\\n]))" % (delim, delim)
    return re.compile(b"(?:%b)?(?:[^%b\\r\\n]++|%b%b|%b)*+" % (quoted, quote, begins, quoted, quote), re.DOTALL)


def _lines_in(path: str, options: Mapping[str, Option]) -> int:
    """Return how many lines a file has, its last one whether it ends or not."""
    lines, last = 0, b"\n"
    for piece in opened_utf8(path, options):
        lines, last = lines + piece.count(b"\n"), piece[-1:]
    return lines + (last != b"\n")


def _has(path: str, options: Mapping[str, Option], quote: bytes) -> bool:
    """Return whether there is a quote in a file."""
    return any(quote in piece for piece in opened_utf8(path, options))
