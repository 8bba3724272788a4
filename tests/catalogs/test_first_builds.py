"""What killed first builds leave: the catalog has no table of theirs, and files lie where it would."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from click.testing import CliRunner

from governance.events.facets import Naming
from governance.events.open import event_store
from governance.events.run import Recorded, RunFacts, start_event
from governance.project import Project
from platform_assets.cli import main
from platform_assets.iceberg.catalog import Catalog, load, open_catalog
from platform_assets.iceberg.publish import append, target
from tests.catalogs.conftest import configure
from tests.catalogs.rest import TOKEN, Rest
from tests.platform.running import LINEAGE

LONG_AGO = time.time() - timedelta(days=9).total_seconds()
ROWS = pa.table({"a": [1, 2]})

KILLED = """
import os, signal, sys
from pathlib import Path
import pyarrow as pa
from governance.project import project_at
from platform_assets.iceberg import publish
from platform_assets.iceberg.catalog import open_catalog
publish._add = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with open_catalog(project_at(Path(sys.argv[1]))) as catalog:
    rows = pa.table({"k": [7] * 1000})
    publish.append(catalog, publish.target("a.big", None), rows.to_reader(), {}, rows.schema)
"""


@pytest.fixture
def big(project: Project) -> Path:
    """The folder that ``a.big`` of a project is going to have."""
    pipelines = project.root / "platform_assets/pipelines/a"
    for folder in (pipelines, project.root / "governance"):
        folder.mkdir(parents=True)
    (pipelines / "big.sql").write_text("select 7 as k\n", "utf-8")
    (project.root / "governance/lineage.toml").write_text(LINEAGE, "utf-8")
    (project.root / "governance/metadata.toml").write_text("", "utf-8")
    return project.state / "warehouse/a/big"


@pytest.fixture
def local(project: Project) -> Iterator[Catalog]:
    with open_catalog(project) as opened:
        yield opened


def put(catalog: Catalog, name: str) -> None:
    append(catalog, target(name, None), ROWS.to_reader(), {}, ROWS.schema)


def killed(project: Project, big: Path) -> list[Path]:
    """Return the data files of a first build that was killed nine days ago."""
    assert subprocess.run([sys.executable, "-c", KILLED, str(project.root)], check=False).returncode == -9
    left = [it for it in big.rglob("*") if it.is_file()]
    for it in left:
        os.utime(it, (LONG_AGO, LONG_AGO))
    return left


def leave(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x" * 10)
    os.utime(file, (LONG_AGO, LONG_AGO))
    return file


def say(project: Project, *args: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["--project", str(project.root), "orphans", *args])
    return result.exit_code, result.output


def test_they_are_found_and_removed(project: Project, big: Path) -> None:
    (left,) = killed(project, big)
    for args in ((), ("a.big",)):
        code, said = say(project, *args)
        assert code == 0
        assert f"a.big  is not in the catalog: this is about {big}, where its first build puts it" in said
        assert f"a.big  1 file, {left.stat().st_size:,} bytes" in said
    young = left.with_name("young.parquet")
    young.write_bytes(b"x")
    code, said = say(project, "a.big", "--delete")
    assert (code, left.exists(), young.exists()) == (0, False, True)
    assert "removed: 1 file" in said
    assert "a.big  1 file left alone: too young" in said


def test_a_run_of_it_without_end_keeps_them(project: Project, big: Path) -> None:
    left = leave(big / "data/left.parquet")
    began = datetime.now(UTC) - timedelta(hours=3)
    os.utime(left, (began.timestamp() + 60,) * 2)
    facts = RunFacts(Recorded("a.big", str(uuid4())), Naming("iceberg://test", "jobs", {}))
    event_store(project).begin(start_event(facts, began, (), ("a.big",)))
    code, said = say(project, "--older-than", "2 hours", "--delete")
    assert (code, left.is_file()) == (0, True)
    assert "a.big  1 file left alone" in said


def test_nothing_is_said_of_tables_that_nothing_lies_of(project: Project, big: Path) -> None:
    assert not big.exists()
    assert say(project) == (0, "nobody refers to: 0 files, 0 bytes\n")
    assert "a.big  is not in the catalog" in say(project, "a.big")[1]
    assert "the catalog has no table a.small" in say(project, "a.small")[1]


def test_a_table_that_was_dropped_or_renamed_keeps_its_files(project: Project, big: Path, local: Catalog) -> None:
    put(local, "a.big")
    every = sorted(big.rglob("*.*"))
    for it in every:
        os.utime(it, (LONG_AGO, LONG_AGO))
    local.rename_table("a.big", "a.old")
    leave(big / "data/left.parquet")
    code, said = say(project, "a.big", "--delete")
    assert code == 1
    assert "a.big  left alone: a.old lies at a.big's location or below it" in said
    at = load(local, "a.old").metadata_location
    local.drop_table("a.old")
    code, said = say(project, "a.big", "--delete")
    assert code == 1
    assert "a.big  left alone: there is a metadata file" in said
    assert say(project, "--delete")[0] == 0
    assert local.register_table("a.big", at).scan().to_arrow().num_rows == 2


def test_a_place_within_another_tables_folder_is_left_alone(project: Project, big: Path, local: Catalog) -> None:
    local.create_namespace("b")
    local.create_table("b.wide", ROWS.schema, location=f"file://{big.parent}")
    left = leave(big / "data/left.parquet")
    code, said = say(project, "a.big", "--delete")
    assert (code, left.exists()) == (1, True)
    assert "a.big  left alone: it would lie within the folder of b.wide" in said


def test_a_catalog_that_is_a_server_does_not_say_where(
    project: Project, big: Path, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert big
    configure(monkeypatch, uri=rest.url, token=TOKEN)
    code, said = say(project)
    assert code == 0
    assert "2 of the project's tables are not in the catalog, which does not say where they would lie" in said
    code, said = say(project, "a.big")
    assert code == 1
    assert "a.big  left alone: the catalog has no such table, and does not say where it would lie" in said
