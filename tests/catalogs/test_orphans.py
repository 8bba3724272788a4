"""Files that nothing refers to: what is one, what is none however it looks, and what is refused for being unsure."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest
from pyiceberg.table.statistics import StatisticsFile

from governance.errors import CatalogError
from governance.project import Project
from platform_assets.iceberg.catalog import Catalog, load, load_known, open_catalog
from platform_assets.iceberg.orphans import Found, Orphan, orphans, remove
from platform_assets.iceberg.publish import append, replace, target
from tests.catalogs.conftest import configure, s3_settings

LONG_AGO = time.time() - timedelta(days=9).total_seconds()
NOW = datetime.now(UTC) + timedelta(hours=1)
ROWS = pa.table({"a": [1, 2]})


@pytest.fixture
def local(project: Project) -> Iterator[Catalog]:
    with open_catalog(project) as opened:
        yield opened


def put(catalog: Catalog, name: str = "s.t", rows: pa.Table = ROWS) -> None:
    at = target(name, load_known(catalog, [name]).get(name))
    append(catalog, at, rows.to_reader(), {}, rows.schema)


def root_of(catalog: Catalog, name: str = "s.t") -> Path:
    return Path(load(catalog, name).location().removeprefix("file://"))


def leave(folder: Path, name: str = "", *, old: bool = True) -> Path:
    """Leave a file behind, as a run does that is killed between its writing and its commit."""
    path = folder / (name or f"00000-{uuid4()}.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 10)
    if old:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def found(catalog: Catalog, *names: str, before: datetime = NOW) -> list[str]:
    return [one.path for it in all_of(catalog, *names, before=before) for one in it.orphans]


def all_of(catalog: Catalog, *names: str, before: datetime = NOW) -> tuple[Found, ...]:
    asked = names or ("s.t",)
    return orphans(catalog, asked, dict.fromkeys(asked, before))


KILLED = """
import os, signal, sys
from pathlib import Path
import pyarrow as pa
from governance.project import project_at
from platform_assets.iceberg import publish
from platform_assets.iceberg.catalog import load, open_catalog
publish._add = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with open_catalog(project_at(Path(sys.argv[1]))) as catalog:
    rows = pa.table({"a": [7] * 1000}).to_reader()
    publish.replace(catalog, publish.target("s.t", load(catalog, "s.t")), rows, {}, {})
"""


def test_what_a_killed_run_left_is_found_and_removed_and_the_table_stays(project: Project, local: Catalog) -> None:
    put(local)
    before = sorted(root_of(local).rglob("*.*"))
    assert subprocess.run([sys.executable, "-c", KILLED, str(project.root)], check=False).returncode == -9
    # its file of rows, and the manifests of a commit that never came
    left = {str(it.relative_to(root_of(local))) for it in set(root_of(local).rglob("*.*")) - set(before)}
    assert any(it.startswith("data/") for it in left)
    assert set(found(local)) == left
    gone = remove(local, all_of(local))
    assert len(gone[0].orphans) == len(left)
    assert sorted(root_of(local).rglob("*.*")) == before
    assert load(local, "s.t").scan().to_arrow().num_rows == 2


def test_nothing_that_a_snapshot_a_branch_or_a_tag_needs_is_one(local: Catalog) -> None:
    for _ in range(2):
        put(local)
    table = load(local, "s.t")
    first = table.metadata.snapshots[0].snapshot_id
    with table.manage_snapshots() as refs:
        refs.create_tag(first, "kept").create_branch(first, "aside")
    table.append(ROWS, branch="aside")
    replace(local, target("s.t", load(local, "s.t")), ROWS.to_reader(), {}, {})
    load(local, "s.t").delete("a = 1")
    puffin = leave(root_of(local) / "metadata", f"{uuid4()}.puffin")
    statistics = StatisticsFile(
        **{"snapshot-id": first, "statistics-path": f"file://{puffin}", "file-size-in-bytes": 10},
        **{"file-footer-size-in-bytes": 1, "blob-metadata": []},
    )
    with load(local, "s.t").update_statistics() as update:
        update.set_statistics(statistics)
    assert found(local) == []
    leave(root_of(local) / "metadata", f"{uuid4()}-m0.avro")
    assert len(found(local)) == 1


def test_a_file_is_told_by_its_name_whatever_its_folder_is_called(local: Catalog, tmp_path: Path) -> None:
    house = tmp_path / "a b%20#é"
    with_link = tmp_path / "link"
    house.mkdir()
    with_link.symlink_to(house)
    local.create_namespace("s")
    local.create_table("s.t", ROWS.schema, location=f"file://{with_link}/t")
    put(local)
    assert found(local) == []
    leave(house / "t/data", "x%20y.parquet")
    assert found(local) == ["data/x%20y.parquet"]


def test_links_and_what_is_no_file_of_iceberg_stay(local: Catalog, tmp_path: Path) -> None:
    put(local)
    root = root_of(local)
    for place in ("notes.parquet", "data/readme.txt", "metadata/00000-x.metadata.json", "metadata/version-hint.text"):
        leave(root, place)
    (root / "data/link.parquet").symlink_to(leave(tmp_path / "elsewhere"))
    assert found(local) == []
    (root / "data").rename(tmp_path / "moved")
    (root / "data").symlink_to(tmp_path / "moved")
    with pytest.raises(CatalogError, match="is a link"):
        found(local)


def test_a_file_that_another_table_refers_to_is_none(local: Catalog) -> None:
    put(local)
    put(local, "s.u")
    (task,) = load(local, "s.t").scan().plan_files()
    local.drop_table("s.t")
    put(local)
    load(local, "s.u").add_files([task.file.file_path])
    name = task.file.file_path.rpartition("/")[2]
    assert name not in " ".join(found(local))
    assert name not in " ".join(found(local, "s.u"))


def test_tables_that_share_a_place_are_refused(local: Catalog) -> None:
    put(local)
    local.rename_table("s.t", "s.old")
    put(local)
    for name, other in (("s.t", "s.old"), ("s.old", "s.t")):
        with pytest.raises(CatalogError, match=f"{other} lies at {name}'s location or below it"):
            found(local, name)
    local.drop_table("s.old")
    local.create_table("s.below", ROWS.schema, location=f"{load(local, 's.t').location()}/data/below")
    with pytest.raises(CatalogError, match=r"s\.below lies at s\.t's location or below it"):
        found(local)
    assert found(local, "s.below") == []


def test_a_table_that_cannot_be_read_stops_it(local: Catalog) -> None:
    put(local)
    put(local, "s.u")
    leave(root_of(local) / "data")
    manifest = load(local, "s.u").current_snapshot().manifest_list  # type: ignore[union-attr]
    Path(manifest.removeprefix("file://")).unlink()
    with pytest.raises(CatalogError):
        found(local)


def test_a_file_that_is_committed_after_it_was_found_is_not_removed(local: Catalog) -> None:
    put(local)
    table = load(local, "s.t")
    (task,) = table.scan().plan_files()
    kept = leave(root_of(local) / "data")
    kept.write_bytes(Path(task.file.file_path.removeprefix("file://")).read_bytes())
    given = all_of(local)
    assert len(given[0].orphans) == 1
    table.add_files([f"file://{kept}"])
    assert remove(local, given)[0].orphans == ()
    assert load(local, "s.t").scan().to_arrow().num_rows == 4


def test_files_of_a_bucket_are_listed_and_removed(
    s3: str, bucket: Any, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, uri=f"sqlite:///{tmp_path}/lake.db", **s3_settings(s3, bucket))
    with open_catalog(project) as catalog:
        put(catalog)
        at = load(catalog, "s.t").location().removeprefix(f"s3://{bucket.name}/")
        bucket.put_object(Key=f"{at}/data/00000-{uuid4()}.parquet", Body=b"left")
        (given,) = all_of(catalog)
        assert [(one.bytes, one.path.startswith("data/00000-")) for one in given.orphans] == [(4, True)]
        assert all_of(catalog, before=datetime.now(UTC) - timedelta(days=1)) == (Found("s.t", (), 1),)
        before = keys(bucket)
        remove(catalog, [given])
        assert before - keys(bucket) == {f"{at}/{given.orphans[0].path}"}
        assert load(catalog, "s.t").scan().to_arrow().num_rows == 2


def test_what_cannot_be_removed_is_told_and_keeps_nothing_else(
    s3: str, bucket: Any, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, uri=f"sqlite:///{tmp_path}/lake.db", **s3_settings(s3, bucket))
    with open_catalog(project) as catalog:
        put(catalog)
        at = load(catalog, "s.t").location().removeprefix(f"s3://{bucket.name}/")
        before = keys(bucket)
        for name in (
            "data///dbl.parquet",
            "data/../up.parquet",
            "data/a.parquet",
            "data/z.parquet",
            "data/gone.parquet",
        ):
            bucket.put_object(Key=f"{at}/{name}", Body=b"left")
        given = all_of(catalog)
        bucket.Object(f"{at}/data/gone.parquet").delete()
        # which the client would take for another key's
        bucket.put_object(Key=f"{at}/up.parquet", Body=b"somebody's")
        (done,) = remove(catalog, given)
    assert {one.path for one in done.orphans} == {f"data/{name}.parquet" for name in ("a", "z", "gone")}
    assert {path for path, _ in done.failed} == {"data///dbl.parquet", "data/../up.parquet"}
    assert all(why for _, why in done.failed)
    assert {it for it in keys(bucket) - before if it.endswith(".parquet")} == {
        f"{at}/data///dbl.parquet",
        f"{at}/data/../up.parquet",
        f"{at}/up.parquet",
    }


def test_a_store_that_is_down_is_asked_once(local: Catalog) -> None:
    put(local)
    asked = []

    def down() -> None:
        asked.append(1)
        raise OSError("AWS Error NETWORK_CONNECTION during DeleteObject operation: at https://secret.example")

    left = tuple(Orphan(f"data/{it}.parquet", 1, NOW, down) for it in "abc")
    (done,) = remove(local, [Found("s.t", left, 0)])
    assert (done.orphans, len(asked)) == ((), 1)
    assert [why for _, why in done.failed] == ["NETWORK_CONNECTION"] * 3


def test_a_link_on_the_way_is_refused_by_its_name(local: Catalog, project: Project, tmp_path: Path) -> None:
    put(local)
    table, aside = root_of(local), tmp_path / "aside"
    for folder in (table, table.parent):
        folder.rename(aside)
        folder.symlink_to(aside)
        with pytest.raises(CatalogError, match=f"{folder}, on the way to the files of s.t, is a link"):
            found(local)
        folder.unlink()
        aside.rename(folder)
    house = project.state / "warehouse"
    house.rename(aside)
    house.symlink_to(aside)
    left = leave(table / "data")
    assert found(local) == [f"data/{left.name}"]


def test_the_folder_of_a_table_elsewhere_is_no_link(local: Catalog, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "own")
    local.create_namespace("s")
    local.create_table("s.t", ROWS.schema, location=f"file://{tmp_path}/link")
    with pytest.raises(CatalogError, match=r"link, on the way to the files of s\.t, is a link"):
        found(local)


def keys(bucket: Any) -> set[str]:
    return {it.key for it in bucket.objects.all()}
