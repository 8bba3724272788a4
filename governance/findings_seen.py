"""What the rules last found, kept in the project's state, so that the page can show what only a full check can find.

``findings.json`` is ``{"at": time, "findings": [{"rule", "severity", "table", "column", "message", "fix",
"decided_by"}, …]}``. Whoever asks every rule, with the scheduler and the catalog at hand, keeps it.
"""

from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from governance.rules.finding import Finding

FILE = "findings.json"


class FindingsSeen(msgspec.Struct, frozen=True):
    """All that counted when every rule was last asked."""

    at: datetime
    findings: tuple[Finding, ...] = ()


def keep(state: Path, found: FindingsSeen) -> None:
    """Write ``found`` into the state folder, whole or not at all."""
    state.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=state, prefix=f".{FILE}.", delete=False) as beside:
        beside.write(msgspec.json.encode(found))
    Path(beside.name).replace(state / FILE)


def seen(state: Path) -> FindingsSeen | None:
    """Return what was last kept; None where nothing was, or by a version that wrote it otherwise."""
    try:
        return msgspec.json.decode((state / FILE).read_bytes(), type=FindingsSeen)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
