"""Statements that have no lineage of their own, but change what later statements find: DDL, macros, USE."""

from collections.abc import Callable, Container

from sqlglot import exp

from governance.errors import UnreadConstruct, UnreadStatement
from governance.lineage.columns import Column, ListedColumns, Query
from governance.lineage.edges import NOTHING
from governance.lineage.macros import TEXTS
from governance.lineage.names import identifier, schema_of
from governance.lineage.outputs import Outputs, stored
from governance.lineage.session import Macro, Made, Session
from governance.lineage.target import Target, made_by, target_of
from governance.lineage.temporary import named_among, own_name, temporary
from governance.lineage.variables import assign, declare


def dropped(tree: exp.Expr, session: Session, known: Container[str]) -> list[str]:
    """Return which of the ``known`` tables a DROP names, in lower case."""
    tables = [part for part in tree.args.get("tables") or () if part.__class__ is exp.Table]
    return [name for name in (named_among(session, part, known) for part in tables) if name is not None]


def _drop(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    for name in dropped(tree, session, session.made):
        session.made.pop(name, None)
    return True


def skip(_tree: exp.Expr, _session: Session, _outputs: Outputs) -> bool:
    """Pass over a statement that changes neither data nor names."""
    return True


def _declare(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    declare(tree, session)
    return True


def _set(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    assign(tree, session)
    return True


def _command(tree: exp.Expr, _session: Session, _outputs: Outputs) -> bool:
    """One of the words that change nothing; some of them reach us as a lonely name."""
    word = tree.name if tree.__class__ is exp.Column else str(tree.args.get("this", ""))
    return word.upper().split(" ")[0] in HOUSEKEEPING


HOUSEKEEPING = frozenset({
    "VACUUM", "CHECKPOINT", "INSTALL", "LOAD", "OPTIMIZE", "MSCK", "ADD", "GO", "COLLECT", "REINDEX", "CLUSTER",
    "PRINT",
})  # fmt: skip
"""Commands that neither read nor write what a table holds."""


def _use(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    this = tree.args.get("this")
    if this.__class__ is exp.Table:
        session.tables.use(tuple(part.name for part in (this.args.get("db"), this.args["this"]) if part is not None))
    return True


def _define(tree: exp.Expr, session: Session, outputs: Outputs) -> bool:
    """CREATE that has no lineage of its own: a macro, an empty table, a schema."""
    kind = (tree.args.get("kind") or "").upper()
    this = tree.args["this"]
    if this.__class__ is exp.UserDefinedFunction and kind != "PROCEDURE":
        define_macro(tree, this, session)
        return True
    if kind in {"TABLE", "VIEW"}:
        if _is_model(tree, session) or (tree.args.get("expression") is None and tree.args.get("clone") is None):
            _empty_table(tree, session, passing=outputs.passing)
            return True
        return False
    if kind in {"PROCEDURE", "TRIGGER"}:
        raise session.error(UnreadStatement, f"CREATE {kind} is not read", tree, fix="write its statements themselves")
    return True


def _is_model(tree: exp.Expr, session: Session) -> bool:
    """ClickHouse's ``CREATE TABLE x AS t`` takes the columns of t and none of its rows."""
    return session.rules.name == "clickhouse" and tree.args.get("expression").__class__ is exp.Table


def define_macro(tree: exp.Expr, this: exp.Expr, session: Session) -> None:
    """Let calls find the macro ``this`` that the statement ``tree`` makes.

    Raises:
        UnreadConstruct: it has several bodies.
    """
    body = tree.args.get("expression")
    if body is None or (body.__class__ in TEXTS and not _reads_tables(tree, body)):
        return
    if body.__class__ is exp.MacroOverloads:
        problem = f"the macro {this.args['this'].name} has several bodies"
        raise session.error(UnreadConstruct, problem, body, fix="make one macro of each, under names of their own")
    names: list[str] = []
    defaults: dict[str, exp.Expr] = {}
    for part in this.args.get("expressions") or ():
        parameter = session.key(identifier(part))
        names.append(parameter)
        if part.__class__ in {exp.PropertyEQ, exp.EQ, exp.Kwarg}:
            defaults[parameter] = part.args["expression"]
        default = part.find(exp.DefaultColumnConstraint)
        if default is not None:
            defaults[parameter] = default.args["this"]
    name = this.args["this"].name
    session.macros[name.lower()] = Macro(tuple(names), defaults, body, name)


def _reads_tables(tree: exp.Expr, body: exp.Expr) -> bool:
    """Tell whether a function whose body is a text of SQL may read tables: then its calls are refused."""
    language = next((part.name.lower() for part in tree.find_all(exp.LanguageProperty)), "sql")
    return "sql" in language and "from" in body.name.lower().split()


def _empty_table(tree: exp.Expr, session: Session, *, passing: bool) -> None:
    table, listed = schema_of(tree.args["this"])
    passing = passing or temporary(tree)
    name = made_by(tree, table, session)
    if tree.args.get("exists") and (name.lower() in session.made or (not passing and name in session.tables.schema)):
        return
    names = [identifier(part) for part in listed if part.__class__ in {exp.ColumnDef, exp.Identifier}]
    columns = [Column(part.args["this"], session.key(part), NOTHING) for part in names]
    like = next(tree.find_all(exp.LikeProperty), None)
    model = tree.args.get("expression") if like is None else like.args["this"]
    if model is not None:
        source = target_of(model, session).columns
        columns = [column._replace(deps=NOTHING) for column in (source.all() or () if source is not None else ())]
    if passing:
        session.made[name.lower()] = Made(name, ListedColumns(columns), Query(columns), temporary=True)
    elif columns:
        session.made[name.lower()] = Made(name, stored(name, columns, session))


def _alter(tree: exp.Expr, session: Session, outputs: Outputs) -> bool:
    if tree.args.get("this").__class__ is not exp.Table:  # ALTER SESSION and the like
        return True
    target = target_of(tree.args["this"], session)
    actions: list[exp.Expr] = tree.args.get("actions") or []
    for action in actions:
        if action.__class__ is exp.AlterRename:
            outputs.rename(target.name, _renamed(target.name, action.args["this"], session))
        elif action.__class__ in ALTERATIONS:
            _alter_columns(target, action, session, outputs)
        elif action.__class__ in REFUSED:
            words, fix = REFUSED[action.__class__]
            raise session.error(UnreadStatement, f"ALTER … {words} is not read", tree, fix=fix)
    return True


REFUSED: dict[type, tuple[str, str]] = {
    exp.SwapTable: ("SWAP", "rename the tables one by one"),
    exp.Delete: ("DELETE", "write DELETE FROM"),
}
"""Alterations that change what tables hold → their words, and what to write instead."""


def _alter_columns(target: Target, action: exp.Expr, session: Session, outputs: Outputs) -> None:
    """Change the columns of a table for later statements, and in what was written to it."""
    change = ALTERATIONS[action.__class__]
    key, name = target.name.lower(), target.name
    made = session.made.get(key)
    if made is not None and made.query is not None:
        query = made.query._replace(columns=change(list(made.query.columns), action, session))
        session.made[key] = Made(name, ListedColumns(query.columns), query, temporary=made.temporary)
    else:
        before = list(target.columns.all() or ()) if target.columns is not None else []
        session.made[key] = Made(name, stored(name, change(before, action, session), session))

    def changed(columns: list[Column]) -> list[Column]:
        return change(columns, action, session)

    outputs.alter(name, changed)


def _renamed(old: str, tree: exp.Expr, session: Session) -> str:
    """The new name stays in the old one's schema where it names none."""
    made = session.made.get(old.lower())
    if not tree.args.get("db") and "." in old:
        return f"{old.rpartition('.')[0]}.{tree.name}"
    return own_name(session, tree) if made is not None and made.temporary else target_of(tree, session).name


def _added(columns: list[Column], action: exp.Expr, session: Session) -> list[Column]:
    name = identifier(action)
    return [*columns, Column(name.args["this"], session.key(name), NOTHING)]


def _column_renamed(columns: list[Column], action: exp.Expr, session: Session) -> list[Column]:
    old, new = identifier(action.args["this"]), identifier(action.args["to"])
    return [
        c._replace(name=new.args["this"], key=session.key(new)) if c.key == session.key(old) else c for c in columns
    ]


def _removed(columns: list[Column], action: exp.Expr, session: Session) -> list[Column]:
    gone = {session.key(identifier(part)) for part in action.args.get("tables") or ()}
    return [column for column in columns if column.key not in gone]


ALTERATIONS: dict[type, Callable[[list[Column], exp.Expr, Session], list[Column]]] = {
    exp.ColumnDef: _added,
    exp.RenameColumn: _column_renamed,
    exp.Drop: _removed,
}

DEFINITIONS: dict[type, Callable[[exp.Expr, Session, Outputs], bool]] = {
    exp.Create: _define,
    exp.Drop: _drop,
    exp.Alter: _alter,
    exp.Use: _use,
    exp.Command: _command,
    exp.Column: _command,
    exp.Declare: _declare,
    exp.Set: _set,
    **dict.fromkeys(
        (
             exp.Transaction, exp.Commit, exp.Rollback, exp.Comment, exp.Grant, exp.Revoke, exp.Analyze,
            exp.Pragma, exp.TruncateTable,  exp.Semicolon, exp.Attach, exp.Detach, exp.Refresh, exp.Uncache,
        ),
        skip,
    ),
}  # fmt: skip
"""Statements that only change what later ones find; each says whether that is all there is to them."""
