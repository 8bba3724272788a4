"""The command ``headwater orphans``: what it lists, removes and leaves, and with what it ends."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from governance.events.facets import Naming
from governance.events.open import event_store
from governance.events.run import Recorded, RunFacts, start_event
from governance.project import Project
from platform_assets.cli import main
from platform_assets.iceberg.catalog import Catalog
from tests.catalogs.test_orphans import leave, local, put, root_of
from tests.platform.running import LINEAGE

__all__ = ["local"]


def say(project: Project, *args: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["--project", str(project.root), "orphans", *args])
    return result.exit_code, result.output


@pytest.fixture
def made(project: Project, local: Catalog) -> Path:
    """The data folder of a table of a project that commands can work on."""
    for folder in ("platform_assets/pipelines", "governance"):
        (project.root / folder).mkdir(parents=True)
    (project.root / "governance/lineage.toml").write_text(LINEAGE, "utf-8")
    (project.root / "governance/metadata.toml").write_text("", "utf-8")
    put(local)
    return root_of(local) / "data"


def test_the_command_lists_and_removes_only_what_is_old_enough(project: Project, made: Path) -> None:
    leave(made, old=False)
    old = leave(made)
    code, said = say(project, "s.t")
    assert (code, old.is_file()) == (0, True)
    assert "s.t  1 file, 10 bytes" in said
    assert f"data/{old.name}" in said
    assert "s.t  1 file left alone" in said
    code, said = say(project, "--delete")
    assert said.endswith("removed: 1 file, 10 bytes\n")
    assert (code, old.is_file(), len(list(made.iterdir()))) == (0, False, 2)
    code, said = say(project, "--older-than", "5 minutes", "--delete")
    assert code == 1
    assert "say 1 hour or more" in said
    assert say(project, "--older-than", "3d")[0] == 1
    assert "the catalog has no table s.x" in say(project, "s.x")[1]


def test_what_a_run_without_end_wrote_stays(project: Project, made: Path) -> None:
    left = leave(made)
    began = datetime.now(UTC) - timedelta(hours=3)
    os.utime(left, (began.timestamp() + 60,) * 2)
    assert "1 file, 10 bytes" in say(project, "s.t", "--older-than", "2 hours")[1]
    facts = RunFacts(Recorded("s.t", str(uuid4())), Naming("iceberg://test", "jobs", {}))
    event_store(project).begin(start_event(facts, began, (), ("s.t",)))
    code, said = say(project, "s.t", "--older-than", "2 hours", "--delete")
    assert (code, left.is_file()) == (0, True)
    assert "0 files, 0 bytes" in said
    assert "has no end" in said


def test_the_command_ends_with_1_where_a_file_stays(
    project: Project, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, gone = leave(made / "closed"), leave(made)
    unlink = Path.unlink

    def refused(path: Path, *, missing_ok: bool = False) -> None:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    code, said = say(project, "--delete")
    assert (code, kept.is_file(), gone.is_file()) == (1, True, False)
    assert f"s.t  data/closed/{kept.name} could not be removed: " in said
    assert said.endswith("removed: 1 file, 10 bytes\n")
