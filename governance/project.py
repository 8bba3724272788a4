"""Where a Headwater project keeps its files. Everything else gets these paths as arguments."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from governance.errors import HeadwaterError

ROOT = "HEADWATER_ROOT"
"""The variable that names the project's root."""

SIZE = re.compile(r"[1-9]\d*(?:\.\d+)? ?[KMGT]i?B", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Project:
    """The folders of one project.

    root:      the checkout; file names in events and messages are relative to it
    pipelines: folders of ``<schema>/<table>.sql``; a later folder adds to an earlier one and replaces its namesakes
    policy:    folders of the policy TOML files; a table in a later folder replaces the same table of an earlier one
    sources:   ``sources.toml``, the tables that are read and not built
    state:     what running makes: catalog, warehouse, events, the Dagster instance; never under version control
    page:      where the lineage page is served, None where ``[ui]`` of lineage.toml says so
    dagster:   where Dagster's UI is, likewise
    memory:    what an engine may hold of memory, such as ``1GB``; None: as much as the engine itself thinks right
    processes: how many processes the steps of one Dagster run may have at once; 1: its own, for all of them
    cache:     where what was read of the pipelines' texts is remembered; None: every load reads all of them
    """

    root: Path
    pipelines: tuple[Path, ...]
    policy: tuple[Path, ...]
    sources: Path
    state: Path
    page: str | None = None
    dagster: str | None = None
    memory: str | None = None
    processes: int = 1
    cache: Path | None = None

    @property
    def events(self) -> Path:
        """The event store's folder."""
        return self.state / "events"

    @property
    def scenario(self) -> Path:
        """The overlay that ``headwater demo <scenario>`` fills and ``reset`` empties."""
        return self.state / "scenario"

    def relative(self, path: Path) -> str:
        """Return ``path`` as it may be shown and sent: relative to the root, its name alone where it lies elsewhere."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name


def project_at(root: Path, state: Path | None = None) -> Project:
    """Return the project rooted at ``root``; ``state`` defaults to ``root/.headwater``."""
    root = root.resolve()
    state = (state or root / ".headwater").resolve()
    return Project(
        root=root,
        pipelines=(root / "platform_assets" / "pipelines", state / "scenario" / "pipelines"),
        policy=(root / "governance", state / "scenario" / "governance"),
        sources=root / "platform_assets" / "sources.toml",
        state=state,
        cache=state / "cache",
    )


def find_project(env: Mapping[str, str] = os.environ) -> Project:
    """Return the project that ``HEADWATER_ROOT`` names, else the checkout that this package lies in.

    ``HEADWATER_STATE`` moves the state folder. ``HEADWATER_PAGE`` and ``HEADWATER_DAGSTER``, which ``headwater dev``
    sets, say where the page and Dagster are when it is not where ``[ui]`` has them. ``HEADWATER_MEMORY`` bounds the
    engine's memory, ``HEADWATER_PROCESSES`` gives a run's steps processes of their own, and ``HEADWATER_CACHE``, set to
    ``off``, has every load read all texts.

    Raises:
        HeadwaterError: the root has no ``platform_assets`` folder; a variable says what it cannot.
    """
    root = Path(env[ROOT]) if ROOT in env else Path(__file__).parent.parent
    if not (root / "platform_assets").is_dir():
        raise HeadwaterError(f"{root} has no platform_assets folder", fix=f"name the project with --project or {ROOT}")
    state = Path(env["HEADWATER_STATE"]) if "HEADWATER_STATE" in env else None
    project = project_at(root, state)
    project = replace(project, cache=project.cache if _remembers(env) else None, processes=_processes(env))
    return replace(project, page=env.get("HEADWATER_PAGE"), dagster=env.get("HEADWATER_DAGSTER"), memory=_memory(env))


def elsewhere(env: Mapping[str, str] = os.environ) -> str:
    """Return what else to do where the project lacks a file: to name a project, unless one was named."""
    return "" if ROOT in env else ", or name a project with --project"


def _remembers(env: Mapping[str, str]) -> bool:
    said = env.get("HEADWATER_CACHE") or "on"
    if said not in ("on", "off"):
        raise HeadwaterError(f"HEADWATER_CACHE is {said!r}", fix="write on or off")
    return said == "on"


def _processes(env: Mapping[str, str]) -> int:
    said = env.get("HEADWATER_PROCESSES") or "1"
    if not said.isdecimal() or int(said) == 0:
        raise HeadwaterError(
            f"HEADWATER_PROCESSES is {said!r}, which is no number of processes", fix="write 1, 4 or the like"
        )
    return int(said)


def _memory(env: Mapping[str, str]) -> str | None:
    size = env.get("HEADWATER_MEMORY") or None
    if size is not None and not SIZE.fullmatch(size):
        raise HeadwaterError(f"HEADWATER_MEMORY is {size!r}, which is no size", fix="write 1GB, 512MB or the like")
    return size
