"""The head of a statement, read token by token: which table it writes, how, and where its query begins.

The head is read by hand, because the parser keeps no place for the query and makes an opaque command of some whole
statements (a CREATE TABLE over PIVOT) whose query alone it reads well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot.tokenizer_core import Token

from governance.errors import LineageError, UnreadConstruct, UnreadStatement
from governance.sql_type import EXPECTED, sql_type
from governance.statement.cursor import Cursor, names
from governance.statement.model import Kind
from governance.statement.text import Text

READ = "a pipeline is one CREATE TABLE … AS, one INSERT … SELECT or one MERGE"
MENDS = {
    "UPDATE": "write a CREATE TABLE … AS that computes the new values",
    "DELETE": "write a CREATE TABLE … AS of the rows to keep",
}
QUERY = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "PIVOT", "UNPIVOT", "("})

TAILS = {("ON", "CONFLICT", "DO"): "ON CONFLICT", ("ON", "CONFLICT", "("): "ON CONFLICT", ("RETURNING",): "RETURNING"}
OPENING = frozenset(words[0] for words in TAILS)


@dataclass(frozen=True, slots=True)
class Declaration:
    """``CREATE TABLE IF NOT EXISTS table (columns)``."""

    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Write:
    """A statement that writes: how, an INSERT's listed columns, and its query's tokens, of a MERGE all of them."""

    kind: Kind
    columns: tuple[str, ...]
    query: Sequence[Token]


def read_head(text: Text, tokens: Sequence[Token]) -> Declaration | Write:
    """Return what the statement is.

    Raises:
        UnreadStatement: its kind is not read, or it writes another table than the path says.
        UnreadConstruct: a part of its head is not read.
    """
    cursor = Cursor(text, tokens)
    if past := cursor.after("INSERT", "INTO"):
        return _insert(past)
    if past := _merge(cursor):
        _target(past)
        return Write(Kind.MERGE, (), tokens)
    for words in (("CREATE", "TABLE"), ("CREATE", "OR", "REPLACE", "TABLE")):
        if past := cursor.after(*words):
            return _create(past)
    raise _unread(cursor)


def _merge(cursor: Cursor) -> Cursor | None:
    """Return the cursor past MERGE INTO, which CTEs may stand before; None where the statement is another."""
    start = cursor.until("MERGE", "SELECT", "INSERT", "FROM") if cursor.word() == "WITH" else cursor
    return start.after("MERGE", "INTO")


def _unread(cursor: Cursor) -> LineageError:
    words = [cursor.word(ahead) for ahead in range(4)]
    count = {"CREATE": 1 + words.index("TABLE") if "TABLE" in words else 2, "INSERT": 2}.get(words[0], 1)
    kind = " ".join(words[:count])
    table = cursor.text.pipeline.table
    fix = MENDS.get(words[0], f"begin with create table {table} as, or insert into {table}; a step before it is a CTE")
    return cursor.wrong(UnreadStatement, f"{READ}, not {kind}", fix=fix, clause=kind)


def _create(cursor: Cursor) -> Declaration | Write:
    absent = cursor.after("IF", "NOT", "EXISTS")
    cursor = _target(absent or cursor)
    if absent and cursor.word() == "(":
        return Declaration(_declared(cursor.moved(1)))
    if absent:
        fix = "write create table … as: a run replaces the table"
        raise cursor.wrong(
            UnreadConstruct, "CREATE TABLE IF NOT EXISTS … AS is not read", fix=fix, clause="IF NOT EXISTS"
        )
    if cursor.word() == "(":
        fix = "name the columns in the query, by AS"
        raise cursor.wrong(UnreadConstruct, "a column list before AS is not read", fix=fix, clause="column list")
    query = cursor.after("AS")
    if query is None:
        raise cursor.wrong(
            UnreadConstruct, f"AS and a query are expected here, not {cursor.word() or 'the end'}", fix=READ
        )
    return Write(Kind.REPLACE, (), _query(query))


def _insert(cursor: Cursor) -> Write:
    cursor = _target(cursor)
    columns: tuple[str, ...] = ()
    if cursor.word() == "(" and cursor.word(1) not in QUERY:
        columns, cursor = names(cursor.moved(1))
    return Write(Kind.APPEND, columns, _query(cursor))


def _target(cursor: Cursor) -> Cursor:
    """Return the cursor past the table's name, which must be the path's."""
    parts, past = [cursor.said], cursor.moved(1)
    while past.word() == ".":
        parts, past = [*parts, past.moved(1).said], past.moved(2)
    name, pipeline = ".".join(parts), cursor.text.pipeline
    if tuple(part.lower() for part in parts) != (pipeline.schema, pipeline.name):
        fix = f"write {pipeline.table}; the table of another pipeline belongs in that pipeline's file"
        raise cursor.wrong(UnreadStatement, f"it writes {name}, and the file's path says {pipeline.table}", fix=fix)
    return past


def _query(cursor: Cursor) -> Sequence[Token]:
    """Return the query's tokens; a clause that belongs to the INSERT around it is refused."""
    if cursor.word() not in QUERY:
        found = cursor.word() or "the end"
        fix = "write a SELECT here; the clauses of INSERT that are read are its table and its column list"
        raise cursor.wrong(UnreadConstruct, f"a query is expected here, not {found}", fix=fix, clause=found)
    # a cursor for each token would cost more than the parser does
    opening = (at for at in range(cursor.at, len(cursor.tokens)) if cursor.tokens[at].text.upper() in OPENING)
    for there in (replace(cursor, at=at) for at in opening):
        for words, clause in TAILS.items():
            if there.after(*words):
                fix = "leave it out: rows are appended as the query gives them"
                raise there.wrong(UnreadConstruct, f"{clause} is not read", fix=fix, clause=clause)
    return cursor.tokens[cursor.at :]


def _declared(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    """Return (name, type) of each declared column; the statement ends with the closing parenthesis."""
    columns: list[tuple[str, str]] = []
    while cursor.at < len(cursor.tokens):
        name, at, depth = cursor, cursor.at + 1, 0
        while at < len(cursor.tokens) and (depth or cursor.tokens[at].text not in (",", ")")):
            depth += {"(": 1, ")": -1}.get(cursor.tokens[at].text, 0)
            at += 1
        past = replace(cursor, at=at)
        said = cursor.text.words(name.moved(1).start, past.start)
        declared = sql_type(said)
        if declared is None:
            problem = f"column {name.tokens[name.at].text}: {said or 'nothing'} is no type that Iceberg stores"
            raise name.wrong(
                UnreadConstruct, problem, fix=f"{EXPECTED}, and leave constraints out", clause="CREATE TABLE"
            )
        columns.append((name.tokens[name.at].text, declared))
        cursor = past.moved(1)
        if past.word() == ")":
            break
    if cursor.at < len(cursor.tokens) or cursor.tokens[-1].text != ")":
        raise cursor.wrong(
            UnreadConstruct,
            "the statement ends with its column list",
            fix="write create table if not exists … (name type, …);",
        )
    return tuple(columns)
