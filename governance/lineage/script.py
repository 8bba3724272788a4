"""Statements in order: what each makes, what later ones find, and what is left as lineage in the end.

Temporary tables and views are resolved away; a table that the script makes and drops again counts as temporary. Several
statements that write one table give one lineage, united.
"""

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp

from governance.errors import DynamicSql, NoLineage, UnreadStatement
from governance.lineage.change import read_delete, read_merge, read_update
from governance.lineage.columns import Column, ListedColumns, Query, TableColumns
from governance.lineage.edges import IDENTITY, NOTHING, Deps, add
from governance.lineage.model import ColumnLineage, OutputField
from governance.lineage.naming import output_name
from governance.lineage.session import Macro, Made, Session
from governance.lineage.target import Effect, identifier, target_of
from governance.lineage.write import read_bare, read_copy, read_create, read_insert, read_many, schema_of, together

Reader = Callable[[exp.Expr, Session], Iterable[Effect]]


def read_script(trees: Sequence[exp.Expr], session: Session) -> tuple[ColumnLineage, ...]:
    """Return the lineage of each persistent output of the statements.

    Raises:
        UnreadStatement, DynamicSql: a kind of statement that is not read.
        NoLineage: nothing here reads or writes a table.
    """
    outputs = Outputs(session)
    passing = _dropped_again(trees, session)
    for number, tree in enumerate(trees):
        if tree.__class__ in DEFINITIONS and DEFINITIONS[tree.__class__](tree, session, outputs):
            continue
        reader = STATEMENTS.get(tree.__class__)
        if reader is None:
            raise _unread(tree, session)
        temporary = number in passing or _temporary(tree)
        for effect in reader(tree, session):
            outputs.take(effect, tree, temporary=temporary)
    found = outputs.lineages()
    if not found:
        aside = [tree for tree in trees if DEFINITIONS.get(tree.__class__) is _skip]
        if len(aside) == len(trees) > 0:
            raise _unread(aside[0], session)
        raise NoLineage("no statement here reads or writes a table", fix="write a query, CREATE TABLE AS or INSERT")
    return found


class Outputs:
    """What the statements wrote so far, in order of first writing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.effects: list[Effect] = []

    def take(self, effect: Effect, tree: exp.Expr, *, temporary: bool) -> None:
        """Count one effect: into a temporary relation, or into the lineage of its output."""
        session, name = self.session, effect.output
        if name is None:
            self.effects.append(effect)
            return
        made = session.made.get(name.lower())
        if temporary or (made is not None and made.query is not None and made.temporary):
            query = effect.query if effect.replaces or made is None else _grown(made, effect.query)
            session.made[name.lower()] = Made(name, ListedColumns(query.columns), query, temporary=True)
            session.used.discard(name.lower())
            return
        self._persist(effect, made)
        if _is_view(tree):
            session.made[name.lower()] = Made(name, ListedColumns(effect.query.columns), effect.query)
        elif effect.replaces and not name.startswith(("file:", "@")):
            session.made[name.lower()] = Made(name, stored(name, effect.query.columns, session))

    def _persist(self, effect: Effect, made: Made | None) -> None:
        """An effect on a table that was written before joins it; a new table under an old name takes its place."""
        del made
        for number, earlier in enumerate(self.effects):
            if earlier.output == effect.output:
                self.effects[number] = effect if effect.replaces else _joined(earlier, effect)
                return
        self.effects.append(effect)

    def rename(self, old: str, new: str) -> None:
        """Give a table its new name, in the lineage as well."""
        self.effects = [effect for effect in self.effects if effect.output != new]
        self.effects = [e._replace(output=new) if e.output == old else e for e in self.effects]
        made = self.session.made.pop(old.lower(), None)
        if made is not None:
            columns = made.columns if made.query is not None else stored(new, made.columns.all() or (), self.session)
            self.session.made[new.lower()] = Made(new, columns, made.query, temporary=made.temporary)

    def lineages(self) -> tuple[ColumnLineage, ...]:
        """Return the lineage of every output; a temporary table that nothing read is the result of its script."""
        made = self.session.made.items()
        unread = [
            Effect(m.name, m.query) for key, m in made if m.temporary and m.query and key not in self.session.used
        ]
        effects = [*self.effects, *(effect for effect in unread if effect.query.inputs or not self.effects)]
        return tuple(_lineage(effect, self.session) for effect in effects)


def _lineage(effect: Effect, session: Session) -> ColumnLineage:
    inputs = session.fields.inputs
    fields = tuple(OutputField(output_name(c, session), inputs(c.deps)) for c in effect.query.columns)
    return ColumnLineage(effect.output, fields, inputs(effect.query.rows), tuple(sorted(effect.query.inputs)))


def _joined(one: Effect, other: Effect) -> Effect:
    rows: Deps = dict(one.query.rows)
    add(rows, other.query.rows, IDENTITY)
    columns = together([one.query.columns, other.query.columns])
    return one._replace(query=Query(columns, rows, one.query.inputs | other.query.inputs))


def _grown(made: Made, query: Query) -> Query:
    """A temporary table after one more INSERT, UPDATE, MERGE or DELETE: all its columns, what they had and what they get."""
    before = made.query or Query([])
    return _joined(Effect(None, before), Effect(None, query)).query


def stored(name: str, columns: Sequence[Column], session: Session) -> TableColumns:
    """Return the columns of a table that the script made, as later statements find them."""
    return TableColumns(name, {column.name: column.type for column in columns}, session.rules, session.fields)


def _unread(tree: exp.Expr, session: Session) -> Exception:
    text = tree.sql()[:60] if tree.__class__ is exp.Command else tree.key.upper()
    word = str(tree.args.get("this", "")).upper() if tree.__class__ is exp.Command else tree.key.upper()
    if word in {"EXECUTE", "EXECUTESQL", "EXEC", "PREPARE"}:
        return session.error(DynamicSql, f"{text} runs SQL that no text shows", tree, fix="write the statement itself")
    fix = "use CREATE TABLE AS, INSERT, MERGE, UPDATE, DELETE or SELECT"
    return session.error(UnreadStatement, f"{text} is a statement that is not read", tree, fix=fix)


def _temporary(tree: exp.Expr) -> bool:
    if tree.__class__ is exp.Cache:
        return True
    if tree.__class__ is exp.Select:
        into = tree.args.get("into")
        return into is not None and bool(into.args.get("temporary"))
    if tree.__class__ is not exp.Create:
        return False
    table, _ = schema_of(tree.args["this"])
    properties = tree.args.get("properties")
    found = properties.args.get("expressions") or () if properties is not None else ()
    return any(part.__class__ is exp.TemporaryProperty for part in found) or table.name.startswith("#")


def _is_view(tree: exp.Expr) -> bool:
    return tree.__class__ is exp.Create and (tree.args.get("kind") or "").upper() == "VIEW"


def _dropped_again(trees: Sequence[exp.Expr], session: Session) -> set[int]:
    """Return which CREATE statements make a table that a later statement drops."""
    latest: dict[str, int] = {}
    passing: set[int] = set()
    for number, tree in enumerate(trees):
        if tree.__class__ is exp.Create:
            table, _ = schema_of(tree.args["this"])
            if table.__class__ is exp.Table:
                latest[target_of(table, session).name.lower()] = number
        elif tree.__class__ is exp.Drop:
            dropped = {latest.pop(name, None) for name in _dropped(tree, session)}
            passing |= {number for number in dropped if number is not None}
    return passing


def _dropped(tree: exp.Expr, session: Session) -> list[str]:
    tables = [part for part in tree.args.get("tables") or () if part.__class__ is exp.Table]
    return [target_of(part, session).name.lower() for part in tables]


def _drop(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    for name in _dropped(tree, session):
        session.made.pop(name, None)
    return True


def _skip(_tree: exp.Expr, _session: Session, _outputs: Outputs) -> bool:
    return True


def _use(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    this = tree.args.get("this")
    if this.__class__ is exp.Table:
        session.tables.use(tuple(part.name for part in (this.args.get("db"), this.args["this"]) if part is not None))
    return True


def _define(tree: exp.Expr, session: Session, _outputs: Outputs) -> bool:
    """CREATE that has no lineage of its own: a macro, an empty table, a schema."""
    kind = (tree.args.get("kind") or "").upper()
    this = tree.args["this"]
    if this.__class__ is exp.UserDefinedFunction:
        _macro(tree, this, session)
        return True
    if kind in {"TABLE", "VIEW"}:
        if tree.args.get("expression") is None and tree.args.get("clone") is None:
            _empty_table(tree, session)
            return True
        return False
    if kind in {"PROCEDURE", "TRIGGER"}:
        raise session.error(UnreadStatement, f"CREATE {kind} is not read", tree, fix="write its statements themselves")
    return True


def _macro(tree: exp.Expr, this: exp.Expr, session: Session) -> None:
    body = tree.args.get("expression")
    if body is None or body.__class__ in {exp.Literal, exp.RawString, exp.Heredoc}:
        return
    names, defaults = [], {}
    for part in this.args.get("expressions") or ():
        name = session.key(identifier(part))
        names.append(name)
        if part.__class__ in {exp.PropertyEQ, exp.EQ, exp.Kwarg}:
            defaults[name] = part.args["expression"]
    session.macros[this.args["this"].name.lower()] = Macro(tuple(names), defaults, body)


def _empty_table(tree: exp.Expr, session: Session) -> None:
    table, listed = schema_of(tree.args["this"])
    target = target_of(table, session)
    if tree.args.get("exists") and target.columns is not None:
        return
    names = [identifier(part) for part in listed if part.__class__ in {exp.ColumnDef, exp.Identifier}]
    columns = [Column(name.args["this"], session.key(name), NOTHING) for name in names]
    like = next(tree.find_all(exp.LikeProperty), None)
    if like is not None:
        source = target_of(like.args["this"], session).columns
        columns = [column._replace(deps=NOTHING) for column in (source.all() or () if source is not None else ())]
    if _temporary(tree):
        session.made[target.name.lower()] = Made(target.name, ListedColumns(columns), Query(columns), temporary=True)
    elif columns:
        session.made[target.name.lower()] = Made(target.name, stored(target.name, columns, session))


def _alter(tree: exp.Expr, session: Session, outputs: Outputs) -> bool:
    target = target_of(tree.args["this"], session)
    for action in tree.args.get("actions") or ():
        if action.__class__ is exp.AlterRename:
            outputs.rename(target.name, _renamed(target.name, action.args["this"], session))
        elif action.__class__ in ALTERATIONS:
            columns = ALTERATIONS[action.__class__](
                list(target.columns.all() or ()) if target.columns else [], action, session
            )
            session.made[target.name.lower()] = Made(target.name, stored(target.name, columns, session))
        elif action.__class__ is exp.SwapTable:
            raise session.error(UnreadStatement, "ALTER … SWAP is not read", tree, fix="rename the tables one by one")
    return True


def _renamed(old: str, tree: exp.Expr, session: Session) -> str:
    """The new name stays in the old one's schema where it names none."""
    name = tree.name
    return (
        f"{old.rpartition('.')[0]}.{name}" if not tree.args.get("db") and "." in old else target_of(tree, session).name
    )


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
    **dict.fromkeys(
        (
            exp.Set, exp.Transaction, exp.Commit, exp.Rollback, exp.Comment, exp.Grant, exp.Revoke, exp.Analyze, exp.Pragma,
            exp.TruncateTable, exp.Declare, exp.Semicolon, exp.Attach, exp.Detach, exp.Refresh, exp.Uncache,
        ),
        _skip,
    ),
}  # fmt: skip
"""Statements that only change what later ones find; each says whether that is all there is to them."""

STATEMENTS: dict[type, Reader] = {
    **dict.fromkeys(
        (exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.Values, exp.Pivot, exp.Table), read_bare
    ),
    exp.Create: read_create,
    exp.Cache: read_create,
    exp.Insert: read_insert,
    exp.MultitableInserts: read_many,
    exp.Copy: read_copy,
    exp.Update: read_update,
    exp.Delete: read_delete,
    exp.Merge: read_merge,
}
"""Statements that read or write tables."""
