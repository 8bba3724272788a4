"""COPY: a file, stage or query into a table, or a table or query into a file."""

from collections.abc import Iterable

from sqlglot import exp

from governance.errors import UnreadStatement
from governance.lineage.columns import Query
from governance.lineage.edges import IDENTITY, moved
from governance.lineage.environment import Environment
from governance.lineage.files import columns_of
from governance.lineage.names import identifier, schema_of
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.target import Effect, Target, column_of, every, target_of, written


def read_copy(tree: exp.Expr, session: Session) -> Iterable[Effect]:
    """COPY: a file, stage or query into a table, or a table or query into a file."""
    table, listed = schema_of(tree.args["this"])
    place = (tree.args.get("files") or [None])[0]
    if place is None:
        raise session.error(UnreadStatement, "COPY without a file is not read", tree, fix="name the file")
    out_of = not tree.args.get("kind")
    if out_of or (table.__class__ is exp.Table and table.args["this"].__class__ in {exp.Var, exp.Literal}):
        yield _unload(table, listed, place, session, is_file=bool(out_of))
        return
    target = target_of(table, session)
    scope = Scope(session, Environment({}))
    if isinstance(place, exp.Query):
        query = session.read(place, session, scope.env, None)
        yield Effect(target.name, query._replace(columns=written(target, query.columns, listed, session)))
        return
    yield _load(target, listed, place, scope)


def _unload(table: exp.Expr, listed: list[exp.Expr], place: exp.Expr, session: Session, *, is_file: bool) -> Effect:
    source, name = (table, f"file:{place.name}") if is_file else (place, table.args["this"].name)
    query = session.read(source, session, Environment({}), None)
    if listed:
        wanted = [session.key(identifier(part)) for part in listed]
        query = query._replace(columns=[column for key in wanted for column in query.columns if column.key == key])
    return Effect(name, query, replaces=True)


def _load(target: Target, listed: list[exp.Expr], place: exp.Expr, scope: Scope) -> Effect:
    """A file's columns fill the table's by position where they are declared, else under the same names."""
    session = scope.session
    path = place.args["this"].name if place.__class__ is exp.Table else place.name
    columns = columns_of(scope, [path])
    wanted = [column_of(target, part, session) for part in listed] if listed else every(target, session)
    declared = columns.all()
    values = declared if declared is not None else [columns.find(c.key, c.name) or c for c in wanted]
    names = [exp.Identifier(this=column.name, quoted=True) for column in wanted]
    filled = written(target, values, names, session)
    return Effect(target.name, Query(filled, moved(scope.rows, IDENTITY), frozenset(scope.inputs)))
