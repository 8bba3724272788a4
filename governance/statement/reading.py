"""How texts are read: plainly, or by who remembers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.statement.model import Statement

Schemas: TypeAlias = Mapping[str, Mapping[str, str]]
"""By table, name → SQL type of each column, in order."""


class Trace(Protocol):
    """What ``trace.trace`` is."""

    def __call__(self, statement: Statement, schema: Schemas, *, masking_functions: frozenset[str]) -> ColumnLineage:
        """Return the statement's lineage."""


def _nothing_to_prepare(*_said: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Reading:
    """A pipeline into its statement, and that, with the columns that it needs, into its lineage."""

    parse: Callable[[Pipeline], Statement]
    trace: Trace
    coming: Callable[[Sequence[Pipeline]], None] = _nothing_to_prepare
    """Told, before they are asked for one by one, which texts are going to be parsed."""
    at_hand: Callable[[Sequence[Statement], Schemas, frozenset[str]], None] = _nothing_to_prepare
    """Told likewise what is going to be traced, over these columns and with these masking functions."""


def _parse(pipeline: Pipeline) -> Statement:
    # the SQL parser is slow to start, and where all is remembered nothing is parsed
    from governance.statement.parse import parse  # noqa: PLC0415

    return parse(pipeline)


def _trace(statement: Statement, schema: Schemas, *, masking_functions: frozenset[str]) -> ColumnLineage:
    from governance.statement.trace import trace  # noqa: PLC0415  # as above

    return trace(statement, schema, masking_functions=masking_functions)


PLAIN = Reading(_parse, _trace)
