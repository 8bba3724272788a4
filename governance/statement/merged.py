"""A MERGE as the one SELECT that gives its table's new rows, so that every engine runs it and one commit takes it.

Three parts, each with only those names in sight that a MERGE shows there::

    rows of the table that match   with what the first WHEN MATCHED that applies makes of them
    rows of the table that do not  with what WHEN NOT MATCHED BY SOURCE makes of them
    rows of the source that do not with what WHEN NOT MATCHED inserts

The source is computed once. A row of the table that the conditions let two rows of the source change is an error, as
the SQL standard has it: DuckDB's own MERGE takes any of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage import column_lineage
from governance.statement.cursor import Cursor
from governance.statement.merge import Act, Merge, Piece, When, Whole, read_merge
from governance.statement.merge_select import Writing, laid, quoted
from governance.statement.model import Statement
from governance.statement.text import DIALECT, Text
from governance.statement.through import functions_of

UNNAMED = "unnamed_subquery"
"""What DuckDB calls a query in FROM that has no alias."""

FIX = "let the source have one row for each: group it, or keep one by row_number() … = 1; or say more in ON or WHEN"

Schemas = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Merged:
    """The SELECT of a MERGE.

    text:   the SELECT, its columns those of the table
    lines:  for each line of ``text`` the line of the pipeline's SQL that it is of
    twice:  what the engine's error says where two rows of the source would change one of the table, and nowhere else
    fix:    what to do then
    line:   where ON stands
    """

    text: str
    lines: tuple[int, ...]
    twice: str
    fix: str
    line: int

    def line_of(self, line: int) -> int:
        """Return the line of the pipeline's SQL for a line of ``text``."""
        return self.lines[line - 1] if 1 <= line <= len(self.lines) else self.line


def merged(statement: Statement, query: str, schemas: Schemas) -> Merged:
    """Return the SELECT of ``statement``, a MERGE, over tables and files of ``schemas``, its own table among them.

    ``query`` is ``statement.query``, with names of relations where that reads files.

    Raises:
        LineageError: a WHEN takes all columns of the source, and these do not fit the table's.
    """
    sql = "\n" * (statement.line - 1) + " " * (statement.column - 1) + query
    text = Text(replace(statement.pipeline, sql=sql))
    (tokens,) = text.statements()
    merge = read_merge(Cursor(text, tokens))
    tree = text.tree(tokens[0].start, tokens[-1].end + 1, functions_of(statement.pipeline.blocks))
    columns = schemas[statement.pipeline.table]
    _require_no_row(text, tree, columns)
    given = tree.args["using"].alias_or_name or UNNAMED
    whens = tuple(_resolved(statement, text, merge, schemas, given))
    own = merge.alias or tree.this.name
    twice = f"several rows of the source match one row of {statement.pipeline.table} {merge.joined} "
    twice += " ".join(merge.on.text.split())
    made, lines = laid(Writing(statement, merge, own, given, columns, whens, twice).select(), merge.line)
    return Merged(made, lines, twice, FIX, merge.on.line)


def _require_no_row(text: Text, tree: exp.Expr, columns: Iterable[str]) -> None:
    """Check that the table's alias stands for no whole row: the SELECT has a column more than the table."""
    alias = tree.this.alias_or_name.lower()
    if alias in {it.lower() for it in columns}:
        return
    for it in tree.find_all(exp.Column):
        if not it.table and it.name.lower() == alias and it.find_ancestor(exp.CTE, exp.Subquery) is None:
            place = it.this.meta.get("start", 0)
            problem = f"{it.name} is a whole row of {text.pipeline.table}"
            raise text.wrong(UnreadConstruct, place, problem, fix="name the columns", clause="merge")


def _resolved(statement: Statement, text: Text, merge: Merge, schemas: Schemas, given: str) -> Iterator[When]:
    """Yield each WHEN with the columns and values that it stands for; the source is called ``given``."""
    own = tuple(schemas[statement.pipeline.table])
    for when in merge.whens:
        if when.act is Act.INSERT and when.values and not when.columns:
            yield replace(when, columns=own)
        elif when.whole is not None:
            names = _source_columns(text, merge, schemas)
            yield _whole(statement, when, own, names, given)
        else:
            yield when


def _source_columns(text: Text, merge: Merge, schemas: Schemas) -> tuple[str, ...]:
    ctes = f"{merge.ctes.text}\n" if merge.ctes else ""
    (found,) = column_lineage(
        f"{ctes}select * from\n{merge.source.text}\n",
        schemas,
        dialect=DIALECT,
        prelude=text.pipeline.blocks,
    )
    return tuple(field.name for field in found.fields)


def _whole(statement: Statement, when: When, own: Sequence[str], names: Sequence[str], given: str) -> When:
    """Return a WHEN that takes the source's columns with one value for each column that it writes."""
    if when.whole is Whole.NAME:
        spelt = {it.lower(): it for it in own}
        columns = [spelt[it.lower()] for it in names]
    else:
        columns = [*own]
        _require_fit(statement, when, own, names)
    values = tuple(Piece(f"{quoted(given)}.{quoted(it)}", when.line, when.column) for it in names)
    return replace(when, columns=tuple(columns), values=values)


def _require_fit(statement: Statement, when: When, own: Sequence[str], names: Sequence[str]) -> None:
    pairs = [*zip(own, names, strict=False)]
    other = next(((mine, it) for mine, it in pairs if mine.lower() != it.lower()), None)
    if when.whole is Whole.STAR and other is not None:
        problem = f"{when.act.value} * takes the source's columns by position, and {other[1]} stands where "
        problem += f"{statement.pipeline.table} has {other[0]}; Spark's MERGE would take them by name"
        fix = "list the columns, or select them in the table's order"
        line, column = statement.pipeline.place(when.line, when.column)
        raise UnreadConstruct(
            problem, fix=fix, pipeline=statement.pipeline.file, line=line, column=column, clause="merge"
        )
