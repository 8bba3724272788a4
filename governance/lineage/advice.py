"""What to write in place of a name that is not found: sections of documents, files without an alias, near names."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from sqlglot import exp

from governance.errors import LineageError, UnknownColumn
from governance.landing.model import RECORD_TYPE
from governance.lineage.columns import Column, OpenColumns, Relation
from governance.lineage.edges import datasets
from governance.lineage.session import Session
from governance.lineage.structs import declared_members
from governance.lineage.written import DOCUMENT

STEM = re.compile(r"[^/]+?(?=[.#]|$)(?!.*/)")
"""What DuckDB calls a file by where it has no alias: its name without folders and ending."""


def nearest(text: str, known: set[str]) -> str | None:
    """Return the name in ``known`` that is most like ``text``, None where none is close."""
    found = difflib.get_close_matches(text.lower(), sorted(name.lower() for name in known), 1)
    return next((name for name in sorted(known) if found and name.lower() == found[0]), None)


def qualifier(relation: Relation) -> str:
    """Return what stands before a column of the relation; a file's name stands in quotes."""
    return f'"{relation.alias}"' if "/" in relation.alias else relation.alias


def instead_of_column(session: Session, name: str, where: Sequence[Relation]) -> str:
    """Return what to do where ``name`` is a column of none of the relations, "" where nothing is known of it."""
    titles = [relation.title or relation.alias for relation in where]
    if name == DOCUMENT:
        return "declare its sections in sources.toml, or take it out"
    if name.lower() == RECORD_TYPE and len(where) == 1 and "#" in titles[0]:
        return f"{RECORD_TYPE} stays with '{titles[0].partition('#')[0]}', which has the rows of every kind"
    return _section(session, name, where)


def instead_of_qualifier(session: Session, name: str, where: Sequence[Relation]) -> str:
    """Return what to do where none of the relations is called ``name``, "" where nothing is known of it."""
    if name == DOCUMENT:
        return instead_of_column(session, name, where)
    for relation in where:
        found = STEM.search(relation.alias) if "/" in relation.alias else None
        if found and found[0].lower() == name.lower():
            return f"give the file an alias: '{relation.alias}' as {name}"
    return _section(session, name, where)


def _section(session: Session, name: str, where: Sequence[Relation]) -> str:
    found = any(session.rules.fold(name, None) in sections for _, sections in _documents(session, where))
    return f"did you mean {DOCUMENT}.{name}?" if found else ""


def _documents(session: Session, where: Sequence[Relation]) -> Iterator[tuple[Relation, Mapping[str, Column]]]:
    """Yield each relation that has ``$doc``, with the sections."""
    for relation in where:
        document = None if isinstance(relation.columns, OpenColumns) else relation.columns.find(DOCUMENT, DOCUMENT)
        sections = None if document is None else declared_members(document, session.rules)
        if sections is not None:
            yield relation, sections


def to_qualify(session: Session, name: exp.Expr, holders: Sequence[Relation]) -> str:
    """Return how to say which of ``holders``, which all have the column ``name``, is meant."""
    after = _after(name)
    if name.name != DOCUMENT or after is None:
        return f"qualify it, for example {qualifier(holders[0])}.{name.name}"
    key = session.key(after)
    having = [relation for relation, sections in _documents(session, holders) if key in sections]
    if len(having) == 1:
        return f"only {having[0].alias} has the section {after.name}: write {qualifier(having[0])}.{DOCUMENT}"
    return f"qualify it, for example {qualifier((having or holders)[0])}.{DOCUMENT}"


def _after(name: exp.Expr) -> exp.Expr | None:
    """Return the name that follows ``name`` in the reference that it is of."""
    column = name.parent
    if column.__class__ is not exp.Column:
        return None
    parts = [column.args[it] for it in ("catalog", "db", "table", "this") if column.args.get(it) is not None]
    return next((after for part, after in pairwise(parts) if part is name), None)


def no_member(session: Session, column: Column, parts: Sequence[exp.Expr]) -> LineageError:
    """Return the error that the struct ``column`` lacks the member at the end of ``parts``, one within the other."""
    inner: Column | None = column
    within = [column.name]
    for part in parts:
        members = (declared_members(inner, session.rules) if inner is not None else None) or {}
        inner = members.get(session.key(part))
        if inner is None:
            return _no_part(session, column, within, part, members)
        within.append(part.name)
    raise AssertionError("all parts are members")


def _no_part(
    session: Session, column: Column, within: Sequence[str], part: exp.Expr, members: Mapping[str, Column]
) -> LineageError:
    known = {it.name for it in members.values()}
    near = nearest(part.name, known)
    problem = f"{'.'.join(within)} has no member {part.name}"
    fix = f"did you mean {near}?" if near else "correct the name or the column's type"
    if column.name == DOCUMENT:
        of = " and ".join(sorted(datasets(column.deps)))
        first = len(within) == 1
        problem = f"{of} has no section {part.name}" if first else f"section {within[1]} of {of} has no {part.name}"
        listed = f"the sections are {', '.join(sorted(known))}" if first else f"it has {', '.join(sorted(known))}"
        fix = f"did you mean {near}?" if near else listed
    return session.error(UnknownColumn, problem, part, fix=fix)
