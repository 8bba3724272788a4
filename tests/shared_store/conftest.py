"""A server of this machine that speaks S3, an address of its own for each test, and hosts that share it."""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import boto3
import pytest
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

from governance.events.shared.bucket import Bucket, open_bucket
from governance.events.shared.store import SharedEventStore
from tests.shared_store.runs import KEY, SECRET

_NUMBERS = count()


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    put, one = S3Response.put_object, threading.Lock()

    def alone(response: S3Response) -> object:
        with one:
            return put(response)

    # it looks whether an object is there and puts it in two steps, which the store that it stands for does in one
    S3Response.put_object = alone  # type: ignore[method-assign]
    server.start()
    _, port = server.get_host_and_port()
    address = f"http://127.0.0.1:{port}"
    client = boto3.client(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
    )
    client.create_bucket(Bucket="lake")
    yield address
    server.stop()
    S3Response.put_object = put  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def environment(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server's settings and no others; OpenLineage's client writes to os.environ, so the whole is put back."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("OPENLINEAGE", "AWS_", "HEADWATER_"))]:
        del os.environ[name]
    os.environ.update(AWS_ENDPOINT_URL=endpoint, AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def address() -> str:
    return f"s3://lake/test-{os.getpid()}-{next(_NUMBERS)}"


@pytest.fixture
def bucket(address: str) -> Bucket:
    return open_bucket(address)


@pytest.fixture
def host(tmp_path: Path, bucket: Bucket) -> Callable[[str], SharedEventStore]:
    """A host by its name: a mirror of its own."""
    return lambda name: SharedEventStore(tmp_path / name, bucket=bucket)
