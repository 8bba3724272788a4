"""A project's memory of its pipelines' texts.

A text's statement is kept under a digest of the pipeline, its lineage under one of that, of the columns of all that it
reads and of the team's masking functions: a change reaches just those whose text or whose inputs' columns changed. What
cannot be read is not kept, so that every error is as of now.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.remembered.beside import Beside, may_be_beside
from governance.remembered.edition import edition
from governance.remembered.packed import packed, unpacked
from governance.remembered.pieces import PIECES, Entry, digest, piece_of, read_piece, sweep, write_piece
from governance.statement.model import Statement
from governance.statement.reading import Reading, Schemas

LARGEST = 1_000_000
"""Bytes of one pipeline's entry; a larger one is read each time."""

MANY, MANY_AT_HAND = 150, 24
"""So many texts that are not remembered, and so many of them to be traced at once, are read by two processes."""

ERRORS_ONLY = frozenset({"template", "problem", "macros"})
"""Fields of a pipeline that only tell where and how an error is told."""

_TEXT = tuple(it.name for it in fields(Pipeline) if it.name not in ERRORS_ONLY)
_SAID = tuple(it.name for it in fields(Statement) if it.name != "pipeline")
_HINTS = get_type_hints(Statement)
_Said: Any = msgspec.defstruct("_Said", [(name, _HINTS[name]) for name in _SAID], array_like=True)
"""All that a statement says beside its pipeline."""

_DECODER = msgspec.msgpack.Decoder(_Said)


def open_memory(folder: Path) -> "Memory":
    """Return the memory that stands in ``folder``, which may not be there yet."""
    return Memory(folder, edition())


@dataclass(slots=True)
class Memory:
    """What was read by this ``edition`` of the package; ``keep`` writes what was asked for since it was opened."""

    folder: Path
    edition: bytes
    _before: dict[int, Mapping[str, Entry]] = field(default_factory=dict)
    _now: dict[int, dict[str, Entry]] = field(default_factory=dict)
    _texts: dict[str, tuple[Pipeline, bytes]] = field(default_factory=dict)
    _inputs: "_Inputs" = field(default_factory=lambda: _Inputs())  # noqa: PLW0108  it stands below
    _beside: Beside = field(default_factory=Beside)

    def reading(self, plain: Reading) -> Reading:
        """Return how texts are read: what is remembered is taken as it was, the rest is read by ``plain``."""

        def parse(pipeline: Pipeline) -> Statement:
            return self._statement(pipeline, plain.parse)

        def trace(statement: Statement, schema: Schemas, *, masking_functions: frozenset[str]) -> ColumnLineage:
            key = self._inputs.key(statement, schema, masking_functions)
            return self._lineage(
                statement, key, lambda: plain.trace(statement, schema, masking_functions=masking_functions)
            )

        return Reading(parse, trace, self._coming, self._at_hand)

    def close(self) -> None:
        """End the process that read beside this one, where there was so much to read."""
        self._beside.close()

    def _coming(self, pipelines: Sequence[Pipeline]) -> None:
        """Have texts read by two processes where many are not remembered."""
        new = [it for it in pipelines if it.problem is None and self._before_of(it, self._text_of(it)) is None]
        if len(new) >= MANY and may_be_beside():
            self._beside.expect("parse", {it.table: it for it in new})

    def _at_hand(self, statements: Sequence[Statement], schema: Schemas, masking: frozenset[str]) -> None:
        new = [it for it in statements if self._traced(it, self._inputs.key(it, schema, masking)) is None]
        if len(new) >= MANY_AT_HAND and self._beside.running:
            self._beside.expect("trace", {it.pipeline.table: (it, _read(it, schema), masking) for it in new})

    def keep(self) -> None:
        """Write what was asked for, and drop what was not: the memory is no larger than the project.

        A folder that cannot be written to keeps what it has: only time depends on it. Without a state folder nothing is
        written: what runs a project makes one, and a question about a checkout leaves nothing in it.
        """
        if not self.folder.parent.is_dir():
            return
        with suppress(OSError):
            for number in range(PIECES):
                now = self._now.get(number, {})
                if now != self._piece(number):
                    write_piece(self.folder, number, self.edition, now)
            sweep(self.folder)

    def _statement(self, pipeline: Pipeline, parse: Callable[[Pipeline], Statement]) -> Statement:
        if pipeline.problem is not None:
            return parse(pipeline)
        text = self._text_of(pipeline)
        entry = self._before_of(pipeline, text)
        if entry is None and (said := self._beside.take(pipeline.table)) is not None:
            entry = Entry(text, msgspec.Raw(said))
        if entry is not None:
            with suppress(msgspec.DecodeError):
                statement = Statement(pipeline, *msgspec.structs.astuple(_DECODER.decode(entry.statement)))
                self._note(pipeline.table, entry)
                return statement
        statement = parse(pipeline)
        self._note(pipeline.table, Entry(text, msgspec.Raw(said_of(statement))))
        return statement

    def _text_of(self, pipeline: Pipeline) -> bytes:
        """Return a digest of all that the pipeline's statement depends on."""
        known = self._texts.get(pipeline.table)
        if known is None or known[0] is not pipeline:
            said = repr([getattr(pipeline, name) for name in _TEXT]).encode(errors="surrogatepass")
            known = self._texts[pipeline.table] = pipeline, digest(said)
        return known[1]

    def _before_of(self, pipeline: Pipeline, text: bytes) -> Entry | None:
        """Return what was remembered of the pipeline where its text was the same."""
        entry = self._piece(piece_of(pipeline.table)).get(pipeline.table)
        return entry if entry is not None and entry.text == text else None

    def _lineage(self, statement: Statement, inputs: bytes, trace: Callable[[], ColumnLineage]) -> ColumnLineage:
        table = statement.pipeline.table
        entry = self._now.get(piece_of(table), {}).get(table)
        if entry is not None and entry.inputs != inputs and (said := self._beside.take(table)) is not None:
            entry = Entry(entry.text, entry.statement, inputs, msgspec.Raw(said))
            self._note(table, entry)
        if entry is not None and entry.inputs == inputs:
            with suppress(msgspec.DecodeError, IndexError):
                return unpacked(entry.lineage)
        lineage = trace()
        if entry is not None:
            self._note(table, Entry(entry.text, entry.statement, inputs, msgspec.Raw(packed(lineage))))
        return lineage

    def _traced(self, statement: Statement, inputs: bytes) -> Entry | None:
        """Return what is remembered of the statement where its lineage over the same columns is."""
        table = statement.pipeline.table
        entry = self._now.get(piece_of(table), {}).get(table)
        return entry if entry is not None and entry.inputs == inputs else None

    def _piece(self, number: int) -> Mapping[str, Entry]:
        if number not in self._before:
            self._before[number] = read_piece(self.folder, number, self.edition)
        return self._before[number]

    def _note(self, table: str, entry: Entry) -> None:
        if len(bytes(entry.statement)) + len(bytes(entry.lineage)) <= LARGEST:
            self._now.setdefault(piece_of(table), {})[table] = entry


def said_of(statement: Statement) -> bytes:
    """Return all that ``statement`` says beside its pipeline."""
    return msgspec.msgpack.encode([getattr(statement, name) for name in _SAID])


def _read(statement: Statement, schema: Schemas) -> Schemas:
    """Return the columns of what the statement reads and of its own table."""
    return {it: dict(schema[it]) for it in {*statement.reads, statement.pipeline.table} & schema.keys()}


class _Inputs:
    """The digests of tables' columns: many statements read the same table, whose columns are written out once."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[Mapping[str, str], bytes]] = {}

    def key(self, statement: Statement, schema: Schemas, masking_functions: frozenset[str]) -> bytes:
        """Return a digest of all that the statement's lineage depends on beside its text."""
        named = sorted({*statement.reads, statement.pipeline.table} & schema.keys())
        given = [(table, self._of(table, schema[table])) for table in named]
        return digest(repr((given, sorted(masking_functions))).encode(errors="surrogatepass"))

    def _of(self, table: str, columns: Mapping[str, str]) -> bytes:
        known = self._columns.get(table)
        if known is None or known[0] is not columns:
            known = self._columns[table] = columns, digest(repr([*columns.items()]).encode(errors="surrogatepass"))
        return known[1]
