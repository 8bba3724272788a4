"""A bucket of an object store: the few requests that a shared event store is made of.

What they have to be for events to be safe: an object is there whole or not at all, a read after a write sees it, and a
put may demand that nothing is there yet or that what is there is still what was read. S3 has all of it, and so have
Google's and Azure's stores; a plain file share has not.

Credentials, region and endpoint are the library's own settings: ``AWS_…``, ``GOOGLE_…`` and ``AZURE_…`` variables,
or what the machine's role gives. None of them is kept here or told.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, cast
from uuid import uuid4

from governance.errors import EventStoreError

PAGE = 1000
"""Objects that one request lists or deletes, as S3 has it."""

_CLOCK = "clock"
_PROOF = "conditions"
AT_ONCE = 16
"""Requests under way at a time: each waits for the network far longer than it computes."""

_PATIENCE = {"connect_timeout": timedelta(seconds=3), "timeout": timedelta(seconds=10)}
# a store that asks to slow down is asked again for so long; one that hangs costs a request's timeout twice
_AGAIN = {"max_retries": 4, "retry_timeout": timedelta(seconds=10)}
_STATUS = re.compile(r"status code: (\d{3}[A-Za-z ]*)")
_REFUSALS = {"PermissionDeniedError", "UnauthenticatedError"}
_SETTINGS = ("AWS_", "GOOGLE_", "AZURE_")
_ROLE = ("/latest/api/token", "/latest/meta-data", "/computeMetadata/", "/metadata/identity")
"""What is asked of the machine for the credentials of its role, where there are no others."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An object as a listing has it; ``at`` is the store's time, ``tag`` changes with the content."""

    name: str
    size: int
    at: datetime
    tag: str


@dataclass(frozen=True, slots=True)
class Content:
    """What an object held when it was read, and what names that version of it."""

    data: bytes
    at: datetime
    version: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Bucket:
    """The objects below ``url``; names are relative to it. ``store`` is the library's.

    Every method raises EventStoreError where the store does not answer in time, or refuses.
    """

    url: str
    store: Any

    def create(self, name: str, data: bytes) -> bool:
        """Put an object unless there is one of that name; return whether it was put. Of several at once one is."""
        import obstore  # noqa: PLC0415  # an extra: who keeps events in a folder needs none of it
        from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415

        with self._asking("write"):
            try:
                obstore.put(self.store, name, data, mode="create")
            except AlreadyExistsError:
                return False
        return True

    def replace(self, name: str, data: bytes, former: Content | None) -> bool:
        """Put an object in place of what was read as ``former``, None for nothing; return False where that changed."""
        import obstore  # noqa: PLC0415
        from obstore.exceptions import NotFoundError, PreconditionError  # noqa: PLC0415

        if former is None:
            return self.create(name, data)
        with self._asking("write"):
            try:
                obstore.put(self.store, name, data, mode=dict(former.version))  # type: ignore[arg-type]
            except (PreconditionError, NotFoundError, FileNotFoundError):
                return False
        return True

    def require_conditions(self) -> None:
        """Raise where the store puts in spite of a condition that does not hold: events would be written over.

        Raises:
            EventStoreError: it does, or it does not answer.
        """
        twice = self.create(_PROOF, b"") and self.create(_PROOF, b"")
        former = self.get(_PROOF)
        self.put(_PROOF, uuid4().hex.encode())
        if twice or self.replace(_PROOF, uuid4().hex.encode(), former):
            raise EventStoreError(
                f"the event store {self.url} is on a server that does not keep the conditions of a put",
                fix="use a server that knows If-None-Match and If-Match, as S3 does",
            )

    def put(self, name: str, data: bytes) -> None:
        """Put an object, whatever is there."""
        import obstore  # noqa: PLC0415

        with self._asking("write"):
            obstore.put(self.store, name, data)

    def now(self) -> datetime:
        """Return the time by the store's clock: of the objects' ages it is the one that counts."""
        self.put(_CLOCK, b"")
        found = self.get(_CLOCK)
        if found is None:
            raise EventStoreError(f"the event store {self.url} lost {_CLOCK}", fix="run it again")
        return found.at

    def get(self, name: str) -> Content | None:
        """Return what an object holds, None where there is none."""
        import obstore  # noqa: PLC0415

        with self._asking("read"):
            try:
                found = obstore.get(self.store, name)
                data = bytes(found.bytes())
            except FileNotFoundError:
                return None
            meta = found.meta
            version = tuple((key, str(meta[key])) for key in ("e_tag", "version") if meta[key])
            return Content(data, meta["last_modified"], version)

    def version(self, name: str) -> str:
        """Return what names the version of an object, empty where there is none."""
        import obstore  # noqa: PLC0415

        with self._asking("read"):
            try:
                meta = obstore.head(self.store, name)
            except FileNotFoundError:
                return ""
            return meta["e_tag"] or meta["version"] or ""

    def get_all(self, names: Sequence[str]) -> Iterator[Content | None]:
        """Yield what each object holds, in the order of ``names``."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            yield from threads.map(self.get, names)

    def pages(self, folder: str) -> Iterator[list[Stored]]:
        """Yield the objects of ``folder``, a thousand at a time, in order of their names."""
        import obstore  # noqa: PLC0415

        with self._asking("read"):
            for page in obstore.list(self.store, folder, chunk_size=PAGE):
                yield [Stored(it["path"], it["size"], it["last_modified"], it["e_tag"] or "") for it in page]

    def delete(self, names: Iterable[str]) -> None:
        """Delete objects; one that is gone already is no error."""
        import obstore  # noqa: PLC0415

        with self._asking("write"):
            left = iter(names)
            while some := list(islice(left, PAGE)):
                obstore.delete(self.store, some)

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        from obstore.exceptions import BaseError  # noqa: PLC0415

        try:
            yield
        except (BaseError, OSError) as error:
            problem, fix = _told(error)
            raise EventStoreError(f"the event store {self.url} cannot be {_DONE[what]}: {problem}", fix=fix) from error


_DONE = {"read": "read", "write": "written"}


def open_bucket(url: str) -> Bucket:
    """Return the bucket that ``url`` names; no request is made yet.

    Raises:
        EventStoreError: the library is not installed, or its settings are not enough to open it.
    """
    return _opened(url, tuple(sorted((name, text) for name, text in os.environ.items() if name.startswith(_SETTINGS))))


@lru_cache(maxsize=4)
def _opened(url: str, settings: tuple[tuple[str, str], ...]) -> Bucket:
    # kept, because a new one would make its connections anew
    try:
        from obstore.exceptions import BaseError  # noqa: PLC0415
        from obstore.store import from_url  # noqa: PLC0415
    except ImportError as error:
        raise EventStoreError(
            f"the event store {url} needs a library that is not installed", fix="pip install 'headwater[shared]'"
        ) from error
    # whoever names an endpoint by http:// wants no encryption to it
    plain = any(name.startswith("AWS_ENDPOINT_URL") and text.startswith("http://") for name, text in settings)
    options: Any = _PATIENCE | {"allow_http": plain}
    try:
        return Bucket(url, from_url(url, client_options=options, retry_config=cast("Any", _AGAIN)))
    except (BaseError, ValueError) as error:
        problem, _, _ = str(error).partition("\n")
        kind = problem.partition(" error: ")[2] if " error: " in problem else type(error).__name__
        raise EventStoreError(
            f"the event store {url} cannot be opened ({kind})", fix="correct the variables that name its account"
        ) from error


def _told(error: Exception) -> tuple[str, str]:
    """What is wrong and what to do; nothing of the library's text but a status, as it holds addresses and answers."""
    text = str(error)
    if "NoSuchBucket" in text:
        return "the bucket is not there", "create it, or correct the address"
    if any(place in text for place in _ROLE):
        return (
            "no credentials were found",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where a role gives some",
        )
    found = _STATUS.search(text)
    # a listing that is refused is a general error, which has a status only
    status = found[1][:3] if found else ""
    refused = isinstance(error, PermissionError) or type(error).__name__ in _REFUSALS
    if refused or status in {"401", "403"}:
        return (
            "access is refused",
            "see that the credentials are right and may list, read, write and delete below that address",
        )
    if status == "404":
        return "it answers 404 Not Found, as what is no store does", "correct AWS_ENDPOINT_URL or the address"
    return (
        f"it answers {found[1].strip()}" if found else "no answer",
        "see that it is up and that this machine reaches it (AWS_ENDPOINT_URL, AWS_REGION), then run it again",
    )
