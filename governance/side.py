"""What the files of one revision say: one side of a comparison, and all that a load of definitions knows."""

from collections.abc import Mapping
from dataclasses import dataclass

from governance.pipeline import Pipeline
from governance.policy import Policy, Source
from governance.statement import Program


@dataclass(frozen=True, slots=True)
class Side:
    """What the files of one revision say."""

    pipelines: tuple[Pipeline, ...]
    sources: tuple[Source, ...]
    policy: Policy
    program: Program

    @property
    def owners(self) -> Mapping[str, str]:
        """The owners that pipelines name, by table."""
        return {it.table: it.owner for it in self.pipelines if it.owner}
