"""What the project's files say, as one side of a comparison."""

from collections.abc import Callable

from governance.diff.model import Side
from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import Project
from governance.statement import EMPTY, Program, read_program


def side_of_project(project: Project) -> Side:
    """Read the files of ``project``; a pipeline that cannot be read is in there all the same.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    return _side(project, lambda _masking: EMPTY)


def side_like(project: Project, earlier: Side) -> Side:
    """Read the files of ``project``, and parse and trace what ``earlier`` does not say alike.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    before = earlier.policy.lineage.masking_functions
    # what masks is on every edge: with other functions nothing can be taken over
    return _side(project, lambda masking: earlier.program if masking == before else EMPTY)


def _side(project: Project, like: Callable[[frozenset[str]], Program]) -> Side:
    policy, sources, pipelines = load_policy(project), load_sources(project), load_pipelines(project)
    masking = policy.lineage.masking_functions
    engine = policy.lineage.engine
    program = read_program(pipelines, sources, masking_functions=masking, like=like(masking), engine=engine)
    return Side(pipelines, sources, policy, program)
