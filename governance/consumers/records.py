"""What is asked about consumers: the four records, handed around as one."""

from collections.abc import Mapping
from dataclasses import dataclass

from governance.consumers.declared import Declarations
from governance.dataset import Dataset
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

    def dataset(self, table: str) -> Dataset:
        """Return the dataset that declarations and logs call ``table``."""
        return self.policy.lineage.dataset(table)

    def owners(self) -> Mapping[str, str]:
        """Return who owns each table: as the policy declares, else as the job that writes it says."""
        said = {write.dataset.name: ", ".join(write.owners) for write in self.graph.writes if write.owners}
        return said | {name: table.owner for name, table in self.policy.tables.items() if table.owner}
