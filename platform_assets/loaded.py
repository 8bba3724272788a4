"""What a project's files say, read once for all that is made of them."""

from dataclasses import dataclass

from governance.pipeline import Pipeline
from governance.policy import Policy, Source
from governance.project import Project
from governance.statement import Program
from governance.uncollected import uncollected
from platform_assets.side import side_of_project


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the project's files say, read once for all of its assets."""

    project: Project
    policy: Policy
    sources: tuple[Source, ...]
    pipelines: tuple[Pipeline, ...]
    program: Program

    @property
    def assets(self) -> frozenset[str]:
        """Every table that Dagster has a page for."""
        return frozenset({source.table for source in self.sources} | {it.table for it in self.pipelines})


@uncollected()
def load(project: Project) -> Loaded:
    """Read the project's files; a pipeline whose text, header or SQL cannot be read is in there all the same.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    side = side_of_project(project)
    return Loaded(project, side.policy, side.sources, side.pipelines, side.program)
