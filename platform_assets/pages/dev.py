"""``headwater dev``: Dagster's UI and the lineage page side by side, which begin and end together."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK = 0.1
"""Seconds between two looks at whether both still run."""

PATIENCE = 70.0
"""Seconds that they are given to end: Dagster waits a minute for its own processes."""

GRACE = 10.0
"""Seconds that what a dead process left behind is given to end, and then to be gone."""


def side_by_side(commands: Mapping[str, Sequence[str]], env: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Run ``commands`` until one ends or this process is told to; end the others, and return an exit code.

    0 where it was told to, else 1: none of them ends by itself.
    """
    told: list[int] = []
    before = {number: signal.signal(number, lambda number, _: told.append(number)) for number in SIGNALS}
    started: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name, command in commands.items():
            # a session of its own: Ctrl-C at the terminal is for this process, which then ends each in turn
            started[name] = subprocess.Popen(command, env=dict(env), start_new_session=True)  # noqa: S603  our own
        while not told and all(it.poll() is None for it in started.values()):
            time.sleep(LOOK)
        over = [f"{name} ended with exit code {it.returncode}" for name, it in started.items() if it.poll() is not None]
        if over and not told:
            say(f"{', '.join(over)}: the other ends too")
        return 0 if told else 1
    finally:
        _end(started.values())
        for number, action in before.items():
            signal.signal(number, action)


def _end(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    started = tuple(processes)
    running = [it for it in started if it.poll() is None]
    for process in started:
        if process not in running:
            _end_group(process.pid)
    for process in running:
        process.send_signal(signal.SIGINT)
    until = time.monotonic() + PATIENCE
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _end_group(group: int) -> None:
    """End what a process that died left behind: what it had started it could no longer end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + GRACE
        try:
            os.killpg(group, number)
            while time.monotonic() < until:
                time.sleep(LOOK)
                os.killpg(group, 0)
        except ProcessLookupError:
            return
