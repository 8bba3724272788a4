"""What the project's files say, as one side of a comparison."""

from governance.diff.model import Side
from governance.pipeline import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import Project
from governance.statement import read_program


def side_of_project(project: Project) -> Side:
    """Read the files of ``project``; a pipeline that cannot be read is in there all the same.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    policy, sources, pipelines = load_policy(project), load_sources(project), load_pipelines(project)
    program = read_program(pipelines, sources, masking_functions=policy.lineage.masking_functions)
    return Side(pipelines, sources, policy, program)
