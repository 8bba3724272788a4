"""Which engine runs a pipeline: the one that its header names, else the project's."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from governance.engines import DUCKDB
from governance.errors import EngineError
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.project import Project
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.engine import Engine
from platform_assets.engines.named import engine_name

REMOTE = "SPARK_REMOTE"
"""The variable that names the server, ``sc://host:port`` with the parameters that Spark Connect knows."""


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
        return spark(env.get(REMOTE), duckdb, project.state / "spark")
    except ImportError as error:
        problem = f"{pipeline.file} runs on Spark, whose client is not installed: {error.name} is missing"
        raise EngineError(problem, fix="pip install 'headwater[spark]'") from None


def spark(remote: str | None, duckdb: DuckDb, folder: Path) -> Engine:
    """Return the engine on the Spark Connect server ``remote``; what it writes goes to ``folder`` first.

    Raises:
        ImportError: its client is not installed.
    """
    with _main_with_file():
        # a project that runs on DuckDB neither waits for Spark's client nor has it
        from platform_assets.engines.spark import Spark  # noqa: PLC0415

        return Spark(remote, duckdb, folder)


@contextmanager
def _main_with_file() -> Iterator[None]:
    """Give the main module a file: without one, as in workers, pyspark takes its import for a run of its doctests."""
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = __file__
    try:
        yield
    finally:
        del main.__file__
