"""A run over files of an object store: copied while it reads them, told by the names that they have there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from governance.errors import LandingError
from governance.policy import load_policy, load_sources
from governance.project import Project
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog
from tests.platform.running import Landing, landing_project


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "it opens nothing")
    client: Any = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1")
    client.create_bucket(Bucket="lake")
    yield client
    server.stop()


@pytest.fixture
def landing(project: Project, catalog: Catalog, engine: Engine) -> Landing:
    made = landing_project(project, catalog, engine)
    text = project.sources.read_text("utf-8")
    project.sources.write_text(text.replace('at = "landing"', 'at = "s3://lake/in"\nnamespace = "s3://lake"'), "utf-8")
    return Landing(replace(made.platform, policy=load_policy(project), sources=load_sources(project)))


def put(bucket: Any, name: str, text: str) -> None:
    bucket.put_object(Bucket="lake", Key=f"in/{name}", Body=text.encode())


def test_an_insert_takes_each_object_once_and_tells_it_by_its_name(landing: Landing, bucket: Any) -> None:
    put(bucket, "orders/1.csv", "id,amount\n1,1.00\nx,1.00\n")
    for number, told in enumerate([(2, 1, 1), (0, 0, 0)]):
        landing.run("bronze.orders", number)
        assert landing.statistics == told
    read = landing.sent[1]["inputs"][0]
    assert (read["namespace"], read["name"]) == ("s3://lake", "landing/orders/*.csv")
    assert read["facets"]["storage"]["storageLayer"] == "s3"
    assert [it["name"] for it in read["inputFacets"]["headwater_files"]["files"]] == ["landing/orders/1.csv"]
    assert [row["file"] for row in landing.rows("quarantine.bronze_orders")] == ["landing/orders/1.csv"]
    assert str(landing.project.root) not in json.dumps(landing.sent)
    assert not list((landing.project.state / "staged").rglob("*.csv"))

    put(bucket, "orders/1.csv", "id,amount\n1,1.00\nx,1.00\n2,1.00\n")
    with pytest.raises(LandingError, match=r"landing/orders/1\.csv changed after bronze\.orders had taken it"):
        landing.run("bronze.orders", 2)


def test_an_object_that_is_not_there_ends_in_fail(landing: Landing, bucket: Any) -> None:
    assert bucket
    with pytest.raises(LandingError, match=r"landing/people\.csv: there is no such file"):
        landing.run("bronze.people")
    assert landing.kinds == ["START", "FAIL"]
