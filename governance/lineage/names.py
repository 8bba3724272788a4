"""Names apart from any scope: a reference's parts, struct members, positions, and names that need no column."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import AmbiguousColumn, LineageError, UnknownColumn, UnknownTable
from governance.lineage.advice import instead_of_column, instead_of_qualifier, nearest, no_member, to_qualify
from governance.lineage.columns import Column, OpenColumns, Relation, whole_row
from governance.lineage.dialects import Rules
from governance.lineage.edges import TRANSFORMATION, moved, united
from governance.lineage.session import Session
from governance.lineage.structs import declared_members
from governance.lineage.written import DOCUMENT


def qualified(tree: exp.Expr) -> list[exp.Expr]:
    """Return the identifiers of a column reference, the outermost first."""
    return [tree.args[part] for part in ("catalog", "db", "table", "this") if tree.args.get(part) is not None]


def identifier(tree: exp.Expr) -> exp.Expr:
    """Return the name in a column definition, reference or list item; a struct's member is its column's name."""
    while tree.__class__ is not exp.Identifier:
        inner = tree.args.get("this")
        if not isinstance(inner, exp.Expr):
            return exp.Identifier(this="" if tree.__class__ is exp.Dot else str(tree.name))
        tree = inner
    return tree


def table_parts(tree: exp.Expr) -> list[exp.Expr]:
    """Return the identifiers of a table's name, catalog first."""
    parts = [tree.args[part] for part in ("catalog", "db") if isinstance(tree.args.get(part), exp.Expr)]
    name = tree.args["this"]
    while name.__class__ is exp.Dot:
        parts.append(name.args["this"])
        name = name.args["expression"]
    return [part if part.__class__ is exp.Identifier else _as_identifier(part) for part in (*parts, name)]


def sign_of(name: exp.Expr) -> str:
    """Return ``#`` or ``##`` where T-SQL's name of a temporary table begins so, "" before any other name."""
    return "#" if name.args.get("temporary") else "##" if name.args.get("global_") else ""


def full_path(session: Session, parts: Sequence[exp.Expr], name: str) -> tuple[str, ...]:
    """Return what a table may be qualified by, outermost first: as it is written, before it what its full name has."""
    path = tuple([session.key(part) for part in parts])
    outer = name.split(".")[: -len(path)]
    return (*[session.rules.fold(part, None) for part in outer], *path) if outer else path


def spelt(parts: Sequence[exp.Expr]) -> tuple[str, ...]:
    """Return the texts of a table's name; T-SQL's sign of a temporary table belongs to it, and a schema does not."""
    sign = sign_of(parts[-1])
    if sign:
        return (f"{sign}{parts[-1].args['this']}",)
    return tuple([part.args["this"] for part in parts])


def _as_identifier(tree: exp.Expr | str) -> exp.Expr:
    """T-SQL's table variable keeps its sign; whatever else stands there is a name that no table has."""
    if isinstance(tree, str):
        return exp.Identifier(this=tree)
    sign = "@" if tree.__class__ is exp.Parameter else ""
    return exp.Identifier(this=f"{sign}{tree.name}")


def schema_of(tree: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return a table and the columns listed after it."""
    if tree.__class__ is exp.Schema:
        return tree.args["this"], tree.args.get("expressions") or []
    return tree, []


def unknown_column(session: Session, name: exp.Expr, where: Sequence[Relation]) -> LineageError:
    """Return the error that none of the relations ``where`` has the column ``name``."""
    text = name.name
    titles = [relation.title or relation.alias or "the subquery" for relation in where]
    places = ", ".join(titles) or "a query without FROM"
    missing = f"{titles[0]} has no column {text}" if len(titles) == 1 else f"no column {text} in {places}"
    known = {column.name for relation in where for column in relation.columns.all() or ()}
    near = nearest(text, known)
    fix = f"did you mean {near}?" if near else "correct the name or the table's schema"
    fix = instead_of_column(session, text, where) or fix
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


def nth(column: Column, position: int) -> Column | None:
    """Return the part of a row at ``position``, from 1 on; None where its parts are not known."""
    parts = list((column.members or {}).values())
    return parts[position - 1] if 0 < position <= len(parts) else None


def at_positions(column: Column, path: exp.Expr) -> Column | None:
    """Return what ClickHouse's ``t.2`` or ``t.2.1`` takes from a tuple; None where its parts are not known."""
    found: Column | None = column
    for position in path.name.split("."):
        found = nth(found, int(position)) if found is not None and position.isdecimal() else None
    return found


def tuple_part(whole: Column, path: exp.Expr) -> Column:
    """Return what ClickHouse's ``t.2`` names: the part alone where it is known, else something of the whole."""
    part = at_positions(whole, path) or Column("", "", moved(whole.deps, TRANSFORMATION))
    return part._replace(name=path.name, key=path.name)


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
        "input__file__name",
        "block__offset__inside__file",
        "grouping__id",
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


def member_at(session: Session, column: Column, parts: Sequence[exp.Expr], start: int) -> Column:
    """Return the struct member of ``column`` that ``parts`` from ``start`` on name.

    Raises:
        UnknownColumn: the struct lacks it.
    """
    keys = [session.key(part) for part in parts[start:]]
    found = member(column, keys, session.rules) if keys else column
    if found is None:
        raise no_member(session, column, parts[start:])
    return found


def member_of(elements: Sequence[Column], key: str) -> Column | None:
    """Return the member ``key`` of an unnested struct: BigQuery puts them in scope beside it."""
    holders = [element.members[key] for element in elements if element.members and key in element.members]
    return holders[0] if len(holders) == 1 else None


def open_member(elements: Sequence[Column], key: str) -> Column | None:
    """Return ``key`` as a member of the one unnested collection whose elements nobody declared."""
    only = elements[0] if len(elements) == 1 else None
    if only is None or only.members or only.type.upper() != "ARRAY":
        return None
    return Column(key, key, only.deps)


def row_of(session: Session, relation: Relation, name: exp.Expr) -> Column:
    """Return a whole row as a value.

    Raises:
        UnknownColumn: the columns of the relation are not known.
    """
    columns = relation.columns.all()
    if columns is None:
        problem = f"the columns of {relation.alias} are not known"
        raise session.error(UnknownColumn, problem, name, fix="declare them in the schema")
    row = whole_row(relation.alias, columns)
    return row._replace(deps=moved(row.deps, TRANSFORMATION))


def row_without(session: Session, row: Column, star: exp.Expr) -> Column:
    """Return the row of ``t.* EXCLUDE (…)``."""
    names = [part if part.__class__ is exp.Identifier else part.args["this"] for part in star.args.get("except_") or ()]
    excluded = {session.key(name) for name in names}
    if not excluded or row.members is None:
        return row
    kept = united([column.deps for key, column in row.members.items() if key not in excluded])
    return Column("", "", moved(kept, TRANSFORMATION))


def ambiguous(session: Session, name: exp.Expr, holders: Sequence[Relation]) -> LineageError:
    """Return the error that several relations have the column ``name``."""
    tables = " and ".join(relation.alias or "a subquery" for relation in holders)
    fix = to_qualify(session, name, holders)
    return session.error(AmbiguousColumn, f"column {name.name} is in {tables}", name, fix=fix)


def no_qualifier(session: Session, tree: exp.Expr, name: exp.Expr, relations: Sequence[Relation]) -> LineageError:
    """Return the error that no relation in sight is called ``name``."""
    sight = ", ".join(relation.alias for relation in relations if relation.alias) or "scope"
    text = name.args["this"]
    fix = instead_of_qualifier(session, text, relations) or "correct the qualifier"
    problem = (
        f"no document in {sight}, and {text} is of one" if text == DOCUMENT else f"no table or alias {text} in {sight}"
    )
    return session.error(UnknownTable, problem, tree, fix=fix)


def column_in(relation: Relation, key: str) -> Column | None:
    """Return a column of a relation; a file whose columns nobody declared is asked last: it would have any."""
    columns = relation.columns
    return None if columns.__class__ is OpenColumns else columns.find(key, key)


def at_path(relations: Sequence[Relation], wanted: tuple[str, ...]) -> Relation | None:
    """Return the relation whose full name ends in ``wanted``."""
    for relation in relations:
        if relation.path and relation.path[-len(wanted) :] == wanted:
            return relation
    return None


def opened(relations: Sequence[Relation], key: str, name: exp.Expr) -> Column | None:
    """Return ``key`` of the one relation whose columns are not declared."""
    open_ = [relation for relation in relations if relation.columns.__class__ is OpenColumns]
    return open_[0].columns.find(key, name.args["this"]) if len(open_) == 1 else None
