"""Functions after a dot, ``upper(c).trim()``: sqlglot makes mere names of the columns before it, which is undone."""

import re
from collections.abc import Iterable

from sqlglot import exp

CHAINED = re.compile(r"[)\]}'\"]\s*(\.\s*\w+\s*)+\(")
"""Without this in it no text has a function after more than names; their columns are found as they are."""

NAMES = frozenset({exp.TableAlias, exp.Table, exp.Column, exp.ColumnDef, exp.DataType, exp.Star, exp.Kwarg})
"""What holds names that are no columns, and no values either."""

NAMING = frozenset({
    (exp.Alias, "alias"), (exp.PropertyEQ, "this"), (exp.Lambda, "expressions"), (exp.Window, "alias"),
    (exp.Join, "using"), (exp.CTE, "alias"), (exp.Dot, "expression"), (exp.Dot, "this"),
})  # fmt: skip
"""The same, where other parts of it are values."""

QUALIFIED = ("this", "table", "db", "catalog")


def with_columns(trees: Iterable[exp.Expr]) -> None:
    """Make columns again of the names within what functions are chained to."""
    for tree in trees:
        for dot in [*tree.find_all(exp.Dot)]:
            owner = dot.args.get("this")
            chained = isinstance(dot.args.get("expression"), (exp.Func, exp.Window))
            if chained and isinstance(owner, exp.Expr) and not is_name(owner):
                for name in [*owner.find_all(exp.Identifier)]:
                    _restore(name)


def is_name(tree: exp.Expr) -> bool:
    """Whether ``tree`` is a name, qualified or not."""
    return all(part.__class__ in {exp.Identifier, exp.Dot} for part in tree.walk())


def _restore(name: exp.Expr) -> None:
    whole, parts = name, [name]
    while whole.parent.__class__ is exp.Dot and whole.arg_key == "this":
        member = whole.parent.args["expression"]
        if member.__class__ is not exp.Identifier:
            break
        whole, parts = whole.parent, [*parts, member]
    above = whole.parent
    if above is None or above.__class__ in NAMES or (above.__class__, whole.arg_key) in NAMING or is_variable(parts[0]):
        return
    if above.__class__ is exp.Dot and whole.arg_key == "expression":  # a member of what stands before it
        return
    if len(parts) <= len(QUALIFIED):
        named = [part.copy() for part in reversed(parts)]
        whole.replace(exp.Column(**dict(zip(QUALIFIED, named, strict=False))))


def is_variable(name: exp.Expr) -> bool:
    """Whether a lambda around ``name`` has a parameter of it."""
    around = name.find_ancestor(exp.Lambda)
    while around is not None:
        if any(it.name.lower() == name.name.lower() for it in around.expressions):
            return True
        around = around.find_ancestor(exp.Lambda)
    return False
