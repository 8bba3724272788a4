"""Pipeline → Statement."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from governance.errors import LineageError, UnknownTable, UnreadConstruct, UnreadStatement
from governance.pipeline import Pipeline
from governance.sqltext import stretches
from governance.statement.cursor import Cursor
from governance.statement.edits import Edit, edited, moved
from governance.statement.files import file_reads
from governance.statement.functions import require_functions
from governance.statement.head import READ, Declaration, Write, read_head
from governance.statement.incremental import require_one_dataset
from governance.statement.merge import read_merge
from governance.statement.mergeable import require_mergeable
from governance.statement.model import FileRead, Kind, Statement
from governance.statement.parameters import quoted_documents, require_no_parameters
from governance.statement.parts import parts_of
from governance.statement.reads import named_in
from governance.statement.text import Text, statements_of
from governance.statement.through import functions_of, macros_of, reached, runnable


def parse(pipeline: Pipeline) -> Statement:
    """Return what the pipeline writes, how and from what.

    Raises:
        PipelineError: the file's text or header is wrong.
        LineageError: the text is no SQL, writes in a way that is not read, writes another table than the path says or
            several, or reads something that is neither a table nor a dataset of files; or a block that it uses does.
    """
    if pipeline.problem is not None:
        # the same error may be raised by every run: it keeps none of their frames
        raise pipeline.problem.with_traceback(None)
    return _remembered(pipeline)


@lru_cache(maxsize=4096)
def _remembered(pipeline: Pipeline) -> Statement:
    """Return the statement of a file that may have been read before: every check of a run reads all of them."""
    text = Text(pipeline)
    tokens = text.tokens()
    statements = list(statements_of(tokens))
    if not statements:
        raise text.wrong(UnreadStatement, 0, "the file holds no statement", fix=f"write one: {READ}")
    heads = [read_head(text, tokens) for tokens in statements]
    declared: tuple[tuple[str, str], ...] = ()
    if isinstance(heads[0], Declaration):
        declared, heads, statements = heads[0].columns, heads[1:], statements[1:]
    write = _only_write(text, heads, statements)
    return replace(_statement(text, write, declared, statements[0]), guarded=stretches(pipeline.sql, tokens))


def _only_write(text: Text, heads: Sequence[Declaration | Write], statements: Sequence[Sequence[Token]]) -> Write:
    if not heads:
        end = len(text.pipeline.sql.rstrip())
        raise text.wrong(UnreadStatement, end, "the table is declared and nothing writes it", fix=READ)
    if not isinstance(heads[0], Write):
        raise _twice(text, statements[0])
    if len(heads) > 1:
        raise _twice(text, statements[1])
    return heads[0]


def _twice(text: Text, tokens: Sequence[Token]) -> LineageError:
    fix = "give each statement a file of its own, or make the steps before it CTEs"
    return text.wrong(UnreadStatement, tokens[0].start, f"the file holds another statement here, and {READ}", fix=fix)


def _statement(text: Text, write: Write, declared: tuple[tuple[str, str], ...], tokens: Sequence[Token]) -> Statement:
    start, end = write.query[0].start, write.query[-1].end + 1
    functions = functions_of(text.pipeline.blocks)
    query = _tree(text, write, functions)
    parts = parts_of(query)
    require_no_parameters(text, parts, write.query)
    files = file_reads(text, parts, write.query)
    if write.kind.keeps:
        require_one_dataset(text, query, write.query)
    through = reached(named_in(text, parts, files, start), text.pipeline.blocks)
    if write.kind is Kind.REPLACE and text.pipeline.table in through.reads and not declared:
        raise _reads_itself(text, start, end)
    require_functions(text, parts, macros_of(text.pipeline.blocks), text.pipeline.macros)
    line, column = text.place(start)
    documents = quoted_documents(write.query)
    return Statement(
        pipeline=text.pipeline,
        kind=write.kind,
        query=edited(text.pipeline.sql, start, end, documents),
        line=line,
        column=column,
        columns=write.columns,
        declared=declared,
        reads=through.reads,
        span=(tokens[0].start, end),
        files=tuple(_within(it, start, documents) for it in files),
        setup=tuple(runnable(block, functions) for block in through.blocks),
        block_files=through.files,
    )


def _tree(text: Text, write: Write, functions: Iterable[str]) -> exp.Expr:
    """Return the tree of the query, or of the MERGE."""
    start, end = write.query[0].start, write.query[-1].end + 1
    if write.kind is Kind.MERGE:
        # what this refuses it refuses by name
        read_merge(Cursor(text, write.query))
    tree = text.tree(start, end, functions)
    if isinstance(tree, exp.Merge):
        require_mergeable(text, tree, start)
    elif not _only_reads(tree):
        raise text.wrong(UnreadConstruct, start, "this is no query that only reads", fix="write a SELECT")
    return tree


def _within(read: FileRead, start: int, documents: Sequence[Edit]) -> FileRead:
    """Return the place in the query, which begins at ``start`` of the text."""
    first, past = (moved(place, documents) - start for place in read.span)
    return replace(read, span=(first, past))


def _reads_itself(text: Text, start: int, end: int) -> LineageError:
    table = text.pipeline.table
    found = text.pipeline.sql[start:end].lower().find(table)
    fix = f"begin the file with create table if not exists {table} (name type, …); or read other tables"
    problem = f"{table} is built from itself, and its first run would find no such table"
    return text.wrong(UnknownTable, start + max(found, 0), problem, fix=fix)


def _only_reads(query: exp.Expr) -> bool:
    # UNPIVOT … INTO names columns, and a SELECT … INTO writes
    writes = isinstance(query, exp.Select) and (query.args.get("into") or not query.expressions)
    return isinstance(query, exp.Query | exp.Values | exp.Pivot) and not writes
