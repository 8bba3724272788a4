"""The lineage of SQL that has not run, as START and COMPLETE of one run id: it tells of text, not of a run."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime

from openlineage.client.event_v2 import RunEvent
from openlineage.client.serde import Serde

from governance.events.facets import Input, Naming, Output
from governance.events.redact import secrets_of
from governance.events.run import Attempt, RunFacts, complete_event, start_event
from governance.events.run_facets import JobFacts
from governance.lineage.model import ColumnLineage


def static_events(
    job: str, sql: str, lineages: Iterable[ColumnLineage], naming: Naming, at: datetime
) -> tuple[RunEvent, RunEvent]:
    """Return the START and COMPLETE of a text whose lineage is ``lineages``; one text and time, one run id.

    A bare SELECT writes nothing: it has inputs and no output.

    Raises:
        LimitExceeded: the event would be larger than servers take.
    """
    read = tuple(lineages)
    digest = hashlib.sha256(sql.encode()).hexdigest()
    facts = RunFacts(Attempt(job, at, digest), naming, job=JobFacts(sql=sql), secrets=secrets_of())
    outputs = tuple(Output(name=it.output, schema=(), lineage=it) for it in read if it.output is not None)
    inputs = sorted({name for it in read for name in it.inputs})
    start = start_event(facts, at, inputs, [output.name for output in outputs])
    return start, complete_event(facts, at, map(Input, inputs), outputs)


def ndjson(events: Iterable[RunEvent]) -> Iterator[str]:
    """Yield each event as one line of JSON."""
    return (Serde.to_json(event) for event in events)
