"""Why a server did not take an event, in words that people can act on; transports raise whatever they like."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from governance.events.redact import redact_text, secrets_of

SETTINGS = "openlineage.yml, OPENLINEAGE_URL or OPENLINEAGE__TRANSPORT…"
_START = "start the server or correct its address in"

_ANSWERS = {
    401: "give it a valid key in",
    403: "give it a key that may write in",
    404: "correct the url or endpoint in",
}
"""What to do in the settings about a status."""

_OTHERWISE = {
    413: "raise what a request may hold on the server, or on the proxy before it",
    429: "`headwater events ship` sends the rest later",
    503: "`headwater events ship` sends the rest later",
}
"""What to do about a status that is no fault of the settings; of all others the server's own log tells more."""

_BUSY = {429: 1.0, 503: None}
"""Statuses of a server that wants to be asked again, and after how many seconds where it does not say."""

_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_LONGEST = 300


class Redirected(Exception):
    """A server that sends on to another place; nobody goes there, as neither event nor keys would be safe."""

    def __init__(self, status: int, place: str) -> None:
        super().__init__(f"it answered {status} and sends on to {place}")


def status_of(error: Exception) -> int | None:
    """Return the status that the server answered, None where it did not answer."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def wait_of(error: Exception, now: datetime) -> float | None:
    """Return after how many seconds a server wants to be asked again (RFC 9110, 10.2.3), None where it does not."""
    status = status_of(error)
    if status not in _BUSY:
        return None
    said = getattr(error, "response").headers.get("Retry-After", "").strip()  # noqa: B009  any transport's error
    if said.isascii() and said.isdigit():
        return float(said)
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return _BUSY[status]
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def reason(error: BaseException, secrets: tuple[str, ...] = ()) -> str:
    """Return what happened, without the wrapping of the libraries in between and without secrets.

    ``secrets`` are those of the destination's own settings, beside the environment's.
    """
    chain = list(_chain(error))
    if any("Timeout" in type(it).__name__ or isinstance(it, TimeoutError) for it in chain):
        return "no answer in time"
    # the innermost is the system's own word, such as "Connection refused"
    said = next((it.strerror for it in reversed(chain) if isinstance(it, OSError) and it.strerror), "")
    text = said or str(error) or type(error).__name__
    return " ".join(redact_text(text, (*secrets, *secrets_of())).split())[:_LONGEST]


def told(error: Exception, secrets: tuple[str, ...] = ()) -> str:
    """Return what happened to a sending, and what to do; ``secrets`` as in :func:`reason`."""
    status = status_of(error)
    if status is not None:
        said = f"it answered {status} {_PHRASES.get(status, '')}".rstrip()
        todo = (
            f"{_ANSWERS[status]} {SETTINGS}" if status in _ANSWERS else _OTHERWISE.get(status, "see the server's log")
        )
        return f"{said}; {todo}"
    if isinstance(error, Redirected):
        return f"{reason(error, secrets)}; set the address it means in {SETTINGS}"
    if isinstance(error, OSError):
        return f"{reason(error, secrets)}; {_START} {SETTINGS}"
    return f"{reason(error, secrets)}; correct the transport in {SETTINGS}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and those that it wraps: urllib3 and requests hand theirs on as arguments and as ``reason``."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        inner = (one.__cause__, one.__context__, getattr(one, "reason", None), *one.args)
        waiting += [it for it in inner if isinstance(it, BaseException)]
