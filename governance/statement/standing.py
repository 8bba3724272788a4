"""What the names in a query stand for: the texts of macros, views and files, in place of their names."""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from governance.block import BlockKind
from governance.lineage.edges import inputs
from governance.lineage.inlining import inlined, substituted
from governance.lineage.parse import parse
from governance.lineage.prelude import after
from governance.lineage.session import Session
from governance.lineage.trace import Settings, session_over
from governance.statement.files import FORMATS, function_name
from governance.statement.merged import merged
from governance.statement.model import Statement
from governance.statement.relations import Relation
from governance.statement.text import DIALECT, Text
from governance.statement.through import functions_of

Schemas = Mapping[str, Mapping[str, str]]


def query_tree(statement: Statement) -> exp.Expr:
    """Return the tree of the statement's query as it stands."""
    return Text(statement.pipeline).tree(*_span(statement), functions_of(statement.pipeline.blocks))


def _span(statement: Statement) -> tuple[int, int]:
    """Return the first and past-the-last character of the query in the pipeline's text."""
    lines = statement.pipeline.sql.split("\n")[: statement.line - 1]
    return sum(len(line) + 1 for line in lines) + statement.column - 1, statement.span[1]


class Standing:
    """The names in one statement's query; ``read`` keeps what was made of views.

    ``seen`` counts the blocks that a text sees, as in ``lineage.session``.
    """

    def __init__(self, statement: Statement) -> None:
        """Raise LineageError where a block cannot be read."""
        self._statement = statement
        text, blocks = Text(statement.pipeline), statement.pipeline.blocks
        session = session_over(text.only(*_span(statement)), {}, inputs, Settings(DIALECT, None, frozenset(), blocks))
        self._session: Session = after(blocks, session)
        self.seen = self._session.seen
        self.read: dict[str, Relation] = {}

    def query(self, schemas: Schemas) -> exp.Expr:
        """Return the tree of the query, of a MERGE that of its SELECT, with the texts of macros in place of calls."""
        tree = query_tree(self._statement)
        return inlined(_select(self._statement, schemas) if isinstance(tree, exp.Merge) else tree, self._session)

    def view(self, name: str, seen: int) -> tuple[exp.Expr, int] | None:
        """Return the query that ``name`` stands for, and how much that sees; None where it stands for itself."""
        view = self._session.views.get(name)
        if view is None or view.number >= seen:
            return None
        return inlined(view.query, self._session), 0 if view.block.kind is BlockKind.FILE else view.number

    def rows(self, call: exp.Func) -> exp.Expr | None:
        """Return the query that the call of a table macro stands for, None where it is no such call."""
        macro = self._session.macros.get(function_name(call))
        if macro is None or not isinstance(macro.body, exp.Query):
            return None
        return inlined(substituted(macro, call, self._session), self._session)


def _select(statement: Statement, schemas: Schemas) -> exp.Expr:
    """Return the SELECT of a MERGE, without what it would say of an error."""
    made = merged(statement, statement.query, schemas)
    tree = parse(made.text, Dialect.get_or_raise(DIALECT), functions_of(statement.pipeline.blocks))[0]
    for literal in tree.find_all(exp.Literal):
        if literal.is_string and literal.name == made.twice:
            literal.replace(exp.Null())
    return tree


def path_of(call: exp.Func) -> str | None:
    """Return the dataset of files that a reading function reads, None where the function is none."""
    if function_name(call) not in FORMATS:
        return None
    first = call.args.get("this") if isinstance(call, exp.ReadCSV) else next(iter(call.expressions), None)
    literal = None if first is None else first.find(exp.Literal)
    return None if literal is None else literal.name


def options_of(call: exp.Func) -> list[exp.Expr]:
    """Return what a reading function is given beside its path."""
    given: list[exp.Expr] = call.expressions
    return given if isinstance(call, exp.ReadCSV) else given[1:]
