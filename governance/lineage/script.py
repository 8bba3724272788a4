"""Statements in order: what each makes, what later ones find, and what is left as lineage in the end.

Temporary tables and views are resolved away; a table that the script makes and drops again counts as temporary. Several
statements that write one table give one lineage, united.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlglot import exp

from governance.errors import DynamicSql, LineageError, NoLineage, UnparsableSql, UnreadConstruct, UnreadStatement
from governance.lineage.change import read_delete, read_update
from governance.lineage.copying import read_copy
from governance.lineage.definitions import DEFINITIONS, dropped, skip
from governance.lineage.inlining import inlined
from governance.lineage.merge import read_merge
from governance.lineage.model import ColumnLineage
from governance.lineage.multiple import read_many
from governance.lineage.names import schema_of
from governance.lineage.outputs import Outputs
from governance.lineage.session import Session
from governance.lineage.target import Effect, made_by
from governance.lineage.temporary import temporary
from governance.lineage.write import read_bare, read_create, read_insert

Reader = Callable[[exp.Expr, Session], Iterable[Effect]]


def read_script(trees: Sequence[exp.Expr], session: Session) -> tuple[ColumnLineage, ...]:
    """Return the lineage of each persistent output of the statements.

    Raises:
        UnreadStatement, DynamicSql: a kind of statement that is not read.
        NoLineage: nothing here reads or writes a table.
    """
    trees = list(_unconditional(trees, session))
    outputs = Outputs(session)
    passing = _dropped_again(trees, session)
    for number, tree in enumerate(trees):
        outputs.passing = number in passing
        if tree.__class__ in DEFINITIONS and DEFINITIONS[tree.__class__](tree, session, outputs):
            continue
        reader = STATEMENTS.get(tree.__class__)
        if reader is None:
            raise _unread(tree, session)
        returning = tree.args.get("returning")
        if returning is not None and returning.args.get("into"):
            fix = "write that table by a statement of its own"
            raise session.error(UnreadConstruct, "OUTPUT … INTO is not read", returning, fix=fix, clause="output")
        for effect in reader(inlined(tree, session), session):
            outputs.take(effect, tree, temporary=outputs.passing or temporary(tree))
    found = outputs.lineages()
    if not found:
        aside = [t for t in trees if DEFINITIONS.get(t.__class__) is skip or t.__class__ in {exp.Set, exp.Command}]
        if len(aside) == len(trees) > 0:
            raise _unread(aside[0], session)
        raise NoLineage("no statement here reads or writes a table", fix="write a query, CREATE TABLE AS or INSERT")
    return found


def _unconditional(trees: Iterable[exp.Expr], session: Session) -> Iterator[exp.Expr]:
    """T-SQL's ``IF OBJECT_ID(…) IS NOT NULL DROP TABLE …``: an IF over the catalog alone is read as if it held.

    Raises:
        UnreadStatement: the condition of an IF depends on data.
    """
    for tree in trees:
        if tree.__class__ is not exp.IfBlock:
            yield tree
            continue
        condition = tree.args.get("this")
        if condition is None:
            raise session.error(UnparsableSql, "IF without a condition", tree, fix="complete it")
        tables = list(condition.find_all(exp.Table))
        if (
            condition.find(exp.Parameter)
            or any(part.args.get("db") is None for part in tables)
            or not {part.text("db").lower() for part in tables} <= {"sys", "information_schema"}
        ):
            raise session.error(UnreadStatement, "IF over data is not read", tree, fix="write what runs as a statement")
        branches = [tree.args.get("true"), tree.args.get("false")]
        found = [part for part in branches if isinstance(part, exp.Expr)]
        yield from _unconditional(
            [
                part
                for one in found
                for part in (one.expressions if one.__class__ is exp.Block else [one])
                if isinstance(part, exp.Expr)
            ],
            session,
        )


def _unread(tree: exp.Expr, session: Session) -> LineageError:
    text = tree.sql()[:60] if tree.__class__ is exp.Command else tree.key.upper()
    word = str(tree.args.get("this", "")).upper() if tree.__class__ is exp.Command else tree.key.upper()
    if word in {"EXECUTE", "EXECUTESQL", "EXEC", "PREPARE"}:
        return session.error(DynamicSql, f"{text} runs SQL that no text shows", tree, fix="write the statement itself")
    fix = "use CREATE TABLE AS, INSERT, MERGE, UPDATE, DELETE or SELECT"
    return session.error(UnreadStatement, f"{text} is a statement that is not read", tree, fix=fix)


def _dropped_again(trees: Sequence[exp.Expr], session: Session) -> set[int]:
    """Return which CREATE statements make a table that a later statement drops."""
    latest: dict[str, int] = {}
    passing: set[int] = set()
    for number, tree in enumerate(trees):
        if tree.__class__ is exp.Create and (tree.args.get("kind") or "").upper() in {"TABLE", "VIEW"}:
            table, _ = schema_of(tree.args["this"])
            if table.__class__ is exp.Table:
                latest[made_by(tree, table, session).lower()] = number
        elif tree.__class__ is exp.Drop:
            gone = {latest.pop(name, None) for name in dropped(tree, session, latest)}
            passing |= {number for number in gone if number is not None}
    return passing


STATEMENTS: dict[type, Reader] = {
    **dict.fromkeys(
        (exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.Values, exp.Pivot, exp.Table), read_bare
    ),
    exp.LockingStatement: lambda tree, session: read_bare(tree.args["expression"], session),
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
