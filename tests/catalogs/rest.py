"""An Iceberg REST catalog on this machine: the specification's calls that pyiceberg makes, over its SQL catalog.

https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml
"""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import CommitTableRequest, Table
from pyiceberg.table.metadata import TableMetadata
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SEPARATOR = "\x1f"
TOKEN = "let-me-in-please"  # noqa: S105  # it opens nothing else
STATUS = {
    NoSuchNamespaceError: 404,
    NoSuchTableError: 404,
    NamespaceAlreadyExistsError: 409,
    NamespaceNotEmptyError: 409,
    TableAlreadyExistsError: 409,
    CommitFailedException: 409,
}


@dataclass(slots=True)
class Rest:
    """A running server at ``url``.

    lost:  what the next commits answer once they are done: a status, or None for nothing at all
    calls: (method, path) of every request
    """

    url: str
    catalog: SqlCatalog
    lost: list[int | None] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)


class Unanswered(Exception):
    """The connection stays open, and nothing comes."""


@contextmanager
def rest_server(catalog: SqlCatalog) -> Iterator[Rest]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        rest = Rest(f"http://127.0.0.1:{listening.getsockname()[1]}", catalog)
        config = uvicorn.Config(
            application(rest),
            log_level="critical",
            lifespan="off",
            ws="none",
            loop="asyncio",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=asyncio.run, args=(server.serve([listening]),), daemon=True)
        thread.start()
        yield rest
        server.should_exit = True
        thread.join(20)
    assert not thread.is_alive()


def application(rest: Rest) -> Starlette:
    at = "/v1/namespaces"
    table = at + "/{namespace}/tables/{table}"
    routes: list[tuple[str, str, Callable[[Rest, Request], Response]]] = [
        ("GET", "/v1/config", config),
        ("GET", at, list_namespaces),
        ("POST", at, create_namespace),
        ("GET", at + "/{namespace}", load_namespace),
        ("DELETE", at + "/{namespace}", drop_namespace),
        ("GET", at + "/{namespace}/tables", list_tables),
        ("POST", at + "/{namespace}/tables", create_table),
        ("GET", table, load_table),
        ("POST", table, commit_table),
        ("DELETE", table, drop_table),
    ]
    return Starlette(routes=[Route(path, answering(rest, ask), methods=[method]) for method, path, ask in routes])


def answering(rest: Rest, ask: Callable[[Rest, Request], Response]) -> Any:
    async def answer(request: Request) -> Response:
        rest.calls.append((request.method, request.url.path))
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return error(401, "NotAuthorizedException", "no valid token")
        # Starlette reads a body in its own loop only
        request.state.body = await request.json() if await request.body() else {}
        try:
            return await asyncio.to_thread(ask, rest, request)
        except tuple(STATUS) as problem:
            return error(STATUS[type(problem)], type(problem).__name__, str(problem))
        except Unanswered:
            await asyncio.sleep(3600)
            raise

    return answer


def error(code: int, kind: str, message: str) -> Response:
    return JSONResponse({"error": {"message": message, "type": kind, "code": code}}, code)


def config(*_: object) -> Response:
    return JSONResponse({"defaults": {}, "overrides": {}})


def list_namespaces(rest: Rest, request: Request) -> Response:
    parent = tuple(request.query_params["parent"].split(SEPARATOR)) if "parent" in request.query_params else ()
    found = [it for it in rest.catalog.list_namespaces(parent) if len(it) > len(parent)]
    return JSONResponse({"namespaces": [list(it) for it in found]})


def create_namespace(rest: Rest, request: Request) -> Response:
    asked = request.state.body
    rest.catalog.create_namespace(tuple(asked["namespace"]), asked.get("properties", {}))
    return JSONResponse({"namespace": asked["namespace"], "properties": asked.get("properties", {})})


def load_namespace(rest: Rest, request: Request) -> Response:
    # HEAD asks whether there is one: Starlette leaves the body out
    properties = rest.catalog.load_namespace_properties(namespace(request))
    return JSONResponse({"namespace": list(namespace(request)), "properties": properties})


def drop_namespace(rest: Rest, request: Request) -> Response:
    rest.catalog.drop_namespace(namespace(request))
    return Response(status_code=204)


def list_tables(rest: Rest, request: Request) -> Response:
    found = rest.catalog.list_tables(namespace(request))
    return JSONResponse({"identifiers": [{"namespace": list(it[:-1]), "name": it[-1]} for it in found]})


def create_table(rest: Rest, request: Request) -> Response:
    asked = request.state.body
    identifier = (*namespace(request), asked["name"])
    given: dict[str, Any] = {
        "schema": Schema.model_validate(asked["schema"]),
        "location": asked.get("location"),
        "properties": asked.get("properties", {}),
    }
    if spec := asked.get("partition-spec"):
        given["partition_spec"] = PartitionSpec.model_validate(spec)
    if not rest.catalog.namespace_exists(identifier[:-1]):
        raise NoSuchNamespaceError(f"there is no namespace {identifier[:-1]}")
    if not asked.get("stage-create"):
        made = rest.catalog.create_table(identifier, **given)
        return loaded(made.metadata, made.metadata_location)
    if rest.catalog.table_exists(identifier):
        raise TableAlreadyExistsError(f"there is a table {identifier}")
    return loaded(rest.catalog.create_table_transaction(identifier, **given).table_metadata, None)


def load_table(rest: Rest, request: Request) -> Response:
    table = rest.catalog.load_table((*namespace(request), request.path_params["table"]))
    return loaded(table.metadata, table.metadata_location)


def commit_table(rest: Rest, request: Request) -> Response:
    asked = CommitTableRequest.model_validate(request.state.body)
    identifier = (*namespace(request), request.path_params["table"])
    committed = rest.catalog.commit_table(Named(identifier), asked.requirements, asked.updates)
    if rest.lost:
        status = rest.lost.pop(0)
        if status is None:
            raise Unanswered
        return error(status, "CommitStateUnknownException", "something went wrong behind the commit")
    return loaded(committed.metadata, committed.metadata_location)


def drop_table(rest: Rest, request: Request) -> Response:
    rest.catalog.drop_table((*namespace(request), request.path_params["table"]))
    return Response(status_code=204)


class Named(Table):
    """A table of which the SQL catalog asks no more than its name, for it loads what there is itself."""

    def __init__(self, identifier: tuple[str, ...]) -> None:
        self._identifier = identifier


def loaded(metadata: TableMetadata, location: str | None) -> Response:
    told = {"metadata": json.loads(metadata.model_dump_json()), "config": {}}
    return JSONResponse(told | ({"metadata-location": location} if location else {}))


def namespace(request: Request) -> tuple[str, ...]:
    return tuple(request.path_params["namespace"].split(SEPARATOR))
