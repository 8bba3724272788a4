"""Which engine runs a pipeline: the one that its header names, else the project's."""

import os
from collections.abc import Mapping

from governance.engines import DUCKDB
from governance.errors import EngineError
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.project import Project
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine


def engine_name(policy: Policy, pipeline: Pipeline) -> str:
    """Return the name of the engine that runs ``pipeline``."""
    return pipeline.engine or policy.lineage.engine


def engine_of(
    project: Project, policy: Policy, pipeline: Pipeline, duckdb: DuckDb, env: Mapping[str, str] = os.environ
) -> Engine:
    """Return the engine that runs ``pipeline``: ``duckdb``, or Spark on the server that ``SPARK_REMOTE`` names.

    Raises:
        EngineError: the engine's client is not installed.
    """
    if engine_name(policy, pipeline) == DUCKDB:
        return duckdb
    try:
        # a project that runs on DuckDB neither waits for Spark's client nor has it
        from platform_assets.engines.spark import Spark  # noqa: PLC0415
        from platform_assets.engines.spark_session import REMOTE  # noqa: PLC0415
    except ImportError as error:
        problem = f"{pipeline.file} runs on Spark, whose client is not installed: {error.name} is missing"
        raise EngineError(problem, fix="pip install 'headwater[spark]'") from None
    return Spark(env.get(REMOTE), duckdb, project.state / "spark")
