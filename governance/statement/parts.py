"""What is asked of a tree's parts, found by one walk: a walk of all parts costs half of what the parser does."""

from typing import TypeAlias

from sqlglot import exp

Parts: TypeAlias = tuple[exp.Expr, ...]
"""The tables, functions and placeholders of a tree, in the order of its walk."""

ASKED = (exp.Table, exp.Func, exp.Placeholder)


class _Asked(dict[type, bool]):
    """Whether parts of a class are asked for, filled as classes occur."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, ASKED)
        return self[kind]


_ASKED = _Asked()


def parts_of(tree: exp.Expr) -> Parts:
    """Return the parts of ``tree`` that are asked for."""
    return tuple([part for part in tree.walk() if _ASKED[part.__class__]])
