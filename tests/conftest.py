"""Settings of the machine that would only make the tests slow, or ignore what they try."""

import gc
import os
import shutil
import signal
import sys
from pathlib import Path

import psutil
import pytest

# Without its bytecode kept, each of the processes that tests start compiles the whole project anew: half of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MEMORY = Path("/dev/shm")  # noqa: S108  a disk in memory, and pytest makes a folder of its own there
ROOM = 6 * 2**30
"""Bytes, several times what the tests write."""

# Dagster's SQLite waits for the disk several times an event. Where there is plenty of memory nobody has to: what a
# killed process leaves is the same there, and a power cut no test can make.
if MEMORY.is_dir() and min(shutil.disk_usage(MEMORY).free, psutil.virtual_memory().available) > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

LONG = (
    "dagster/test_dev.py",
    "cli/test_demo.py",
    "dagster/test_processes.py",
    "dagster/test_interrupted.py",
    "docs/test_readme.py",
    "lineage/test_fixtures.py",
    "servers/test_data_rentgen.py",
    "platform/test_materialize_taken.py",
    "ship/test_ci_files.py",
    "examples/test_orders.py",
    "engines_contract/test_rows.py",
    "events/test_compact_kill.py",
    "lineage/test_law.py",
    "lineage/test_tpc.py",
    "docs/test_ci.py",
    "engines/test_law.py",
    "judge/test_law.py",
)
"""The files that take longest, which begin first: the last of them would keep one worker while others have nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {str(Path(__file__).parent / name): place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(str(item.path), len(LONG)))


def pytest_collection_finish() -> None:
    """Begin with all modules loaded, which nothing frees any more: without this, every eighth second goes into them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    if "dagster" in sys.modules:
        from tests.kept_engines import keep_engines  # noqa: PLC0415  for tests that need no Dagster it takes seconds

        keep_engines()
