"""The OpenLineage client with its standard configuration, and why it would keep an event to itself."""

import logging
import os
from functools import cache

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent
from openlineage.client.filter import create_filter
from openlineage.client.transport import Transport

from governance.errors import EventStoreError
from governance.events.redact import redact_text, secrets_of

_PROBE_RUN = "00000000-0000-7000-8000-000000000000"
_PROBE_TIME = "1970-01-01T00:00:00+00:00"

# The client warns of settings that it cannot parse and echoes them, tokens and all.
_TALKATIVE = ("openlineage.client.client", "openlineage.client.transport.http", "openlineage.client.transport.file")


class _Redacting(logging.Filter):
    """Masks secrets in what the client logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's message; every record passes."""
        record.msg, record.args = redact_text(record.getMessage(), secrets_of()), ()
        return True


@cache
def _redact_logs() -> None:
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_Redacting())


def client_for(transport: Transport) -> OpenLineageClient:
    """Return a client that writes to ``transport`` under the user's own settings.

    ``OPENLINEAGE_DISABLED``, filters, tags and facets of ``openlineage.yml`` and of ``OPENLINEAGE__…`` hold: they are
    read anew for each client, as the environment of a long-lived process may change.

    Raises:
        EventStoreError: the settings cannot be read as the client's.
    """
    _redact_logs()
    try:
        client = OpenLineageClient(transport=transport)
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
