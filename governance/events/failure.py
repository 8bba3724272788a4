"""Why a server did not take an event, in words that people can act on; transports raise whatever they like."""

from collections.abc import Iterator
from http import HTTPStatus

from governance.events.redact import redact_text, secrets_of

SETTINGS = "openlineage.yml, OPENLINEAGE_URL or OPENLINEAGE__TRANSPORT…"
_START = "start the server or correct its address in"

_ANSWERS = {
    401: "give it a valid key in",
    403: "give it a key that may write in",
    404: "correct the url or endpoint in",
}
"""What to do about a status; of all others the server's own log tells more."""

_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_LONGEST = 300


def status_of(error: Exception) -> int | None:
    """Return the status that the server answered, None where it did not answer."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def reason(error: BaseException) -> str:
    """Return what happened, without the wrapping of the libraries in between and without secrets."""
    chain = list(_chain(error))
    if any("Timeout" in type(it).__name__ or isinstance(it, TimeoutError) for it in chain):
        return "no answer in time"
    # the innermost is the system's own word, such as "Connection refused"
    said = next((it.strerror for it in reversed(chain) if isinstance(it, OSError) and it.strerror), "")
    text = said or str(error) or type(error).__name__
    return " ".join(redact_text(text, secrets_of()).split())[:_LONGEST]


def told(error: Exception) -> str:
    """Return what happened to a sending, and what to do."""
    status = status_of(error)
    if status is not None:
        said = f"it answered {status} {_PHRASES.get(status, '')}".rstrip()
        return f"{said}; {_ANSWERS[status]} {SETTINGS}" if status in _ANSWERS else f"{said}; see the server's log"
    if isinstance(error, OSError):
        return f"{reason(error)}; {_START} {SETTINGS}"
    return f"{reason(error)}; correct the transport in {SETTINGS}"


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
