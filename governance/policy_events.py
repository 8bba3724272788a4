"""The ``[events]`` table of ``lineage.toml``: where the event store is, if not in the state folder."""

import re
from collections.abc import Sequence

from governance.policy_file import Section

KEYS = ("events",)
"""The key of ``lineage.toml`` that is read here."""

VARIABLE = "HEADWATER_EVENTS"
"""The variable that says the same for one environment, and wins."""

FORM = "write s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"

_ADDRESS = re.compile(r"(s3|gs|az)://[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._~=+-]+)*")


def events_address(files: Sequence[Section]) -> str | None:
    """Return the address of the store that many hosts share, None where events are kept in the state folder.

    Raises:
        PolicyError: a setting is unknown, or no address.
    """
    found = None
    for file in files:
        section = file.section("events")
        section.only("store")
        text = section.optional_text("store")
        if text is not None and not is_address(text):
            raise section.wrong("store", f"{text!r} is no address of an object store", fix=FORM)
        found = text or found
    return found


def is_address(text: str) -> bool:
    """Whether ``text`` names a place in an object store, without user, password, query or an empty folder."""
    return _ADDRESS.fullmatch(text) is not None
