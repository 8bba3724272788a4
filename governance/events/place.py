"""Where a project's events are, looked up without what writes them."""

import os
from collections.abc import Mapping
from pathlib import Path

from governance.errors import HeadwaterError
from governance.policy import load_events_address
from governance.policy_events import FORM, VARIABLE, is_address
from governance.project import Project


def events_folder(project: Project, env: Mapping[str, str] = os.environ) -> Path:
    """Return the folder to read the project's events from; of a shared store the mirror, brought up to date.

    Raises:
        HeadwaterError: what names the store is no address.
        PolicyError: lineage.toml cannot be read.
        EventStoreError: the shared store cannot be opened or read, or its mirror not be written.
    """
    if shared_address(project, env) is None:
        return project.events
    # a question about a folder starts nothing that writes events, which takes several times as long as the answer
    from governance.events.open import event_store  # noqa: PLC0415

    return event_store(project, env).refresh()


def shared_address(project: Project, env: Mapping[str, str] = os.environ) -> str | None:
    """Return the address of the store that many hosts share, None where events are in the state folder.

    ``HEADWATER_EVENTS`` says so, else ``[events] store`` of lineage.toml.

    Raises:
        HeadwaterError: what names the store is no address.
        PolicyError: lineage.toml cannot be read.
    """
    named = env.get(VARIABLE)
    if not named:
        return load_events_address(project)
    if not is_address(named):
        raise HeadwaterError(f"{VARIABLE} is {named!r}, which is no address of an object store", fix=FORM)
    return named.rstrip("/")
