"""The one way to a project's event store, whether it is a folder of this machine or an address that many share."""

import hashlib
import os
from collections.abc import Mapping

from governance.events.place import shared_address
from governance.events.store import EventStore
from governance.project import Project


def event_store(project: Project, env: Mapping[str, str] = os.environ) -> EventStore:
    """Return the store that ``HEADWATER_EVENTS`` names, else ``[events] store`` of lineage.toml, else the state folder.

    Raises:
        HeadwaterError: what names it is no address.
        PolicyError: lineage.toml cannot be read.
        EventStoreError: what opens it is not installed, or its account's settings are not enough.
    """
    address = shared_address(project, env)
    if address is None:
        return EventStore(project.events)
    from governance.events.shared.bucket import open_bucket  # noqa: PLC0415  # a folder needs none of it
    from governance.events.shared.store import SharedEventStore  # noqa: PLC0415

    # a mirror for each address: another store's events are never among them
    mirror = project.state / "shared" / hashlib.sha256(address.encode()).hexdigest()[:16]
    return SharedEventStore(mirror, bucket=open_bucket(address))
