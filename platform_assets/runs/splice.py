"""A query with names of relations where it reads files: the engine is handed the files and opens none by itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from governance.landing.model import FileSource
from governance.sources import Source
from governance.statement import Statement
from platform_assets.engines.sql import quoted


@dataclass(frozen=True, slots=True)
class Reading:
    """Files as a query reads them.

    relation: what they are called in the query; a dataset read with options of the query's own is one more relation
    options:  (name, SQL text of the value) that the query gives
    """

    relation: str
    source: FileSource
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Spliced:
    """The query's text, every line where it was, and what it reads of files."""

    text: str
    readings: tuple[Reading, ...]


def splice(statement: Statement, sources: Mapping[str, Source]) -> Spliced:
    """Return the statement's query where each call or path that reads files is the name of a relation.

    ``sources`` has every dataset of files that the statement reads, by name. The relation of a kind of record is called
    as that of its file, and then by its own name: ``landing/payments.txt#detail``. What macros and views of the
    statement read is among the readings; their texts have the names already.
    """
    readings: dict[tuple[str, tuple[tuple[str, str], ...]], Reading] = {}
    pieces: list[str] = []
    done = 0
    for name in statement.block_files:
        block = _files(sources, name)
        readings.setdefault((block.name, ()), Reading(block.name, block, ()))
    for read in statement.files:
        source = _files(sources, read.path)
        again = sum(name == source.name and bool(options) for name, options in readings)
        relation = f"{source.name} {again + 1}" if read.options else source.name
        reading = readings.setdefault((source.name, read.options), Reading(relation, source, read.options))
        begin, end = read.span
        # a call may go over several lines, and an error tells the line
        lines = "\n" * statement.query.count("\n", begin, end)
        name = quoted(reading.relation + read.path.removeprefix(source.name))
        pieces += statement.query[done:begin], name, lines
        done = end
    return Spliced("".join((*pieces, statement.query[done:])), tuple(readings.values()))


def _files(sources: Mapping[str, Source], name: str) -> FileSource:
    found = sources[name].files
    if found is None:
        raise AssertionError(f"{name} is no dataset of files")
    return found
