"""WITH: common table expressions, recursive ones by fixpoint."""

from collections.abc import Sequence

from sqlglot import exp

from governance.errors import ColumnCountMismatch, LineageError, UnreadConstruct
from governance.lineage.columns import Column, Query
from governance.lineage.edges import AS_IS, MASKED, NOTHING, Deps, Source, add, unknown, unmixed
from governance.lineage.environment import Environment
from governance.lineage.names import identifier
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from governance.lineage.value import value_of

IMPLICITLY_RECURSIVE = frozenset({"tsql", "oracle", "snowflake", "teradata"})
"""Dialects in which a CTE that names itself is recursive without the word RECURSIVE."""


def with_ctes(with_: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Environment:
    """Return ``env`` and the CTEs of ``with_``, read in order.

    One that cannot be read is an error only where it is used: the engines do not look into the others either.

    Raises:
        UnreadConstruct: one of them changes a table, which it does even where nothing uses it.
    """
    queries: dict[str, Query | LineageError] = {}
    inner = Environment(queries, env)
    recursive = bool(with_.args.get("recursive")) or session.rules.name in IMPLICITLY_RECURSIVE
    for cte in with_.args["expressions"]:
        key = session.key(cte.args["alias"].args["this"])
        if cte.args.get("scalar"):
            inner.scalars[key] = _scalar(cte.args["this"], key, Scope(session, inner, parent))
            continue
        if cte.args["this"].__class__ in CHANGES:
            problem = f"{cte.args['this'].key.upper()} in a WITH is not read"
            raise session.error(UnreadConstruct, problem, cte, fix="make it a statement of its own", clause="with")
        read = _fixpoint if recursive and _is_recursive(cte, key, session) else _once
        try:
            queries[key] = read(cte, session, inner, parent)
        except LineageError as error:
            queries[key] = error
    return inner


CHANGES = frozenset({exp.Insert, exp.Update, exp.Delete, exp.Merge})


def _scalar(tree: exp.Expr, key: str, scope: Scope) -> exp.Expr | Column:
    """A subquery is read here and once, any other expression where its name is used."""
    return Column(key, key, value_of(scope, tree)) if isinstance(tree, exp.Query) else tree


def _is_recursive(cte: exp.Expr, key: str, session: Session) -> bool:
    tree = cte.args["this"]
    if tree.__class__ is not exp.Union:
        return False
    names = (table.args["this"] for table in tree.find_all(exp.Table))
    return any(name.__class__ is exp.Identifier and session.key(name) == key for name in names)


def _listed(cte: exp.Expr) -> Sequence[exp.Expr]:
    return [identifier(name) for name in cte.args["alias"].args.get("columns") or ()]


def _once(cte: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    return named(session.read(cte.args["this"], session, env, parent), _listed(cte), session)


def named(query: Query, names: Sequence[exp.Expr], session: Session) -> Query:
    """Return ``query`` under an explicit list of column names.

    Raises:
        ColumnCountMismatch: more names than columns.
    """
    if not names:
        return query
    if len(names) > len(query.columns):
        problem = f"{len(names)} column names for {len(query.columns)} columns"
        raise session.error(ColumnCountMismatch, problem, names[0], fix="name each column once")
    key = session.key
    given = [c._replace(name=n.args["this"], key=key(n)) for c, n in zip(query.columns, names, strict=False)]
    return query._replace(columns=[*given, *query.columns[len(names) :]])


def _fixpoint(cte: exp.Expr, session: Session, env: Environment, parent: Scope | None) -> Query:
    """Read both branches once, the CTE's own columns as unknowns, then put in what they hold until nothing is added."""
    tree, names = cte.args["this"], _listed(cte)
    key = session.key(cte.args["alias"].args["this"])
    with_ = tree.args.get("with_")
    outer = with_ctes(with_, session, env, parent) if with_ is not None else env
    anchor = named(session.read(tree.args["this"], session, outer, parent), names, session)
    unknowns = [unknown() for _ in anchor.columns]
    own = [c._replace(deps={n: AS_IS}, members=None) for c, n in zip(anchor.columns, unknowns, strict=True)]
    inner = Environment({key: Query(own)}, env)
    whole = named(session.read(tree, session, inner, parent), names, session)
    solved = _solved(dict.fromkeys(unknowns, NOTHING), [column.deps for column in whole.columns], session)
    session.solved.update(zip(unknowns, solved, strict=False))
    columns = [c._replace(deps=d, members=None) for c, d in zip(whole.columns, solved, strict=True)]
    return Query(columns, filled(whole.rows, dict(zip(unknowns, solved, strict=False))), whole.inputs)


def _solved(known: dict[Source, Deps], equations: list[Deps], session: Session) -> list[Deps]:
    """Return the least deps that satisfy ``equations``, whose unknowns are the keys of ``known``, in order."""
    while True:
        session.tick()
        grown = [filled(deps, known) for deps in equations]
        again = dict(zip(known, grown, strict=False))
        if again == known:
            return grown
        known = again


def filled(deps: Deps, known: dict[Source, Deps]) -> Deps:
    """Return ``deps`` with every unknown replaced by what it holds, each way one hop further on."""
    filled: Deps = {}
    for field, bits in deps.items():
        if field not in known:
            filled[field] = filled.get(field, 0) | bits
            continue
        for hop, masking in unmixed(bits):
            add(filled, known[field], hop | MASKED if masking else hop)
    return filled
