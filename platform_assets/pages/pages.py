"""The pages that the server gives: made when one is asked for and what it shows is new, one at a time."""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from governance.dataset import Dataset
from governance.errors import HeadwaterError, UnknownField
from governance.events.redact import redact_url
from governance.page.document import Shown, document
from governance.page.html import document_json, served_html
from governance.page.names import Hit, Names
from governance.page.state import state_of
from governance.page.tables import Tables
from governance.project import Project
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


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of one state; ``source`` is kept where more pages are to be made from it."""

    name: str
    tables: Tables
    names: Names
    source: Source | None
    made: dict[Dataset | None, Made]


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
    _renewing: threading.Thread | None = None
    _warned: set[str] = field(default_factory=set)

    def state(self) -> str:
        """Return a digest of what the page is made from."""
        return state_of(self.project, self.events)

    def made(self, around: str = "") -> Made:
        """Return the page as of now: of a large graph the tables ``around`` one, by the name of it or of a column.

        A name that leads nowhere is as none; the page says so, as it does of what its address names. A large graph is
        made anew while the last one is shown, by which the browser is told that there is something newer.

        Raises:
            HeadwaterError: events, policy or pipelines cannot be read.
        """
        with self._lock:
            name = self.state()
            state = self._now
            if state is None or (state.name != name and state.source is None):
                self._now = state = self._read(name)
            elif state.name != name:
                self._renew(name)
            if state.source is None:
                return state.made[None]
            dataset = _named(state.tables, around)
            if dataset not in state.made:
                shown = state.source.around(dataset) if dataset else state.source.opening()
                while len(state.made) >= KEPT:
                    del state.made[next(iter(state.made))]
                state.made[dataset] = _made(state.name, shown, dataset)
            return state.made[dataset]

    def find(self, typed: str) -> dict[str, Any]:
        """Return the tables and columns that ``typed`` means, as of the page that was made last.

        Raises:
            HeadwaterError: none was, and events, policy or pipelines cannot be read.
        """
        if self._now is None:
            self.made()
        state = self._now
        if state is None:
            raise AssertionError(state)
        hits = state.names.find(typed)
        return {"found": [_found(state.tables, it) for it in hits.best], "more": hits.more}

    def _renew(self, name: str) -> None:
        if self._renewing is None or not self._renewing.is_alive():
            self._renewing = threading.Thread(target=self._renewed, args=(name,), daemon=True)
            self._renewing.start()

    def _renewed(self, name: str) -> None:
        try:
            self._now = self._read(name)
        except HeadwaterError:
            # whoever asks next is told
            self._now = None

    def _read(self, name: str) -> _State:
        source = page_source(self.project, self.events, datetime.now(UTC))
        fresh = {str(it) for it in source.problems} - self._warned
        for problem in sorted(fresh):
            self.warn(f"warning: {problem}")
        self._warned |= fresh
        names = Names.of(source.tables)
        if source.tables.large:
            return _State(name, source.tables, names, source, {})
        # what is not needed again is not held
        return _State(name, source.tables, names, None, {None: _made(name, source.shown, None)})


def _made(state: str, shown: Shown, dataset: Dataset | None) -> Made:
    found = document(shown) | {"state": state}
    page = served_html(found)
    tag = hashlib.sha256(f"{state} {dataset!r}".encode(errors="surrogatepass")).hexdigest()
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
