"""Statements in order: what each writes."""

from sqlglot import exp

from governance.errors import NoLineage, UnreadStatement
from governance.lineage.model import ColumnLineage
from governance.lineage.session import Session
from governance.lineage.write import STATEMENTS


def read_script(trees: list[exp.Expr], session: Session) -> tuple[ColumnLineage, ...]:
    """Return the lineage of each persistent output of the statements.

    Raises:
        UnreadStatement: a kind of statement that is not read.
        NoLineage: nothing here reads or writes a table.
    """
    results: list[ColumnLineage] = []
    for tree in trees:
        reader = STATEMENTS.get(tree.__class__)
        if reader is None:
            raise session.error(
                UnreadStatement,
                f"{tree.key.upper()} statements are not read",
                tree,
                fix="use CREATE TABLE AS, INSERT or SELECT",
            )
        results.extend(reader(tree, session))
    if not results:
        raise NoLineage("no statement here reads or writes a table", fix="write a query, CREATE TABLE AS or INSERT")
    return tuple(results)
