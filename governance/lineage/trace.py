"""The entry: SQL text and schema in, one ColumnLineage per persistent output out."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from governance.block import Block
from governance.errors import LimitExceeded, UnreadConstruct
from governance.lineage.calling import called, given
from governance.lineage.calls import Rule
from governance.lineage.constructs import CONSTRUCTS as EXPRESSIONS
from governance.lineage.dialects import lower, rules_for
from governance.lineage.edges import inputs
from governance.lineage.inlining import Called, Given
from governance.lineage.macros import bound
from governance.lineage.model import ColumnLineage
from governance.lineage.parse import parse
from governance.lineage.prelude import after
from governance.lineage.query import read_query
from governance.lineage.script import read_script
from governance.lineage.session import MAX_SECONDS, Mark, Session, Show
from governance.lineage.shapes import part_of, part_or_call
from governance.lineage.tables import Schema, Tables

CONSTRUCTS: dict[type, Rule] = {
    **EXPRESSIONS,
    **dict.fromkeys((exp.Dot, exp.Bracket, exp.StructExtract), part_of),
    exp.Anonymous: part_or_call,
    Called: called,
    Given: given,
}
"""Kinds of expression that have a rule of their own."""


def column_lineage(
    sql: str,
    schema: Mapping[str, Mapping[str, str]],
    *,
    dialect: str = "duckdb",
    default_schema: str | None = None,
    masking_functions: frozenset[str] = frozenset(),
    prelude: tuple[Block, ...] = (),
) -> tuple[ColumnLineage, ...]:
    """Return the column lineage of ``sql``: one value per persistent output, in statement order.

    ``schema`` maps "schema.table" (one to three parts) to {column: SQL type}; ``tables`` says how references meet its
    keys. ``default_schema`` is where unqualified names live. ``masking_functions`` are the user's own, in lower case.
    A bare SELECT gives one value whose ``output`` is None. ``prelude`` are DuckDB's building blocks that the text may
    name: they are as if they stood before it, and each sees those before it; see ``governance.lineage.prelude``.

    Raises:
        LineageError: a subclass that says what cannot be read, where (line and column), and what to do about it; in a
            block, with the block's file.
    """
    _, parser = rules_for(dialect)
    settings = Settings(dialect, default_schema, masking_functions, prelude)
    session = session_over(sql, schema, inputs, settings)
    with refusing():
        session = after(prelude, session)
        return read_script(parse(sql, parser, session.macros), session)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a caller of ``column_lineage`` says beside the text and the schema."""

    dialect: str
    default_schema: str | None
    masking_functions: frozenset[str]
    prelude: tuple[Block, ...] = ()


def session_over(
    sql: str, schema: Mapping[str, Mapping[str, str]], show: Show, settings: Settings, mark: Mark | None = None
) -> Session:
    """Return the state in which one call begins; its clock runs from here on."""
    deadline = time.monotonic() + MAX_SECONDS
    rules, _ = rules_for(settings.dialect)
    schema = _flat(schema)
    return Session(
        sql=sql,
        rules=rules,
        tables=Tables(schema, settings.default_schema, rules),
        show=show,
        read=read_query,
        bind=bound,
        constructs=CONSTRUCTS,
        masking=settings.masking_functions,
        deadline=deadline,
        chooses=any("columns" in text.lower() for text in (sql, *(it.sql for it in settings.prelude))),
        folded=bool(schema) and rules.fold is not lower and all(rules.fold(key, None) == key for key in schema),
        mark=mark,
    )


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what a tree of an unforeseen shape raises into a refusal by name.

    Raises:
        LimitExceeded, UnreadConstruct: in place of it.
    """
    try:
        yield
    except RecursionError as error:
        raise LimitExceeded("nested too deep to read", fix="break the statement up") from error
    except UNEXPECTED as error:
        problem = f"the statement has a form that is not read ({type(error).__name__}: {error})"
        raise UnreadConstruct(problem, fix="write it in plainer SQL, and report it") from error


UNEXPECTED = (AttributeError, KeyError, IndexError, TypeError, ValueError, NotImplementedError)
"""What a tree of a shape that no rule foresees can raise: refused by name, since no caller may get a partial answer."""


def _flat(schema: Mapping[str, Any]) -> Schema:
    """Return ``schema`` with dotted keys, where it came nested as sqlglot has it, {schema: {table: …}}."""
    first = next(iter(schema.values()), None)
    inner = next(iter(first.values()), "") if first else ""
    if isinstance(inner, str) or not isinstance(inner, Mapping):
        return schema
    return {f"{outer}.{key}": columns for outer, inner in schema.items() for key, columns in _flat(inner).items()}


__all__ = ["column_lineage"]
