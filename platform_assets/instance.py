"""The Dagster instance of a project: the user's own where ``DAGSTER_HOME`` names one, else one in the state folder."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from dagster import DagsterInstance

from governance.errors import HeadwaterError
from governance.project import Project


def project_instance(project: Project, env: Mapping[str, str] = os.environ) -> DagsterInstance:
    """Return the instance that this project's runs are recorded in, the one that ``headwater dev`` shows."""
    return DagsterInstance.from_config(env.get("DAGSTER_HOME") or str(dagster_home(project)))


def dagster_home(project: Project) -> Path:
    """Return the folder for ``DAGSTER_HOME``, with ``platform_assets/dagster.yaml`` in it where it had none.

    Raises:
        HeadwaterError: the folder cannot be made or written, as Dagster's own databases in it must be.
    """
    home = project.state / "dagster"
    settings = home / "dagster.yaml"
    try:
        if not settings.exists():
            home.mkdir(parents=True, exist_ok=True)
            settings.write_text(files("platform_assets").joinpath("dagster.yaml").read_text("utf-8"), "utf-8")
    except OSError as error:
        raise _unwritable(home, error.strerror or type(error).__name__) from error
    if not os.access(home, os.W_OK | os.X_OK):
        raise _unwritable(home, "it is read-only")
    return home


def _unwritable(home: Path, reason: str) -> HeadwaterError:
    return HeadwaterError(
        f"Dagster's folder {home} cannot be written ({reason})",
        fix="make it writable, or set HEADWATER_STATE to a folder that is",
    )
