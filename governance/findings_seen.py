"""What the rules last found, kept in the project's state, so that the page can show what only a full check can find.

``findings.json`` is ``{"at": time, "findings": [{"rule", "severity", "table", "column", "message", "fix",
"decided_by"}, …]}``. Whoever asks every rule, with the scheduler and the catalog at hand, keeps it.
"""

from datetime import datetime
from pathlib import Path

import msgspec

from governance import kept
from governance.rules.finding import Finding

FILE = "findings.json"


class FindingsSeen(msgspec.Struct, frozen=True):
    """All that counted when every rule was last asked."""

    at: datetime
    findings: tuple[Finding, ...] = ()


def keep(state: Path, found: FindingsSeen) -> None:
    """Write ``found`` into the state folder, whole or not at all."""
    kept.keep(state / FILE, found)


def seen(state: Path) -> FindingsSeen | None:
    """Return what was last kept; None where nothing was, or by a version that wrote it otherwise."""
    return kept.seen(state / FILE, FindingsSeen)
