"""Settings of the machine that would only make the tests slow."""

import os
import shutil
from pathlib import Path

import psutil

# Without its bytecode kept, each of the processes that tests start compiles the whole project anew: half of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

MEMORY = Path("/dev/shm")  # noqa: S108  a disk in memory, and pytest makes a folder of its own there
ROOM = 6 * 2**30
"""Bytes, several times what the tests write."""

# Dagster's SQLite waits for the disk several times an event. Where there is plenty of memory nobody has to: what a
# killed process leaves is the same there, and a power cut no test can make.
if MEMORY.is_dir() and min(shutil.disk_usage(MEMORY).free, psutil.virtual_memory().available) > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
