"""The pages that the server gives: made when one is asked for and what it shows is new, one at a time."""

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from governance.dataset import Dataset
from governance.errors import HeadwaterError, UnknownField
from governance.events.redact import redact_url
from governance.page.document import Shown, document
from governance.page.html import document_json, served_html
from governance.page.names import Hit, Names
from governance.page.state import state_of
from governance.page.tables import Tables
from governance.project import Project
from governance.uncollected import uncollected
from platform_assets.pages.source import Source, page_source

KEPT = 8
"""Parts that are kept made: who follows lineage goes back and forth among a few."""


@dataclass(frozen=True, slots=True)
class Made:
    """The page of one state of the project, of all of it or of a part; ``tag`` tells it from all others."""

    tag: str
    page: str
    policy: str
    data: str


class Asked(NamedTuple):
    """The table that a part is asked for around, and of how many days back all its runs; none for what opens."""

    around: Dataset | None = None
    past: int = 0


OPENING = Asked()


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of one state; ``source`` is kept where more pages are to be made from it."""

    name: str
    tables: Tables
    names: Names
    source: Source | None
    made: dict[Asked, Made]


class _Reading(threading.Thread):
    """The reading of one state, for which whoever asks for a page may wait."""

    def __init__(self, of: str, read: Callable[[str], _State]) -> None:
        # a server that is told to end does not wait for what it reads
        super().__init__(daemon=True)
        self.of, self.began = of, time.monotonic()
        self._read = read
        self._found: _State | HeadwaterError | None = None

    def run(self) -> None:
        """Read; what the user has to mend is for those who wait."""
        try:
            self._found = self._read(self.of)
        except HeadwaterError as error:
            self._found = error

    def found(self) -> _State:
        """Return what was read.

        Raises:
            HeadwaterError: events, policy or pipelines cannot be read.
        """
        if isinstance(self._found, _State):
            return self._found
        raise self._found or RuntimeError("the project was not read: the server's own output says why")


@dataclass(slots=True)
class Pages:
    """Makes the page when it is asked for and its state is new; one at a time, however many ask.

    warn: takes, once each, what of the events cannot be read
    """

    project: Project
    events: Path | None
    warn: Callable[[str], None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _now: _State | None = None
    _renewing: _Reading | None = None
    _warned: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Begin to read, so that whoever asks first finds it done, or begun; nothing is waited for."""
        name = self.state()
        with self._lock:
            self._begun(name)

    def state(self) -> str:
        """Return a digest of what the page is made from."""
        return state_of(self.project, self.events)

    def look(self) -> str:
        """Return :meth:`state`; where another is shown, and stays so while this one is read, that begins.

        Whoever looks whether there is something newer is about to ask for it.
        """
        name, now = self.state(), self._now
        if now and now.source and now.name != name:
            with self._lock:
                self._begun(name)
        return name

    def made(self, around: str = "", past: int = 0) -> Made:
        """Return the page as of now: of a large graph the tables ``around`` one, by the name of it or of a column.

        past: days of which all runs are to be in it, where otherwise those alone are that stand

        A name that leads nowhere is as none; the page says so, as it does of what its address names. A large graph is
        made anew while the last one is shown, by which the browser is told that there is something newer.

        Raises:
            HeadwaterError: events, policy or pipelines cannot be read.
        """
        return self._made(self._known(), around, past)

    def made_within(self, seconds: float, around: str = "", past: int = 0) -> Made | float:
        """Return as :meth:`made` does; where what is read for it takes longer, for how many seconds it has been read.

        Raises:
            HeadwaterError: events, policy or pipelines cannot be read.
        """
        found = self._within(seconds)
        return found if isinstance(found, float) else self._made(found, around, past)

    def find(self, typed: str) -> dict[str, Any]:
        """Return the tables and columns that ``typed`` means, as of the page that was made last.

        Raises:
            HeadwaterError: none was, and events, policy or pipelines cannot be read.
        """
        state = self._now or self._known()
        hits = state.names.find(typed)
        return {"found": [_found(state.tables, it) for it in hits.best], "more": hits.more}

    def _known(self) -> _State:
        while isinstance(found := self._within(threading.TIMEOUT_MAX), float):
            pass
        return found

    def _within(self, seconds: float) -> _State | float:
        """Return what is known as of now, or, where that is large, as it is shown meanwhile."""
        until, name = time.monotonic() + seconds, self.state()
        while True:
            with self._lock:
                now = self._now
                if now and now.name == name:
                    return now
                reading = self._begun(name)
                if now and now.source:
                    return now
            reading.join(until - time.monotonic())
            if reading.is_alive():
                return time.monotonic() - reading.began
            # one that began before may be of an earlier state: enough where it is large
            if reading.of == name:
                return reading.found()

    def _begun(self, name: str) -> _Reading:
        """Return the reading that goes on, of whatever state, else that of ``name``, which begins."""
        if self._renewing is None or not self._renewing.is_alive():
            self._renewing = _Reading(name, self._read)
            self._renewing.start()
        return self._renewing

    def _made(self, state: _State, around: str, past: int) -> Made:
        if state.source is None:
            return state.made[OPENING]
        dataset = _named(state.tables, around)
        asked = Asked(dataset, past) if dataset else OPENING
        with self._lock:
            if asked not in state.made:
                shown = state.source.around(dataset, past) if dataset else state.source.opening()
                while len(state.made) >= KEPT:
                    del state.made[next(iter(state.made))]
                state.made[asked] = _made(state.name, shown, asked)
            return state.made[asked]

    def _read(self, name: str) -> _State:
        try:
            self._now = found = self._state_of(name)
        except HeadwaterError:
            # whoever asks next is told
            self._now = None
            raise
        return found

    @uncollected()
    def _state_of(self, name: str) -> _State:
        source = page_source(self.project, self.events, datetime.now(UTC))
        fresh = {str(it) for it in source.problems} - self._warned
        for problem in sorted(fresh):
            self.warn(f"warning: {problem}")
        self._warned |= fresh
        names = Names.of(source.tables)
        if source.tables.large:
            return _State(name, source.tables, names, source, {})
        # what is not needed again is not held
        return _State(name, source.tables, names, None, {OPENING: _made(name, source.shown, OPENING)})


def _made(state: str, shown: Shown, asked: Asked) -> Made:
    found = document(shown) | {"state": state}
    page = served_html(found)
    tag = hashlib.sha256(f"{state} {asked!r}".encode(errors="surrogatepass")).hexdigest()
    return Made(tag, page.text, page.policy, document_json(found))


def _named(tables: Tables, name: str) -> Dataset | None:
    try:
        return tables.named(name) if name else None
    except UnknownField:
        return None


def _found(tables: Tables, hit: Hit) -> dict[str, Any]:
    dataset, column = hit.dataset, hit.column
    table = tables.address(dataset)
    return {
        "name": table if column is None else f"{table}.{column}",
        "around": table,
        "table": redact_url(dataset.name),
        "namespace": redact_url(dataset.namespace),
        "column": column,
    }
