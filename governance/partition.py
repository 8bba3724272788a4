"""``-- partition by: day(paid_at), bucket(16, customer_id)``: how a table's rows are parted into files.

The terms are Iceberg's partition transforms (https://iceberg.apache.org/spec/#partition-transforms); a bare column is
parted by its values.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from governance.errors import HeadwaterError

IDENTITY, YEAR, MONTH, DAY, HOUR, BUCKET, TRUNCATE = "identity", "year", "month", "day", "hour", "bucket", "truncate"

TIMES = (YEAR, MONTH, DAY, HOUR)
"""The transforms of times, from coarse to fine."""

SIZED: Mapping[str, str] = {BUCKET: "16", TRUNCATE: "4"}
"""The transforms that take a number before the column, each with one to show."""

LARGEST = 2**31 - 1

_STAMPS = ("timestamp", "timestamptz")
_WHOLE = ("integer", "bigint")

FITS: Mapping[str, tuple[str, ...]] = {
    # NaN and -0.0 have no one place, so that a real or a double cannot say where a row lies
    IDENTITY: ("boolean", *_WHOLE, "decimal", "varchar", "date", "time", *_STAMPS, "uuid", "blob"),
    YEAR: ("date", *_STAMPS),
    MONTH: ("date", *_STAMPS),
    DAY: ("date", *_STAMPS),
    HOUR: _STAMPS,
    BUCKET: (*_WHOLE, "decimal", "varchar", "date", "time", *_STAMPS, "uuid", "blob"),
    TRUNCATE: (*_WHOLE, "decimal", "varchar", "blob"),
}
"""The SQL types whose columns a transform parts."""

TERM = re.compile(
    r"""\s*(?:(?P<transform>[A-Za-z]\w*)\s*\(\s*(?:(?P<size>\d+)\s*,\s*)?)?"""
    r"""(?P<column>"(?:[^"]|"")+"|[^\W\d]\w*)\s*(?P<end>\))?\s*"""
)
FORM = "write a column, or year, month, day, hour (column), bucket(number, column) or truncate(number, column)"


@dataclass(frozen=True, slots=True)
class Term:
    """One transform of one column.

    transform: of ``FITS``
    column:    its name as the header writes it, or as the table does once it is ``placed``
    size:      the number of buckets, or of signs that are kept; None for a transform that takes none
    """

    transform: str
    column: str
    size: int | None = None

    def __str__(self) -> str:
        """Return the term as a header writes it."""
        column = self.column if self.column.isidentifier() else '"' + self.column.replace('"', '""') + '"'
        if self.transform == IDENTITY:
            return column
        return f"{self.transform}({column if self.size is None else f'{self.size}, {column}'})"


def parse_terms(text: str) -> tuple[Term, ...]:
    """Return the terms that a header names.

    Raises:
        HeadwaterError: the text is no list of terms, or terms of it part by the same.
    """
    terms = tuple(_term(part) for part in _parts(text))
    _require_distinct(terms)
    return terms


def placed(terms: Iterable[Term], columns: Mapping[str, str]) -> tuple[Term, ...]:
    """Return the terms with the columns' names as ``columns``, name → SQL type, has them.

    A type that is none of Iceberg's, as where only running tells it, fits every transform.

    Raises:
        HeadwaterError: there is no such column, or its type does not fit the transform.
    """
    return tuple(_placed(term, columns) for term in terms)


def _placed(term: Term, columns: Mapping[str, str]) -> Term:
    near = [it for it in columns if it.lower() == term.column.lower()]
    name = term.column if term.column in columns else near[0] if len(near) == 1 else None
    if name is None:
        spelt = {it.lower(): it for it in columns}
        close = get_close_matches(term.column.lower(), spelt, 1)
        fix = f"did you mean {spelt[close[0]]}?" if close else f"the columns are {', '.join(columns)}"
        raise HeadwaterError(f"{term}: there is no column {term.column}", fix=fix)
    kind = columns[name].partition("(")[0].rstrip()
    if not _fits(term.transform, columns[name], kind):
        others = [it for it in FITS if kind in FITS[it]]
        fix = f"a {kind} is parted by {_or(others)}" if others else "take another column"
        raise HeadwaterError(f"{term}: {name} is a {columns[name]}, which {term.transform} does not part", fix=fix)
    return replace(term, column=name)


def _fits(transform: str, whole: str, kind: str) -> bool:
    known = {it for kinds in FITS.values() for it in kinds} | {"real", "double", "struct", "map"}
    if whole.endswith("[]"):
        return False
    return kind not in known or kind in FITS[transform]


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas that are in no parenthesis and no quotes."""
    begin = depth = 0
    for sign in re.finditer(r'"(?:[^"]|"")*"|[(),]', text):
        if sign[0] == "," and depth == 0:
            yield text[begin : sign.start()]
            begin = sign.end()
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
    yield text[begin:]


def _term(text: str) -> Term:
    found = TERM.fullmatch(text)
    said = text.strip()
    if found is None or bool(found["transform"]) != bool(found["end"]):
        raise HeadwaterError(f"{said!r} is no term", fix=_form(said))
    column = found["column"]
    column = column[1:-1].replace('""', '"') if column.startswith('"') else column
    if found["transform"] is None:
        return Term(IDENTITY, column)
    transform = found["transform"].lower()
    if transform not in FITS:
        near = get_close_matches(transform, FITS, 1)
        raise HeadwaterError(f"there is no transform {transform}", fix=f"did you mean {near[0]}?" if near else FORM)
    if transform not in SIZED:
        if found["size"]:
            raise HeadwaterError(f"{transform} takes no number", fix=f"write {transform}({column})")
        return Term(transform, column)
    # a number of thousands of digits is more than int() reads
    if not found["size"] or len(found["size"]) > len(str(LARGEST)) or not 0 < int(found["size"]) <= LARGEST:
        fix = f"write {transform}({SIZED[transform]}, {column})"
        raise HeadwaterError(f"{transform} takes a number from 1 to {LARGEST} before the column", fix=fix)
    return Term(transform, column, int(found["size"]))


def _form(said: str) -> str:
    swapped = re.fullmatch(r"(?P<name>\w+)\s*\(\s*(?P<column>[^\W\d]\w*)\s*,\s*(?P<size>\d+)\s*\)", said)
    return f"write {swapped['name']}({swapped['size']}, {swapped['column']})" if swapped else FORM


def _require_distinct(terms: tuple[Term, ...]) -> None:
    """Check that no two terms part one column alike: Iceberg takes one time and one of each other transform of it."""
    seen: dict[tuple[str, str], Term] = {}
    for term in terms:
        how = "time" if term.transform in TIMES else term.transform
        before = seen.setdefault((term.column.lower(), how), term)
        if before is not term:
            fix = "write the finer one" if how == "time" and before != term else "write one of them"
            raise HeadwaterError(f"{before} and {term} part by the same column", fix=fix)


def _or(words: list[str]) -> str:
    return " or ".join(words)
