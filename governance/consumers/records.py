"""What is asked about consumers: the four records, handed around as one."""

from dataclasses import dataclass

from governance.consumers.declared import Declarations
from governance.graph import Graph
from governance.policy import Policy
from governance.queries.model import QueryLog


@dataclass(frozen=True, slots=True)
class Records:
    """Lineage, logs, declarations and policy as they are at one moment."""

    graph: Graph
    log: QueryLog
    declarations: Declarations
    policy: Policy

    @property
    def namespace(self) -> str:
        """The namespace of the catalog's tables in events."""
        return self.policy.lineage.namespace

    def owner(self, table: str) -> str | None:
        """Return who owns a table, None where nobody is declared."""
        return self.policy.tables[table].owner if table in self.policy.tables else None
