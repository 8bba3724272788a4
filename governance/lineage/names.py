"""Names apart from any scope: a reference's parts, struct members, positions, and names that need no column."""

import difflib
from collections.abc import Sequence

from sqlglot import exp

from governance.errors import LineageError, UnknownColumn
from governance.lineage.columns import Column, Relation
from governance.lineage.dialects import Rules
from governance.lineage.edges import TRANSFORMATION, moved
from governance.lineage.session import Session
from governance.lineage.structs import declared_members


def qualified(tree: exp.Expr) -> list[exp.Expr]:
    """Return the identifiers of a column reference, the outermost first."""
    return [tree.args[part] for part in ("catalog", "db", "table", "this") if tree.args.get(part) is not None]


def identifier(tree: exp.Expr) -> exp.Expr:
    """Return the name in a column definition, reference or list item; a struct's member is its column's name."""
    while tree.__class__ is not exp.Identifier:
        inner = tree.args.get("this")
        if not isinstance(inner, exp.Expr):
            return exp.Identifier(this=str(tree.name))
        tree = inner
    return tree


def nearest(text: str, known: set[str]) -> str | None:
    """Return the name in ``known`` that is most like ``text``, None where none is close."""
    found = difflib.get_close_matches(text.lower(), sorted(name.lower() for name in known), 1)
    return next((name for name in sorted(known) if found and name.lower() == found[0]), None)


def unknown_column(session: Session, name: exp.Expr, where: Sequence[Relation]) -> LineageError:
    """Return the error that none of the relations ``where`` has the column ``name``."""
    text = name.name
    titles = [relation.title or relation.alias or "the subquery" for relation in where]
    places = ", ".join(titles) or "a query without FROM"
    missing = f"{titles[0]} has no column {text}" if len(titles) == 1 else f"no column {text} in {places}"
    known = {column.name for relation in where for column in relation.columns.all() or ()}
    near = nearest(text, known)
    fix = f"did you mean {near}?" if near else "correct the name or the table's schema"
    if near and near.lower() == text.lower():
        fix = f'did you mean "{near}"? Names in quotes keep their case'
    return session.error(UnknownColumn, missing, name, fix=fix)


def member(column: Column, keys: Sequence[str], rules: Rules) -> Column | None:
    """Return the struct member of ``column`` at ``keys``, None where the struct is known to lack it.

    A member of a value that is not known part by part comes from the whole value.
    """
    for key in keys:
        members = declared_members(column, rules)
        inner = members.get(key) if members is not None else Column(key, key, moved(column.deps, TRANSFORMATION))
        if inner is None:
            return None
        column = inner
    return column


def at_position(relation: Relation, tree: exp.Expr) -> Column | None:
    """Return the column of ``relation`` that ``$n`` means; None where ``tree`` is no position."""
    number = tree.args["this"].name if isinstance(tree.args["this"], exp.Expr) else str(tree.args["this"])
    if not number.isdecimal():
        return None
    columns = relation.columns.all()
    if columns is None:
        return relation.columns.find(f"${number}", f"${number}")
    return columns[int(number) - 1] if 0 < int(number) <= len(columns) else None


SEQUENCES = frozenset({"nextval", "currval"})
"""What a sequence gives: from no column."""

PSEUDO = frozenset(
    [
        "rowid",
        "rownum",
        "level",
        "connect_by_isleaf",
        "connect_by_iscycle",
        "sysdate",
        "systimestamp",
        "user",
        "current_user",
        "session_user",
        "_partitiontime",
        "_partitiondate",
        "_table_suffix",
        "metadata$filename",
        "metadata$file_row_number",
        "input_file_name",
        "ctid",
        "xmin",
        "oid",
        "current_date",
        "current_timestamp",
        "current_time",
        "localtime",
        "localtimestamp",
        "today",
        "now",
        "_file_name",
        "filename",
        "file_row_number",
        "snapshot_id",
    ]
)
"""Names that engines answer without a column; looked at only where no column has the name."""
