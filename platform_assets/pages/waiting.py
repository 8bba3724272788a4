"""What a browser is shown while a long store is read: that it is, for how long already, and then the page itself."""

import base64
import hashlib
from pathlib import Path

from governance.events.manifest import read_manifest
from governance.followed import is_long
from governance.project import Project

PATIENCE = 2.0
"""Seconds for which an answer is waited for: fewer than anybody takes for an error."""

SCRIPT = """
const timer = document.getElementById('since');
const begun = Date.now() - Number(timer.textContent) * 1000;
setInterval(() => { timer.textContent = Math.round((Date.now() - begun) / 1000); }, 1000);
const ask = async () => {
  try {
    // it is answered once there is a page, or after a while
    const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
    if (answer.status !== 503) return location.reload();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  setTimeout(ask, 1000);
};
ask();
"""
_DIGEST = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = f"default-src 'none'; script-src 'sha256-{_DIGEST}'; connect-src 'self'; base-uri 'none'; form-action 'none'"


def may_last(project: Project, events: Path | None) -> bool:
    """Whether reading may take longer than a reader waits: what is small is waited for."""
    # of a store that many share there is a mirror here
    return any(map(is_long, (events,) if events else (project.events, project.state / "shared")))


def waiting_html(project: Project, events: Path | None, seconds: float) -> str:
    """Return the page that says what is read, since so many seconds; it asks for the other one by itself.

    Raises:
        EventStoreError: the store's manifest cannot be read.
    """
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Reading the events</title></head>
<body><main><h1>Reading the events</h1>
<p>{_held(events or project.events)}What stands is read, for <span id="since" role="timer">{seconds:.0f}</span> seconds
so far. The page appears here once that is done.</p>
<p>It is kept beside the events: the next start reads what is new alone.</p>
<noscript><p>Reload to look again. The page itself needs scripts.</p></noscript></main>
<script>{SCRIPT}</script></body></html>
"""


def _held(store: Path) -> str:
    days = read_manifest(store).days.values() if store.is_dir() else ()
    count = sum(it.events for day in days for it in day.segments)
    return f"{count:,} events of {len(days):,} days stand compacted here. " if count else ""
