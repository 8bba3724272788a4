"""The form of an owner that Dagster and OpenLineage both take: an email address or ``team:name``."""

import re

OWNER = re.compile(r"team:[A-Za-z0-9_-]+|[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,7}")
OWNER_FORM = "write an email address, or team: and a team's name, as in team:analytics"


def is_owner(text: str) -> bool:
    """Return whether ``text`` is an email address or ``team:name``."""
    return OWNER.fullmatch(text) is not None
