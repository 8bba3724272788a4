"""The Dagster instance's home: a folder in the project's state, with the settings this platform needs."""

from importlib.resources import files
from pathlib import Path

from governance.project import Project


def dagster_home(project: Project) -> Path:
    """Return the folder for ``DAGSTER_HOME``, with ``platform_assets/dagster.yaml`` in it where it had none."""
    home = project.state / "dagster"
    settings = home / "dagster.yaml"
    if not settings.exists():
        home.mkdir(parents=True, exist_ok=True)
        settings.write_text(files("platform_assets").joinpath("dagster.yaml").read_text("utf-8"), "utf-8")
    return home
