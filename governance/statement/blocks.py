"""A file of building blocks → Blocks: each statement creates one macro or one view, and all else is refused by name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from governance.block import Block, BlockKind
from governance.errors import LineageError, PipelineError, UnreadConstruct, UnreadStatement
from governance.pipeline import Pipeline
from governance.statement.cursor import Cursor
from governance.statement.edits import Edit, edited
from governance.statement.text import Text

FORM = "write create macro name(parameters) as … or create view schema.name as select …"
NAME = re.compile(r"[a-z_]\w*", re.ASCII)
HEAD = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?"
    r"(?:(?:macro|function)\s+(?:if\s+not\s+exists\s+)?|view\s+(?:if\s+not\s+exists\s+)?(?=[\w\"]+\.))([\w.\"]+)",
    re.IGNORECASE,
)
"""What names a block, even where all else is wrong: a macro's name, a view's with its schema."""

GRAMMAR = frozenset({
    "all", "and", "any", "as", "case", "cast", "coalesce", "columns", "cube", "exclude", "exists", "extract", "filter",
    "from", "group", "grouping", "if", "in", "interval", "lambda", "limit", "map", "not", "nullif", "on", "or", "order",
    "over", "overlay", "partition", "position", "rename", "replace", "rollup", "row", "select", "sets", "some",
    "struct", "substring", "table", "trim", "try_cast", "unnest", "unpack", "using", "values", "where", "window",
    "with", "within",
})  # fmt: skip
"""What DuckDB's grammar calls itself: a macro of that name would not be reached."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What cannot be a block: its name, and why."""

    name: str
    error: PipelineError


def blocks_in(file: str, sql: str) -> Iterator[Block | Broken]:
    """Yield the blocks of ``sql``, the text of ``file``, in order; one that is wrong leaves the others standing.

    Raises:
        PipelineError: something is wrong in the text, and nothing in it has a name.
    """
    text = Text(Pipeline("", file, sql))
    try:
        statements = [*text.statements()]
    except LineageError as error:
        yield from _all_broken(sql, as_pipeline_error(error))
        return
    for tokens in statements:
        try:
            yield _block(text, tokens)
        except LineageError as error:
            start, end = tokens[0].start, tokens[-1].end + 1
            # a statement without a name is of no use to anybody: whoever uses its file shall hear of it
            named = sql[start:end] if HEAD.search(sql[start:end]) else sql
            yield from _all_broken(named, as_pipeline_error(error))


def as_pipeline_error(error: LineageError) -> PipelineError:
    """Return what is wrong with a text of SQL as what is wrong with its file."""
    return PipelineError(error.pipeline, error.line, error.problem, fix=error.fix)


def _all_broken(sql: str, error: PipelineError) -> Iterator[Broken]:
    names = [name.lower().replace('"', "") for name in HEAD.findall(sql)]
    if not names:
        raise error
    yield from (Broken(name, error) for name in dict.fromkeys(names))


def _block(text: Text, tokens: Sequence[Token]) -> Block:
    cursor = Cursor(text, tokens)
    past = cursor.after("CREATE", "OR", "REPLACE") or cursor.after("CREATE")
    if past is None:
        words = cursor.word() or "this"
        raise cursor.wrong(UnreadStatement, f"a block is a macro or a view, not {words}", fix=FORM, clause=words)
    macro = past.after("MACRO") or past.after("FUNCTION")
    view = past.after("VIEW")
    if macro is None and view is None:
        raise past.wrong(UnreadStatement, f"a block is a macro or a view, not {past.word() or 'this'}", fix=FORM)
    start, end = tokens[0].start, tokens[-1].end + 1
    file, line = text.pipeline.file, text.place(start)[0]
    if macro is not None:
        return Block(_macro(macro), BlockKind.MACRO, file, line, text.pipeline.sql[start:end])
    name, edits = _view(view or past)
    return Block(name, BlockKind.VIEW, file, line, edited(text.pipeline.sql, start, end, edits))


def _macro(cursor: Cursor) -> str:
    name = _name(cursor, "a macro")
    if name in GRAMMAR:
        raise cursor.wrong(UnreadStatement, f"{name} is a word of SQL itself", fix="name the macro otherwise")
    opens = cursor.moved(1)
    if opens.word() == ".":
        raise cursor.wrong(UnreadConstruct, "a macro's name has no schema", fix="write create macro name(…) as …")
    if opens.word() != "(":
        raise opens.wrong(UnreadConstruct, "a macro has its parameters in parentheses", fix=FORM)
    _require_plain_parameters(opens)
    return name


def _require_plain_parameters(opens: Cursor) -> None:
    """Check that each parameter is a name, perhaps with a default: a type would be a cast that no text shows."""
    depth, cursor = 1, opens.moved(1)
    begins = True
    while cursor.at < len(cursor.tokens):
        word = cursor.tokens[cursor.at].text
        depth += (word in "([{") - (word in ")]}") if len(word) == 1 else 0
        if depth == 0:
            return
        if begins and cursor.word(1) not in (",", ")", ":="):
            fix = "write the name alone, := and a default after it where there is one, and cast in the body"
            raise cursor.moved(1).wrong(UnreadConstruct, "a parameter's type is not read", fix=fix)
        begins = depth == 1 and word == ","
        cursor = cursor.moved(1)


def _view(cursor: Cursor) -> tuple[str, tuple[Edit, ...]]:
    """Return the view's name, and what its text is to have in place of a list of columns."""
    schema = _name(cursor, "a schema")
    if cursor.word(1) != ".":
        raise cursor.wrong(UnreadConstruct, "a view is named by schema and name", fix=FORM)
    name = _name(cursor.moved(2), "a view")
    rest = cursor.moved(3)
    if rest.word() == "(":
        return f"{schema}.{name}", _named_columns(rest, name)
    _require_as(rest)
    return f"{schema}.{name}", ()


def _named_columns(opens: Cursor, view: str) -> tuple[Edit, Edit]:
    """Return the edits that make ``(a, b) as query`` be ``as from (query) as view(a, b)``, each line where it was."""
    closes = opens.moved(1)
    while closes.at < len(closes.tokens) and closes.word() != ")":
        closes = closes.moved(1)
    rest = closes.moved(1)
    _require_as(rest)
    if rest.at + 1 >= len(rest.tokens):
        raise rest.wrong(UnreadConstruct, "a query is expected after AS", fix=FORM)
    sql, begins, end = rest.text.pipeline.sql, rest.tokens[rest.at + 1].start, rest.tokens[-1].end + 1
    first = opens.tokens[opens.at].start
    listed = " ".join(sql[first : closes.tokens[closes.at].end + 1].split())
    lines = sql.count("\n", first, begins)
    _, column = rest.text.place(begins)
    head = " as from (" + "\n" * lines + " " * (column - 1) if lines else " as from (".ljust(begins - first)
    return (first, begins, head), (end, end, f"\n) as {view}{listed}")


def _require_as(rest: Cursor) -> None:
    if rest.word() != "AS":
        raise rest.wrong(UnreadConstruct, f"AS and a query are expected here, not {rest.word() or 'the end'}", fix=FORM)


def _name(cursor: Cursor, what: str) -> str:
    token = cursor.tokens[cursor.at] if cursor.at < len(cursor.tokens) else None
    name = token.text.lower() if token is not None and token.token_type is not TokenType.STRING else ""
    if not NAME.fullmatch(name) or cursor.after("IF", "NOT", "EXISTS"):
        fix = "name it in letters, digits and underscores, beginning with a letter"
        raise cursor.wrong(UnreadConstruct, f"the name of {what} is expected here", fix=fix)
    return name
