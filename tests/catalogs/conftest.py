import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import duckdb
import pytest
from moto.server import ThreadedMotoServer
from pyiceberg.catalog.sql import SqlCatalog

from governance.project import Project, project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import Catalog, open_catalog
from tests.catalogs.rest import TOKEN, Rest, rest_server
from tests.postgres import Postgres, postgres_server

SECRET = "it-opens-nothing"  # noqa: S105
KEYS = {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": SECRET}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The endpoint of an S3 of this machine."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    server.stop()


@pytest.fixture
def bucket(s3: str) -> Any:
    """A bucket of the test's own, ``bucket.name``."""
    made = boto3.resource(
        "s3", endpoint_url=s3, region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key=SECRET
    ).Bucket(f"lake-{uuid4().hex}")
    made.create()
    return made


@pytest.fixture
def rest(tmp_path: Path) -> Iterator[Rest]:
    catalog = SqlCatalog("behind", uri=f"sqlite:///{tmp_path}/behind.db", warehouse=f"file://{tmp_path}/behind")
    with closing(catalog), rest_server(catalog) as server:
        yield server


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own settings out."""
    for name in [name for name in os.environ if name.startswith(("PYICEBERG_", "OPENLINEAGE", "AWS_", "PG"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def configure(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    """Let ``settings`` be those of the default catalog, as its variables of the environment name them."""
    for name, value in settings.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__DEFAULT__{name.upper()}", value)


def s3_settings(endpoint: str, bucket: Any) -> dict[str, str]:
    keys = {f"S3__{name}": value for name, value in KEYS.items()}
    return {"WAREHOUSE": f"s3://{bucket.name}/house", "S3__ENDPOINT": endpoint, "S3__REGION": "us-east-1", **keys}


@pytest.fixture(params=["sqlite", "postgres", "rest", "postgres-s3"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A catalog by the settings of a user, named here."""
    name = str(request.param)
    if name == "rest":
        configure(monkeypatch, uri=request.getfixturevalue("rest").url, token=TOKEN)
    if name.startswith("postgres"):
        server: Postgres = request.getfixturevalue("postgres")
        configure(monkeypatch, uri=server.make_schema(), warehouse=f"file://{tmp_path}/house")
    if name.endswith("s3"):
        configure(monkeypatch, **s3_settings(request.getfixturevalue("s3"), request.getfixturevalue("bucket")))
    return name


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_at(tmp_path / "project")


@pytest.fixture
def catalog(kind: str, project: Project) -> Iterator[Catalog]:
    assert kind
    with open_catalog(project) as opened:
        yield opened


@pytest.fixture
def engine(tmp_path: Path) -> DuckDb:
    return DuckDb(lambda: closing(duckdb.connect(":memory:", config={"temp_directory": str(tmp_path / "spill")})))
