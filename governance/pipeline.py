"""``.sql`` file → Pipeline: the path names the table, the header's comments say the rest.

The header is every line before the first line of SQL; blank lines and plain comments may stand in it. A header line is
``-- word: value`` with a word of ``WORDS``, once each, and a value may go on in comment lines indented by two spaces or
more::

    -- description: Learners who may be written to,
    --   each with their favourite category.
    -- owner: team:marketing
    -- grain: learner_id
    -- tags: email, nightly
    -- freshness: 26 hours
    -- automation: eager
    -- include: silver.orders
    -- engine: spark
    -- partition by: day(sent_at), bucket(16, learner_id)
    -- partitions: daily from 2026-01-01

Any other word with a colon is an error, so that a misspelt word cannot be lost. A comment without one is plain.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from governance.block import Block
from governance.cron import cron_problem
from governance.duration import EXPECTED, parse_duration
from governance.engines import ENGINES
from governance.errors import HeadwaterError, PipelineError
from governance.owner import OWNER_FORM, is_owner
from governance.partition import Term, parse_terms
from governance.template.model import Template
from governance.windows import Windows, parse_windows

TAG = re.compile(r"[A-Za-z0-9_.-]{1,63}")
TABLE = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
PARTITION_BY, PARTITIONS = "partition by", "partitions"
# two words are a header word where the first may be meant for "partition": no misspelling of it is lost
HEADER_LINE = re.compile(r"--\s*(?P<word>[Pp]ar\w*[ \t]+by|[A-Za-z][\w-]*)[ \t]*:(?P<value>.*)")
CONTINUATION = re.compile(r"--[ \t]{2,}(?P<text>\S.*)")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One file, one table, one job, one asset.

    table:       ``schema.table``, from the path
    file:        the file's path as it may be shown and sent, relative and posix
    sql:         the whole file's text, header included, so that line numbers hold; a template's as it was rendered
    description: what the table holds; empty where the header says nothing
    owner:       an email address or ``team:name``; None where the header names none
    grain:       the columns that together identify a row; empty where unsaid
    tags:        words to select by, in the header's order
    freshness:   how old the data may get, for ``duration.parse_duration``; None where unsaid
    automation:  ``eager`` or a cron expression in UTC; None where only jobs run it
    include:     tables of pipelines whose queries stand for them here
    engine:      the engine that runs it, of ``ENGINES``; None where the project's does
    partition_by: how the rows are parted into files; empty where they are not
    partitions:  the spans of time that it is built by, one at a time; None where it is built whole
    blocks:      the building blocks that its text may name, each after those that it builds on
    origin:      the template's line for each line of ``sql``, 1-based; empty where ``sql`` is the file's own text
    template:    what ``sql`` was rendered from; None where it is the file's own text
    macros:      the names of all the project's macros, of which one may be meant where a name is misspelt
    problem:     what is wrong with the file, so that it cannot run and its header says nothing; None where all is well
    """

    table: str
    file: str
    sql: str
    description: str = ""
    owner: str | None = None
    grain: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    freshness: str | None = None
    automation: str | None = None
    include: tuple[str, ...] = ()
    engine: str | None = None
    partition_by: tuple[Term, ...] = ()
    partitions: Windows | None = None
    blocks: tuple[Block, ...] = ()
    origin: tuple[int, ...] = field(default=(), hash=False)
    template: Template | None = field(default=None, hash=False)
    problem: PipelineError | None = None
    macros: tuple[str, ...] = field(default=(), compare=False)

    @property
    def job(self) -> str:
        """The OpenLineage job's name: the table's."""
        return self.table

    @property
    def schema(self) -> str:
        """The part before the dot."""
        return self.table.partition(".")[0]

    @property
    def name(self) -> str:
        """The part after the dot."""
        return self.table.partition(".")[2]

    def place(self, line: int, column: int | None = None) -> tuple[int, int | None]:
        """Return the file's line and column for a place in ``sql``, all 1-based.

        They differ where ``sql`` was rendered from a template, and the column is None where only the line is known.
        """
        return self.template.place(self.sql, line, column) if self.template else (line, column)


def parse_pipeline(table: str, file: str, sql: str) -> Pipeline:
    """Return the pipeline that builds ``table`` by ``sql``, the text of ``file``.

    Raises:
        PipelineError: a header line is wrong.
    """
    values: dict[str, Any] = {}
    for word, (line, text) in _header(file, sql).items():
        try:
            values[field_of(word)] = WORDS[word](text)
        except HeadwaterError as error:
            raise PipelineError(file, line, f"{word}: {error.problem}", fix=error.fix) from None
    return Pipeline(table=table, file=file, sql=sql, **values)


def field_of(word: str) -> str:
    """Return what the header word ``word`` is called as a field of ``Pipeline``, and in a template's ``config``."""
    return word.replace(" ", "_")


def header_line(pipeline: Pipeline, word: str) -> int | None:
    """Return the file's line, 1-based, that says ``word`` of the header, None where none does."""
    said = _header(pipeline.file, pipeline.sql).get(word)
    if said is None:
        return dict(pipeline.template.words).get(field_of(word)) if pipeline.template else None
    return pipeline.place(said[0])[0]


def _header(file: str, sql: str) -> dict[str, tuple[int, str]]:
    """Return each header word with its line and its whole value."""
    words: dict[str, tuple[int, str]] = {}
    open_word = ""
    for number, line in enumerate(sql.splitlines(), start=1):
        text = line.strip()
        if text and not text.startswith("--"):
            break
        if open_word and (more := CONTINUATION.fullmatch(text)):
            first, value = words[open_word]
            words[open_word] = (first, f"{value} {more['text']}".strip())
            continue
        open_word = _open(file, number, text, words)
    for word, (number, value) in words.items():
        if not value:
            raise PipelineError(file, number, f"{word} has no value", fix=f"write -- {word}: and its value on one line")
    return words


def _open(file: str, number: int, text: str, words: dict[str, tuple[int, str]]) -> str:
    """Add the header word that the line ``text`` opens, and return it; a plain comment opens none."""
    match = HEADER_LINE.fullmatch(text)
    if match is None or (match["word"] not in WORDS and match["value"].startswith("//")):  # a web address is plain
        return ""
    word = match["word"]
    if word not in WORDS:
        fix = f"the words are {', '.join(WORDS)}; a plain comment stands below the first line of SQL"
        raise PipelineError(file, number, f"unknown header word {word!r}", fix=fix)
    if word in words:
        raise PipelineError(file, number, f"{word} was said in line {words[word][0]}", fix="say it once")
    words[word] = (number, match["value"].strip())
    return word


def _names(form: re.Pattern[str], kind: str) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        wrong = [name for name in names if not form.fullmatch(name)]
        if wrong:
            raise HeadwaterError(f"{wrong[0]!r} is no {kind}", fix=f"write {kind}s with commas between them")
        if len(set(names)) < len(names):
            raise HeadwaterError("a name stands twice", fix="name each once")
        return names

    return read


def _owner(text: str) -> str:
    if not is_owner(text):
        raise HeadwaterError(f"{text!r} is no owner", fix=OWNER_FORM)
    return text


def _freshness(text: str) -> str:
    if parse_duration(text) is None:
        raise HeadwaterError(f"{text!r} is no span of time", fix=EXPECTED)
    return text


def _engine(text: str) -> str:
    if text not in ENGINES:
        raise HeadwaterError(f"{text!r} is no engine", fix=f"write {' or '.join(ENGINES)}")
    return text


def _automation(text: str) -> str:
    problem = "" if text == "eager" else cron_problem(text)
    if problem:
        raise HeadwaterError(
            f"{text!r} is no automation: {problem}", fix="write eager, or a cron such as 0 6 * * 1-5 (UTC)"
        )
    return text


WORDS: Mapping[str, Callable[[str], object]] = {
    "description": str,
    "owner": _owner,
    "grain": _names(re.compile(r"[^,\s][^,]*"), "column"),
    "tags": _names(TAG, "tag"),
    "freshness": _freshness,
    "automation": _automation,
    "include": _names(TABLE, "table"),
    "engine": _engine,
    PARTITION_BY: parse_terms,
    PARTITIONS: parse_windows,
}
"""The header words, each with how its value is read."""
