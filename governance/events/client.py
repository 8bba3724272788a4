"""The OpenLineage client with its standard configuration, and why it would keep an event to itself."""

import logging
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # it has no stubs of its own
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent
from openlineage.client.filter import create_filter
from openlineage.client.transport import Transport

from governance.errors import EventStoreError
from governance.events.redact import MASK, redact_text, secrets_of

_PROBE_RUN = "00000000-0000-7000-8000-000000000000"
_PROBE_TIME = "1970-01-01T00:00:00+00:00"

# The client warns of settings that it cannot parse and echoes them, tokens and all; below it, addresses are echoed.
_TALKATIVE = (
    "openlineage.client.client",
    *(f"openlineage.client.transport.{it}" for it in ("http", "async_http", "composite", "file", "kafka", "transform")),
    "urllib3.connectionpool",
    "urllib3.util.retry",
)
_WHOLE_SETTINGS = re.compile(r"(\bconfig(?:uration)?: ).*", re.DOTALL)


class _Redacting(logging.Filter):
    """Masks secrets in what the client logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's message; every record passes."""
        said = _WHOLE_SETTINGS.sub(rf"\g<1>{MASK}", record.getMessage())
        record.msg, record.args = redact_text(said, secrets_of()), ()
        return True


@cache
def _redact_logs() -> None:
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_Redacting())


class _Client(OpenLineageClient):
    """The client, except that settings which it cannot read are an error: it would log them and go on without."""

    @staticmethod
    def _get_config_file_content(config_path: str) -> dict[str, Any]:
        try:
            read = yaml.safe_load(Path(config_path).read_text("utf-8"))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
            raise _unreadable(f"{config_path}{place}", error.problem or "not YAML") from None
        except (yaml.YAMLError, UnicodeDecodeError):
            raise _unreadable(config_path, "not YAML in UTF-8") from None
        except OSError as error:
            raise _unreadable(config_path, error.strerror or type(error).__name__) from None
        if not isinstance(read or {}, dict):
            raise _unreadable(config_path, f"it holds a {type(read).__name__}, where keys like transport: are due")
        return read or {}


def _unreadable(place: str, reason: str) -> EventStoreError:
    return EventStoreError(
        f"{place}: the OpenLineage settings cannot be read ({redact_text(reason, secrets_of())})",
        fix="correct that file, or remove it",
    )


def client_for(transport: Transport) -> OpenLineageClient:
    """Return a client that writes to ``transport`` under the user's own settings.

    ``OPENLINEAGE_DISABLED``, filters, tags and facets of ``openlineage.yml`` and of ``OPENLINEAGE__…`` hold: they are
    read anew for each client, as the environment of a long-lived process may change.

    Raises:
        EventStoreError: the settings cannot be read as the client's.
    """
    _redact_logs()
    try:
        client = _Client(transport=transport)
        client.config  # noqa: B018  read now, so that a bad setting is this error and not a later one
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise EventStoreError(
            f"the OpenLineage settings cannot be read ({redact_text(str(error), secrets_of())})",
            fix="correct openlineage.yml or the OPENLINEAGE__… variables",
        ) from error
    return client


def disabled() -> str | None:
    """Return why no event of any job is written, None where events are on."""
    off = os.environ.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true"
    return "OPENLINEAGE_DISABLED=true is set" if off else None


def filtered(client: OpenLineageClient, job: str) -> str | None:
    """Return the filter of the user's settings that drops events of ``job``, None where none does."""
    probe = RunEvent(eventTime=_PROBE_TIME, run=Run(_PROBE_RUN), job=Job("", job))
    for config in client.config.filters:
        chosen = create_filter(config)
        if chosen is not None and chosen.filter_event(probe) is None:
            pattern = config.match if config.type == "exact" else config.regex
            return f"the {config.type} filter {pattern!r} of openlineage.yml drops events of {job}"
    return None
