"""Which engine a pipeline asks for, known before any engine is there."""

from governance.pipeline import Pipeline
from governance.policy import Policy


def engine_name(policy: Policy, pipeline: Pipeline) -> str:
    """Return the name of the engine that runs ``pipeline``."""
    return pipeline.engine or policy.lineage.engine
