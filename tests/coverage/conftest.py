"""A platform written small: flows as ``job: source → target``, reads as account, tag and tables."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from governance.consumers.declared import Declarations, Declared
from governance.consumers.records import Records
from governance.events.model import Event
from governance.graph import build_graph
from governance.policy import Policy, TablePolicy
from governance.policy_lineage import LineagePolicy
from governance.queries.model import QueryLog, QueryRead, Window

NAMESPACE = "iceberg://platform"
NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)


def _flow(text: str) -> Event:
    """``job: a.b, c.d -> e.f x<a.b.x y``: reads, then the table written and its columns, each with its input or none.

    ``?`` alone: no column lineage; ``+z``: a column of the schema that lineage does not mention; ``~x<a.b.x``: untyped.
    """
    job, _, rest = text.partition(": ")
    reads, _, written = rest.partition("-> ")
    table, *columns = written.split()
    names = [column.strip("+~").partition("<")[0] for column in columns]
    fields = dict(_column(column) for column in columns if not column.startswith("+"))
    facets = {"schema": {"fields": [{"name": name} for name in names]}, "columnLineage": {"fields": fields}}
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-08-30T02:00:00Z",
        "run": {"runId": f"run of {job}"},
        "job": {"namespace": "headwater", "name": job},
        "inputs": [{"namespace": NAMESPACE, "name": name.strip()} for name in reads.split(",") if name.strip()],
        "outputs": [{"namespace": NAMESPACE, "name": table, "facets": {} if columns == ["?"] else facets}],
    }
    return msgspec.convert(event, Event)


def _column(text: str) -> tuple[str, dict[str, Any]]:
    name, _, source = text.strip("~").partition("<")
    of, _, field = source.rpartition(".")
    how = [] if text.startswith("~") else [{"type": "DIRECT", "subtype": "IDENTITY"}]
    inputs = [{"namespace": NAMESPACE, "name": of, "field": field, "transformations": how}] if source else []
    return name, {"inputFields": inputs}


@pytest.fixture(scope="session")
def flows() -> Callable[[str], tuple[Event, ...]]:
    return lambda text: tuple(_flow(line.strip()) for line in text.strip().splitlines() if line.strip())


@pytest.fixture(scope="session")
def read() -> Callable[..., QueryRead]:
    """``read("ann", "a.b", tag=…, day=-1, columns=…)``, each a read of its own."""
    numbers = iter(range(1_000_000))

    def make(user: str, *tables: str, tag: str = "", day: float = 0, **rest: Any) -> QueryRead:
        at = NOON + timedelta(days=day)
        columns = rest.pop("columns", ())
        return QueryRead(str(next(numbers)), at, user, tag, tables=tables, columns=columns, **rest)

    return make


@pytest.fixture(scope="session")
def policy() -> Policy:
    lineage = LineagePolicy(("public", "internal"), frozenset({"DIRECT"}), frozenset(), NAMESPACE, "headwater")
    owned = {"src.payments": TablePolicy("team:billing"), "fct.payments": TablePolicy("team:finance")}
    return Policy(MappingProxyType(owned), lineage)


@pytest.fixture(scope="session")
def records(flows: Callable[[str], tuple[Event, ...]], policy: Policy) -> Callable[..., Records]:
    def make(
        text: str = "",
        reads: Iterable[QueryRead] = (),
        consumers: Iterable[Declared] = (),
        shared: Iterable[str] = (),
        days: float = 90,
        **rest: Any,
    ) -> Records:
        kept = tuple(reads)
        windows = (Window(NOON - timedelta(days=days), NOON),) if kept or rest.pop("logged", False) else ()
        declarations = Declarations(tuple(consumers), tuple(shared))
        return Records(build_graph(flows(text)), QueryLog(kept, windows), declarations, policy)

    return make
