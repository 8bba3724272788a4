"""What stands where below the address of a shared event store.

::

    events/<run id>.START.json          the START of a run; one that exists is never written again
    events/<run id>.TERMINAL.json       its first COMPLETE, FAIL or ABORT, likewise
    events/<run id>.<TYPE>-<hash>.json  any other event, by what it says
    events/…                            whatever other programs put there, an event an object
    compacted/<day>.<byte>-<id>.…       segments, as :mod:`governance.events.segment` has them, and the names in each
    shipped/…                           what lineage servers were sent (:mod:`governance.events.shared.shipping`)
    clock, conditions                   what the store's time is, and whether it keeps the conditions of puts
    manifest.json                       which segments there are (:mod:`governance.events.shared.ledger`)

The names of START and END are what makes them happen once: a put that demands that nothing is there yet succeeds on
one host only, whenever and wherever it is tried again. So they cannot have their time of arrival in them, and a look
lists ``events/`` whole; compaction keeps it short (:mod:`governance.events.shared.compaction`).
"""

import hashlib
import re

EVENTS = "events"
COMPACTED = "compacted"
MANIFEST = "manifest.json"

START = "START"
END = "TERMINAL"

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def once(run_id: str, what: str) -> str:
    """Return the name of what a run says once: :data:`START` or :data:`END`."""
    return f"{EVENTS}/{_of_run(run_id)}.{what}.json"


def several(run_id: str, kind: str, data: bytes) -> str:
    """Return the name of an event that a run may send several of; the same event is the same object."""
    return f"{EVENTS}/{_of_run(run_id)}.{kind}-{hashlib.sha256(data).hexdigest()[:32]}.json"


def compacted(file: str) -> str:
    """Return the name of a segment's file."""
    return f"{COMPACTED}/{file}"


def _of_run(run_id: str) -> str:
    # other programs' ids may be of any length and letters
    return run_id if _PLAIN.fullmatch(run_id) else f"run-{hashlib.sha256(run_id.encode()).hexdigest()[:32]}"
