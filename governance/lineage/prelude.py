"""Building blocks before a text: macros and views that it may name, found by it and never outputs of their own.

A block sees those before it. A view hides a table of the schema that has its name, but not from itself: there the name
means the schema's table. A file's view (``BlockKind.FILE``) is made of the schema's datasets alone, whatever stands
before it.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp

from governance.block import Block, BlockKind
from governance.errors import UnreadStatement
from governance.lineage.definitions import define_macro
from governance.lineage.dialects import rules_for
from governance.lineage.inlining import DIALECT
from governance.lineage.parse import parse
from governance.lineage.session import PLACE, Session, View
from governance.lineage.views import within
from governance.lineage.written import is_function


def after(prelude: Iterable[Block], session: Session) -> Session:
    """Return ``session`` as it is after the blocks of ``prelude``.

    Raises:
        LineageError: a macro cannot be read; a view that cannot fails when it is read.
    """
    views: dict[str, View] = {}
    number = 0
    for number, block in enumerate(prelude, 1):
        with within(block):
            tree = tree_of(block, functions_among(session.macros))
            if block.kind is BlockKind.MACRO:
                define_macro(tree, tree.args["this"], session)
            else:
                views[block.name] = View(block, tree.args["expression"], number - 1)
    return replace(session, views=views, seen=number) if number else session


def functions_among(macros: Iterable[str]) -> frozenset[str]:
    """Return which of ``macros`` have the name of a function that sqlglot reads itself."""
    _, dialect = rules_for(DIALECT)
    return frozenset(name for name in macros if is_function(name, dialect))


@lru_cache(maxsize=4096)
def tree_of(block: Block, macros: frozenset[str] = frozenset()) -> exp.Expr:
    """Return the tree of a block's statement, which nobody changes: many pipelines share it.

    A macro's tree says of each name where it stands, in place of where in the text: its text stands in other ones.

    Raises:
        UnparsableSql, LimitExceeded: the text is no SQL, or beyond a bound.
        UnreadStatement: it creates no macro or view.
    """
    _, dialect = rules_for(DIALECT)
    trees = parse(block.sql, dialect, macros)
    if len(trees) != 1 or trees[0].__class__ is not exp.Create or trees[0].args.get("expression") is None:
        raise UnreadStatement("this creates no macro and no view", fix="write create macro … or create view …")
    (tree,) = trees
    if block.kind is BlockKind.MACRO:
        for part in tree.walk():
            if "start" in part.meta:
                start = part.meta.pop("start")
                part.meta.pop("end")
                line = block.sql.count("\n", 0, start)
                part.meta[PLACE] = block.file, block.at(line + 1), start - block.sql.rfind("\n", 0, start)
    return tree
