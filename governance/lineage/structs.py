"""The members that a declared type gives a column: ``STRUCT(a INTEGER, b …)``, also in a list."""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from governance.lineage.columns import Column
from governance.lineage.dialects import Rules
from governance.lineage.edges import TRANSFORMATION, moved

_WORDS = ("STRUCT", "ROW", "RECORD", "TUPLE")


def declared_members(column: Column, rules: Rules) -> Mapping[str, Column] | None:
    """Return the members of ``column`` by key, in order, None where its type declares none."""
    if column.members is not None:
        return column.members
    if not column.type or not any(word in column.type.upper() for word in _WORDS):
        return None
    try:
        kind = exp.DataType.build(column.type, dialect=rules.name)
    except SqlglotError:  # the schema's word for a type is not always the dialect's; then nothing is known of it
        return None
    while kind.this in {exp.DataType.Type.ARRAY, exp.DataType.Type.LIST}:
        if not kind.expressions:
            return None
        kind = kind.expressions[0]
    parts = [part for part in kind.expressions if part.__class__ is exp.ColumnDef]
    if not parts:
        return None
    deps = moved(column.deps, TRANSFORMATION)
    columns = [Column(part.name, rules.fold(part.name, None), deps, None, _type(part, rules)) for part in parts]
    return {member.key: member for member in columns}


def _type(part: exp.Expr, rules: Rules) -> str:
    """Return a member's type, "" where the declaration names the member alone."""
    kind = part.args.get("kind")
    return kind.sql(rules.name) if kind is not None else ""
