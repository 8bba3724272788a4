"""What the project's files say, as one side of a comparison."""

from collections.abc import Callable
from contextlib import closing

from governance.load import load_pipelines
from governance.policy import load_policy, load_sources
from governance.project import Project
from governance.remembered import open_memory
from governance.side import Side
from governance.statement import EMPTY, Program, read_program
from governance.statement.reading import PLAIN, Reading


def side_of_project(project: Project) -> Side:
    """Read the files of ``project``; a pipeline that cannot be read is in there all the same.

    What was read before and is as it was then comes from the project's memory, where it has one.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    if project.cache is None:
        return _side(project, lambda _masking: EMPTY, PLAIN)
    memory = open_memory(project.cache)
    with closing(memory):
        side = _side(project, lambda _masking: EMPTY, memory.reading(PLAIN))
    memory.keep()
    return side


def side_like(project: Project, earlier: Side) -> Side:
    """Read the files of ``project``, and parse and trace what ``earlier`` does not say alike.

    Raises:
        PolicyError, PipelineError: a policy file is wrong, or a pipeline's path.
    """
    before = earlier.policy.lineage.masking_functions
    # what masks is on every edge: with other functions nothing can be taken over
    return _side(project, lambda masking: earlier.program if masking == before else EMPTY, PLAIN)


def _side(project: Project, like: Callable[[frozenset[str]], Program], reading: Reading) -> Side:
    policy, sources, pipelines = load_policy(project), load_sources(project), load_pipelines(project)
    masking = policy.lineage.masking_functions
    engine = policy.lineage.engine
    before = like(masking)
    program = read_program(pipelines, sources, masking_functions=masking, like=before, engine=engine, reading=reading)
    return Side(pipelines, sources, policy, program)
