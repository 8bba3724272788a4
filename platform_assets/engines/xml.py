"""XML → Parquet, row by row in bounded memory; what an engine then reads is text, and it converts it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from xml.parsers import expat

import pyarrow as pa
import pyarrow.parquet as pq

from governance.errors import LandingError
from governance.landing.datasets import document_field
from governance.landing.model import FileColumn, FileSource, Format
from platform_assets.engines.engine import Landing, Part
from platform_assets.engines.landing.json import keys_of
from platform_assets.engines.landing.opened import opened
from platform_assets.engines.landing.probe import told
from platform_assets.engines.landing.xml import SCHEMA
from platform_assets.engines.shape import ShapeChanged

CHUNK = 1 << 18
"""Bytes that are parsed at once."""

BATCH = 10_000
"""Rows that are written at once."""

LONGEST = 1 << 24
"""Characters of a value."""

TOLD = 5
SEPARATOR = "}"
NO_ATTRIBUTES: Mapping[str, int] = MappingProxyType({})

Keys = tuple[str, ...]


def readable(landing: Landing, folder: Path) -> Landing:
    """Return ``landing`` as an engine reads it: XML is made into Parquet files in a new folder below ``folder``.

    Raises:
        LandingError: a file is no XML, or declares a document type.
        ShapeChanged: a file has no rows where they should be, or a column or a value of a section nowhere.
    """
    if landing.source.format is not Format.XML or landing.parts:
        return landing
    into = Path(mkdtemp(prefix="xml-", dir=folder))
    files = zip(landing.paths, landing.shown, strict=True)
    parts = (_part(landing.source, path, shown, into / f"{n}.parquet") for n, (path, shown) in enumerate(files))
    return Landing(landing.source, landing.paths, landing.shown, landing.options, tuple(parts))


def _part(source: FileSource, path: str, shown: str, into: Path) -> Part:
    found = _Document(source)
    rows = _rows(found, path, shown)
    with pq.ParquetWriter(into, SCHEMA) as writer:
        while batch := list(islice(rows, BATCH)):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, SCHEMA))
    if problems := list(found.problems()):
        raise ShapeChanged(source, [f"{shown}: {'; '.join(problems)}"])
    return Part(str(into), found.sections)


def _rows(found: "_Document", path: str, shown: str) -> Iterator[Mapping[str, object]]:
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: found.start(name, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = found.end
    parser.CharacterDataHandler = found.text
    parser.StartDoctypeDeclHandler = found.refuse
    try:
        with opened(path, {}) as file:
            while chunk := file.read(CHUNK):
                parser.Parse(chunk, False)  # noqa: FBT003 -- expat takes it by place
                yield from found.taken()
        if found.begun:
            parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        where = f"{shown}:{error.lineno}:{error.offset + 1}"
        raise LandingError(f"{where}: no XML: {expat.ErrorString(error.code)}", fix="mend the file") from None
    except _Refused as error:
        raise LandingError(f"{shown}:{parser.CurrentLineNumber}: {error}", fix=error.fix) from None


class _Refused(Exception):
    """What is XML, and not read."""

    def __init__(self, problem: str, fix: str) -> None:
        self.fix = fix
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where values stand, by the keys that lead there: the texts of elements, and attributes by their element.

    ``elements`` are the keys of all elements that values stand in.
    """

    texts: Mapping[Keys, int]
    attributes: Mapping[Keys, Mapping[str, int]]
    elements: frozenset[Keys]

    def undeclared(self, keys: Keys, attributes: Iterable[str]) -> Iterator[str]:
        """Yield what of an element no column is; what lies in an element that is none itself goes without saying."""
        if keys not in self.elements:
            # an element within a value is a fault of that row
            if keys[:-1] in self.elements and keys[:-1] not in self.texts:
                yield ".".join(keys)
            return
        known = self.attributes.get(keys, NO_ATTRIBUTES)
        # one of another namespace, such as a schema's place, belongs to the writing and not to the row
        yield from (".".join((*keys, f"@{it}")) for it in attributes if SEPARATOR not in it and it not in known)


def _places(columns: Sequence[FileColumn]) -> _Places:
    texts: dict[Keys, int] = {}
    attributes: dict[Keys, dict[str, int]] = {}
    for number, column in enumerate(columns):
        *above, last = keys_of(column)
        if last.startswith("@"):
            attributes.setdefault(tuple(above), {})[last[1:]] = number
        else:
            texts[*above, last] = number
    elements = {it[:length] for it in (*texts, *attributes) for length in range(len(it) + 1)}
    return _Places(texts, attributes, frozenset({*elements, ()}))


class _Values:
    """The texts of some columns as they are come across; a second one, and one with elements in it, is a fault."""

    __slots__ = ("fault", "seen", "texts")

    def __init__(self, columns: int) -> None:
        self.texts: list[str | None] = [None] * columns
        self.seen: set[int] = set()
        self.fault: tuple[int, str] | None = None

    def put(self, number: int, text: str) -> None:
        """Keep a text; without anything but blanks it is none."""
        if number in self.seen:
            self.wrong(number, "it is there more than once")
        self.seen.add(number)
        self.texts[number] = text.strip() or None

    def wrong(self, number: int, reason: str) -> None:
        """Keep the first fault."""
        self.fault = self.fault or (number, reason)


class _Document:
    """What has been come across of a document; the handlers of its parser."""

    def __init__(self, source: FileSource) -> None:
        self.begun = False
        self._rows = tuple(source.rows.split("."))
        self._columns, self._places = source.columns, _places(source.columns)
        sections = [it for section in source.sections for it in section.columns]
        self._sections, self._sections_at = _Values(len(sections)), _places(sections)
        self._names = [document_field(section.name, it.name) for section in source.sections for it in section.columns]
        self._path: Keys = ()
        self._row: _Values | None = None
        self._line = 0
        self._texts: list[tuple[_Values, int, list[str]] | None] = []
        self._taken: list[Mapping[str, object]] = []
        self._seen: set[int] = set()
        self._count = 0
        self._beside: dict[str, None] = {}
        self._above = False
        self._undeclared: dict[str, None] = {}

    @property
    def sections(self) -> tuple[str | None, ...]:
        """The texts of the sections, in declared order."""
        return tuple(self._sections.texts)

    def refuse(self, *_: object) -> None:
        """Refuse what could define entities."""
        raise _Refused("it declares a document type, by which a file can read others", "take its DOCTYPE out")

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Come to the beginning of an element."""
        self.begun = True
        if self._texts and (around := self._texts[-1]):
            around[0].wrong(around[1], "it has elements in it")
        self._path = (*self._path, _local(name))
        if self._row is None and self._path == self._rows:
            self._row, self._line = _Values(len(self._columns)), line
        elif self._path == self._rows[:-1]:
            self._above = True
        elif self._path[:-1] == self._rows[:-1]:
            self._beside[self._path[-1]] = None
        self._texts.append(None)
        if self._row is not None:
            keys = self._path[len(self._rows) :]
            self._look(self._row, self._places, keys, attributes)
            self._undeclared |= dict.fromkeys(self._places.undeclared(keys, attributes))
        self._look(self._sections, self._sections_at, self._path, attributes)

    def _look(self, values: _Values, places: _Places, keys: Keys, attributes: Mapping[str, str]) -> None:
        for name, number in places.attributes.get(keys, NO_ATTRIBUTES).items():
            for given, text in attributes.items():
                if _local(given) == name:
                    values.put(number, text)
        if keys in places.texts:
            self._texts[-1] = (values, places.texts[keys], [])

    def text(self, text: str) -> None:
        """Come to text."""
        if self._texts and (inside := self._texts[-1]):
            inside[2].append(text)
            if sum(map(len, inside[2])) > LONGEST:
                raise _Refused(f"a value has more than {LONGEST} characters", "mend the file")

    def end(self, _: str) -> None:
        """Come to the end of an element."""
        if inside := self._texts.pop():
            values, number, texts = inside
            values.put(number, "".join(texts))
        if self._row is not None and self._path == self._rows:
            wrong, reason = self._row.fault or (None, None)
            row = (self._line, self._row.texts, None if wrong is None else self._columns[wrong].name, reason)
            self._taken.append(dict(zip(SCHEMA.names, row, strict=True)))
            self._seen |= self._row.seen
            self._count += 1
            self._row = None
        self._path = self._path[:-1]

    def taken(self) -> Iterator[Mapping[str, object]]:
        """Yield the rows that have come to their end, each once."""
        rows, self._taken = self._taken, []
        yield from rows

    def problems(self) -> Iterator[str]:
        """Yield what of the declaration the document does not have."""
        if not self.begun:
            yield "it is empty"
            return
        rows = ".".join(self._rows)
        if not self._count and self._beside:
            yield f"it has no {rows}, and beside where it should be {', '.join(list(self._beside)[:TOLD])}"
        elif not self._count and not self._above:
            yield f"it has no {rows}"
        missing = [it.name for number, it in enumerate(self._columns) if self._count and number not in self._seen]
        missing += [name for number, name in enumerate(self._names) if number not in self._sections.seen]
        if missing:
            yield f"{told(missing)} missing"
        if self._undeclared:
            yield f"{told(list(self._undeclared))} not declared"
        if fault := self._sections.fault:
            yield f"{self._names[fault[0]]}: {fault[1]}"


def _local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition(SEPARATOR)[2]
