"""The namespaces of what is sent: they come without OpenLineage's client."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from governance.dataset import Dataset
from governance.events.redact import redact_url
from governance.landing.names import in_order


@dataclass(frozen=True, slots=True)
class Naming:
    """The namespaces under which datasets and jobs are sent (``governance/lineage.toml``).

    ``files`` gives those of declared datasets of files, by name and in declared order (``sources.toml``).
    """

    namespace: str
    job_namespace: str
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def dataset(self, name: str) -> Dataset:
        """Return the dataset that the SQL's catalog calls ``name``; a URL loses its user and its secret parameters."""
        return Dataset(self.files.get(name, self.namespace), redact_url(name))

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return ``names`` in the order in which events list them."""
        return in_order(set(names), self.files)
