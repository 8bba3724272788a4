"""The Dagster instance of a project: the user's own where ``DAGSTER_HOME`` names one, else one in the state folder."""

import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import yaml  # type: ignore[import-untyped]  # it has no stubs of its own
from dagster import DagsterError, DagsterInstance
from dagster._check import CheckError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from governance.errors import HeadwaterError
from governance.events.failure import reason
from governance.project import Project

_UNSET = re.compile(r'environment variable "(\w+)"')


def project_instance(project: Project, env: Mapping[str, str] = os.environ) -> DagsterInstance:
    """Return the instance that this project's runs are recorded in, the one that ``headwater dev`` shows.

    Raises:
        HeadwaterError: its settings cannot be used, or the storage that they name cannot be reached.
    """
    home = env.get("DAGSTER_HOME") or str(dagster_home(project))
    if not Path(home).is_dir():
        raise HeadwaterError(f"DAGSTER_HOME is {home}, which is no folder", fix="make it, or unset DAGSTER_HOME")
    try:
        with _trying_quietly():
            return DagsterInstance.from_config(home)
    except _failures() as error:
        raise _unusable(Path(home) / "dagster.yaml", error) from None


@contextmanager
def _trying_quietly() -> Iterator[None]:
    """Leave out what dagster-postgres logs at each of its tries: the error says it once more, and without links."""

    def other(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("Retrying failed database connection")

    root = logging.getLogger()
    root.addFilter(other)
    try:
        yield
    finally:
        root.removeFilter(other)


def _failures() -> tuple[type[Exception], ...]:
    # an extra, and its error is none of Dagster's
    postgres = getattr(sys.modules.get("dagster_postgres.utils"), "DagsterPostgresException", None)
    known = (DagsterError, CheckError, SQLAlchemyError, yaml.YAMLError, OSError, ImportError)
    return (*known, postgres) if postgres else known


def _unusable(settings: Path, error: Exception) -> HeadwaterError:
    chain = [error]
    while chain[-1].__cause__ and isinstance(chain[-1].__cause__, Exception):
        chain.append(chain[-1].__cause__)
    unset = sorted({name for it in chain for name in _UNSET.findall(str(it))})
    if unset:
        problem = f"{settings} asks for variables that are not set: {', '.join(unset)}"
        return HeadwaterError(problem, fix="set them, or leave DAGSTER_HOME unset for Dagster's own databases")
    # the driver's own words, without SQLAlchemy's statement and link
    said = next((it.orig for it in chain if isinstance(it, DBAPIError) and it.orig), error)
    return HeadwaterError(
        f"Dagster's storage by {settings} cannot be used: {reason(said)}",
        fix="see that it is up, and correct that file or the variables that it names",
    )


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
        f"Dagster's folder {home} cannot be written ({reason}), as its databases must be even to be read",
        fix="make it writable, or set HEADWATER_STATE to one that is: a copy of the state folder, where there is one",
    )
