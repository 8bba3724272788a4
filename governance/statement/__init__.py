"""Pipelines → Statements in dependency order, and a statement's lineage; what is read, and what is refused by name.

What parses comes with the SQL parser, which is slow to start: it is loaded when it is first asked for.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from governance.statement.model import Kind, Statement
from governance.statement.order import ordered
from governance.statement.program import EMPTY, Program, read_program

if TYPE_CHECKING:
    from governance.statement.parse import parse  # noqa: TC004  # _Package has it
    from governance.statement.trace import explain, trace  # noqa: TC004  # _Package has them

__all__ = ["EMPTY", "Kind", "Program", "Statement", "explain", "ordered", "parse", "read_program", "trace"]


class _Package(ModuleType):
    """The package; whoever imports its module ``parse`` does not change what ``parse`` is in it."""

    @property
    def parse(self) -> Callable[..., Any]:
        from governance.statement.parse import parse  # noqa: PLC0415  loaded on demand, see above

        return parse

    @parse.setter
    def parse(self, module: ModuleType) -> None: ...

    @property
    def trace(self) -> Callable[..., Any]:
        from governance.statement.trace import trace  # noqa: PLC0415  loaded on demand, see above

        return trace

    @trace.setter
    def trace(self, module: ModuleType) -> None: ...

    @property
    def explain(self) -> Callable[..., Any]:
        from governance.statement.trace import explain  # noqa: PLC0415  loaded on demand, see above

        return explain


sys.modules[__name__].__class__ = _Package
