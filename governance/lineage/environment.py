"""The CTEs that a query can see."""

from dataclasses import dataclass, field
from typing import Optional

from sqlglot import exp

from governance.errors import LineageError
from governance.lineage.columns import Column, Query


@dataclass(frozen=True, slots=True)
class Environment:
    """The CTEs in sight: a WITH's own before those around it. One that could not be read fails when it is used.

    ``scalars`` are ClickHouse's ``WITH expression AS name``: names for expressions, read where they are
    used, or for what a subquery gives.
    """

    queries: dict[str, Query | LineageError]
    outer: Optional["Environment"] = None
    scalars: dict[str, exp.Expr | Column] = field(default_factory=dict)

    def find(self, key: str) -> Query | LineageError | None:
        """Return the CTE that ``key`` names, the innermost first."""
        environment: Environment | None = self
        while environment is not None:
            query = environment.queries.get(key)
            if query is not None:
                return query
            environment = environment.outer
        return None

    def named_expressions(self) -> dict[str, exp.Expr | Column]:
        """Return the scalars in sight, the innermost of each name."""
        around = self.outer.named_expressions() if self.outer is not None else {}
        return {**around, **self.scalars} if self.scalars else around
