"""The CTEs that a query can see."""

from dataclasses import dataclass
from typing import Optional

from governance.errors import LineageError
from governance.lineage.columns import Query


@dataclass(frozen=True, slots=True)
class Environment:
    """The CTEs in sight: a WITH's own before those around it. One that could not be read fails when it is used."""

    queries: dict[str, Query | LineageError]
    outer: Optional["Environment"] = None

    def find(self, key: str) -> Query | LineageError | None:
        """Return the CTE that ``key`` names, the innermost first."""
        environment: Environment | None = self
        while environment is not None:
            query = environment.queries.get(key)
            if query is not None:
                return query
            environment = environment.outer
        return None
