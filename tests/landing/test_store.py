"""Files of an object store: a server of this machine, and never the network."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from click.testing import CliRunner
from moto.server import ThreadedMotoServer

from governance.errors import LandingError
from governance.landing.model import FileColumn, FileSource, Format, Location
from governance.project import ROOT, Project, project_at
from platform_assets.cli import main
from platform_assets.landing import store
from platform_assets.landing.content import digest_at, digest_of
from platform_assets.landing.find import find, require_unchanged, staged

SECRET = "do-not-tell"  # noqa: S105  # it opens nothing
Put = Callable[..., None]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def put(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Put:
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    client: Any = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
    client.create_bucket(Bucket="lake")

    def write(**files: str) -> None:
        for key, text in files.items():
            client.put_object(Bucket="lake", Key=key, Body=text.encode())

    listed = client.list_objects_v2(Bucket="lake").get("Contents", [])
    for old in listed:
        client.delete_object(Bucket="lake", Key=old["Key"])
    return write


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_at(tmp_path)


def source(name: str, at: str = "s3://lake/in") -> FileSource:
    return FileSource(name, Location("landing", at), Format.CSV, (FileColumn("x", "bigint"),))


def shown(project: Project, name: str, at: str = "s3://lake/in") -> list[str]:
    return [it.shown.removeprefix("landing/") for it in find(project, source(f"landing/{name}", at))]


def refused(project: Project, name: str, at: str = "s3://lake/in") -> str:
    with pytest.raises(LandingError) as caught:
        find(project, source(f"landing/{name}", at))
    assert caught.value.fix
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.csv", ["a.csv", "b[1].csv"]),
        ("a.csv", ["a.csv"]),
        ("b[1].csv", ["b[1].csv"]),
        ("2024/*.csv", ["2024/c.csv"]),
        ("20*/*.csv", ["2024/c.csv", "2025/c.csv"]),
        ("**/*.csv", ["2024/c.csv", "2024/deep/d.csv", "2025/c.csv", "a.csv", "b[1].csv"]),
        ("2024/**/d.csv", ["2024/deep/d.csv"]),
        ("*.json", []),
        ("nothing/*.csv", []),
    ],
)
def test_globs_are_matched_as_in_a_folder(project: Project, put: Put, pattern: str, found: list[str]) -> None:
    names = ("a.csv", "b[1].csv", "2024/c.csv", "2024/deep/d.csv", "2025/c.csv", ".h.csv", "x.csv.part", "a.txt")
    put(**{f"in/{name}": name for name in names}, **{"inner/a.csv": "", "a.csv": ""})
    assert shown(project, pattern) == found


def test_a_bucket_may_be_the_location(project: Project, put: Put) -> None:
    put(**{"a.csv": "1", "b/a.csv": "2"})
    assert shown(project, "*.csv", "s3://lake") == ["a.csv"]
    assert shown(project, "b/a.csv", "s3://lake") == ["b/a.csv"]


def test_files_are_copied_byte_for_byte_and_gone_afterwards(
    project: Project, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHUNK", 4)
    put(**{"in/b[1].csv.gz": "not packed at all", "in/a*.csv": "12345678"})
    found = find(project, source("landing/*"))
    assert [(it.shown, it.size) for it in found] == [("landing/a*.csv", 8), ("landing/b[1].csv.gz", 17)]
    with staged(project, found) as paths:
        assert [Path(it).read_text() for it in paths] == ["12345678", "not packed at all"]
        assert [re.sub(r"^\d+", "", Path(it).name) for it in paths] == [".csv", ".csv.gz"]
        assert all(Path(it).is_relative_to(project.state) for it in paths)
        folder = Path(paths[0]).parent
        assert folder.stat().st_mode & 0o077 == 0
        with staged(project, found[:1]) as (other,):
            assert all(Path(it).exists() for it in (*paths, other))
    assert not folder.exists()


def test_what_a_killed_run_left_is_swept(project: Project, put: Put) -> None:
    put(**{"in/a.csv": "1"})
    for left in ("locked", "unlocked"):
        (project.state / "staged" / left).mkdir(parents=True)
    (project.state / "staged" / "locked" / ".lock").touch()
    with staged(project, find(project, source("landing/a.csv"))) as (path,):
        assert [it for it in (project.state / "staged").iterdir() if it.is_dir()] == [Path(path).parent]


def test_a_file_that_changed_since_it_was_listed_is_not_read(project: Project, put: Put) -> None:
    put(**{"in/a.csv": "1"})
    found = find(project, source("landing/*.csv"))
    require_unchanged(found)
    put(**{"in/a.csv": "12"})
    with pytest.raises(LandingError, match=r"landing/a\.csv: the file changed"), staged(project, found):
        pytest.fail("it is not read")
    with pytest.raises(LandingError, match=r"landing/a\.csv: the file changed"):
        require_unchanged(found)
    assert not [it for it in (project.state / "staged").iterdir() if it.is_dir()]


def test_a_listing_and_the_object_tell_one_version(project: Project, put: Put) -> None:
    put(**{"in/a.csv": "1"})
    assert find(project, source("landing/a.csv")) == find(project, source("landing/*.csv"))


def test_what_is_not_there_is_named(project: Project, put: Put) -> None:
    put(**{"in/folder/a.csv": "1"})
    assert "landing/a.csv: there is no such file" in refused(project, "a.csv")
    assert "landing/folder: there is no such file" in refused(project, "folder")
    assert "landing: the location's bucket is not there" in refused(project, "*.csv", "s3://no-such-bucket")
    assert "landing/a.csv: " in refused(project, "a.csv", "s3://no-such-bucket")


def test_a_store_that_does_not_answer_is_named(project: Project, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert "landing: the store does not give it" in refused(project, "*.csv")


def test_a_store_that_accepts_and_says_nothing_is_given_up(
    project: Project, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put()
    assert 3 * store.TIMEOUTS["request_timeout"] <= 30
    monkeypatch.setattr(store, "TIMEOUTS", {"connect_timeout": 1.0, "request_timeout": 1.0})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert "landing: the store does not give it: NETWORK_CONNECTION" in refused(project, "*.csv")


def test_a_file_of_a_store_has_the_digest_of_its_copy(project: Project, put: Put) -> None:
    put(**{"in/a.csv.gz": "not packed at all"})
    (found,) = find(project, source("landing/a.csv.gz"))
    with staged(project, [found]) as (path,):
        assert digest_of(found) == digest_at(path, "landing/a.csv.gz")
    put(**{"in/a.csv.gz": "longer than it was before"})
    with pytest.raises(LandingError, match=r"landing/a\.csv\.gz: the file changed"):
        digest_of(found)


def test_sniff_reads_what_lies_in_a_store(project: Project, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put(**{"in/a.csv": "x;y\n1;b\n"})
    project.sources.parent.mkdir()
    project.sources.write_text('[locations.landing]\nat = "s3://lake/in"\n')
    monkeypatch.setenv(ROOT, str(project.root))
    result = CliRunner().invoke(main, ["sniff", "s3://lake/in/a.csv"])
    assert result.stdout == (
        '["landing/a.csv"]\noptions = { delim = ";" }\ncolumns.x = "bigint"\ncolumns.y = "varchar"\n'
    )
