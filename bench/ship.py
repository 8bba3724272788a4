"""Events a second to a lineage server on this machine, a process of its own, with gzip and without.

One connection, one event at a time, as order asks for; the server is Python's standard library's and parses each event.
"""

import json
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from governance.events.facets import Column, Input, Output
from governance.events.run import Attempt, JobFacts, Naming, RunFacts, complete_event
from governance.events.store import EventStore
from governance.events.transport import ship
from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from tests.servers.listening import Listening, listening

EVENTS = 2_000
_COLUMNS = 12
_MADE = datetime(2026, 10, 1, 2, tzinfo=UTC)


def main() -> None:
    """Print events a second, and the bytes of one as it was sent."""
    with tempfile.TemporaryDirectory() as folder, listening() as server:
        store = EventStore(Path(folder), clock=lambda: _MADE)
        store.append(_event())
        (file,) = store.files()
        file.write_text(file.read_text() * EVENTS)
        print(f"{EVENTS:,} COMPLETE events of {_COLUMNS} columns, {file.stat().st_size // EVENTS:,} bytes each")
        for compression in (None, "gzip"):
            _send(store, server, compression)


def _send(store: EventStore, server: Listening, compression: str | None) -> None:
    server.forget()
    endpoint = f"{compression or 'plain'}/lineage"
    settings = {"type": "http", "url": server.url, "endpoint": endpoint, "compression": compression}
    os.environ["OPENLINEAGE__TRANSPORT"] = json.dumps({name: it for name, it in settings.items() if it})
    wall, own = time.perf_counter(), time.process_time()
    (done,) = ship(store, 600)
    wall, own = time.perf_counter() - wall, time.process_time() - own
    size = server.seen()[0]["size"]
    print(
        f"  {compression or 'plain':5}  {done.sent / wall:5.0f} events/s, {done.sent / own:5.0f} a CPU-second of the "
        f"sender, {size:,} bytes sent of each"
    )


def _event():  # noqa: ANN202  OpenLineage's classes stay in governance.events
    names = [f"column_{number}" for number in range(_COLUMNS)]
    fields = tuple(OutputField(it, (InputField("crm.learners", it, Transformation.IDENTITY),)) for it in names)
    rows = tuple(InputField("crm.learners", it, Transformation.FILTER) for it in names[:3])
    lineage = ColumnLineage("marketing.audience", fields, rows, ("crm.learners",))
    schema = tuple(Column(it, "varchar", "What it holds.", "internal") for it in names)
    sql = f"create table marketing.audience as select {', '.join(names)} from crm.learners where column_0"
    facts = RunFacts(
        Attempt("marketing.audience", _MADE, "r"), Naming("iceberg://platform", "headwater"), JobFacts(sql)
    )
    return complete_event(
        facts, _MADE, [Input("crm.learners", 1, schema=schema)], [Output("marketing.audience", schema, lineage)]
    )
