"""Where the user's own OpenLineage settings send events: the standard configuration, taken apart into destinations."""

import copy
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from openlineage.client.transport import Transport, get_default_factory
from openlineage.client.transport.http import HttpTransport
from openlineage.client.transport.noop import NoopConfig, NoopTransport

from governance.errors import EventStoreError
from governance.events.client import client_for
from governance.events.failure import Redirected
from governance.events.redact import redact_url, secret_values

# What says where events go; the rest (tokens, timeouts, retries) may change without making it another destination.
_ADDRESS = (
    "type", "url", "endpoint", "topic", "bootstrap.servers", "log_file_path", "project_id", "location", "domain_id",
    "region", "endpoint_override", "site", "transformer_class",
)  # fmt: skip
_INSIDE = ("transport", "transports", "config")
"""Settings that hold the settings of others, or more of their own."""

# What a server missed is sent later anyway, so the client's own five retries would only make everybody wait.
_RETRY = {"total": 1, "connect": 1, "read": 1}

# The last answer is needed, for what it says; a Retry-After is kept by whoever sends: urllib3 would sleep for an hour.
_ANSWERED = {"raise_on_status": False, "respect_retry_after_header": False}


@dataclass(frozen=True, slots=True)
class Destination:
    """One server, topic or file of the user's settings.

    name: for people, without secrets; key: stays the same while the address does
    """

    name: str
    key: str
    settings: Mapping[str, Any] = field(repr=False)

    def open(self) -> Transport:
        """Return the client's transport to it; raises what that transport's class raises."""
        settings = copy.deepcopy(dict(self.settings))
        if settings["type"] == "http":
            settings["retry"] = _ANSWERED | (settings.get("retry") or _RETRY)
        transport = get_default_factory().create(settings)
        if isinstance(transport, HttpTransport):
            transport.session.hooks["response"].append(_refuse_redirect)
        return transport

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values in the settings that no message may show: keys, passwords, all headers."""
        return secret_values(self.settings)


def _refuse_redirect(answer: Any, **_: object) -> None:
    """Stop at an answer that sends elsewhere: requests would go there without the event, or with keys not meant for it.

    Raises:
        Redirected: the answer is one.
    """
    if answer.is_redirect:
        raise Redirected(answer.status_code, urljoin(answer.url, answer.headers["Location"]))


def destinations() -> tuple[Destination, ...]:
    """Return the destinations of ``openlineage.yml``, ``OPENLINEAGE__TRANSPORT…`` and ``OPENLINEAGE_URL``; often none.

    A composite transport is taken apart, so that each of its children gets every event: the client only logs the
    failure of one. One that stops at the first success is a single destination.

    Raises:
        EventStoreError: the settings cannot be read.
    """
    settings = client_for(NoopTransport(NoopConfig())).config.transport or {}
    if not isinstance(settings, dict):
        raise EventStoreError(
            f"the OpenLineage transport is {type(settings).__name__}, not a mapping",
            fix="write transport: {type: http, url: …} in openlineage.yml",
        )
    chosen = settings if settings.get("type") else _of_simple_variables(os.environ)
    return tuple(_destination(single) for single in _taken_apart(chosen))


def _of_simple_variables(env: Mapping[str, str]) -> Mapping[str, Any]:
    """The server that ``OPENLINEAGE_URL`` and its companions name, which count where no transport is configured."""
    if not env.get("OPENLINEAGE_URL"):
        return {}
    settings: dict[str, Any] = {"type": "http", "url": env["OPENLINEAGE_URL"]}
    if env.get("OPENLINEAGE_ENDPOINT"):
        settings["endpoint"] = env["OPENLINEAGE_ENDPOINT"]
    if env.get("OPENLINEAGE_API_KEY"):
        settings["auth"] = {"type": "api_key", "apiKey": env["OPENLINEAGE_API_KEY"]}
    return settings


def _taken_apart(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    kind = settings.get("type")
    if kind == "composite" and settings.get("continue_on_success", True):
        for child in _children(settings):
            yield from _taken_apart(child)
    elif kind == "async_http":
        # it loses what is queued when the process exits; sending waits in a thread of its own anyway
        yield {**settings, "type": "http"}
    elif kind and kind != "noop":
        yield settings


def _children(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The transports of a composite one; one without settings is switched off."""
    children = settings.get("transports") or {}
    return [child for child in (children.values() if isinstance(children, dict) else children) if child]


def _destination(settings: Mapping[str, Any]) -> Destination:
    address = json.dumps(_address(settings), sort_keys=True, default=str)
    key = hashlib.sha256(address.encode()).hexdigest()[:12]
    return Destination(redact_url(_name(settings)), key, settings)


def _name(settings: Mapping[str, Any]) -> str:
    inner = settings.get("transport")
    children = [inner] if isinstance(inner, dict) else _children(settings)
    places = [str(settings[name]) for name in ("url", "topic", "log_file_path", "location") if name in settings]
    return " ".join([str(settings["type"]), *(places[:1] or map(_name, filter(_address, children)))])


def _address(settings: Any) -> Any:
    """The part of the settings that says where events go, at every depth."""
    if isinstance(settings, list):
        return [_address(it) for it in settings]
    if not isinstance(settings, dict):
        return {}
    address = {name: settings[name] for name in _ADDRESS if name in settings}
    for name in _INSIDE:
        inside = settings.get(name)
        if name == "transports" and isinstance(inside, dict):
            inside = list(inside.values())  # under names of the user's choice
        if part := _address(inside):
            address[name] = part
    return address
