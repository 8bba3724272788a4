"""A folder of a query's own, for what it writes and for what does not fit into memory."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

PREFIX = "run-"


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """Give an empty folder in ``parent`` that goes with the block; those that killed processes left there go as well.

    Whoever uses one holds its lock, which the system takes back when the process ends, however it ends.
    """
    parent.mkdir(parents=True, exist_ok=True)
    # one at a time, or a folder that is just being made would be taken for one that was left
    with (parent / "lock").open("a") as one:
        fcntl.flock(one, fcntl.LOCK_EX)
        for left in parent.glob(f"{PREFIX}*"):
            _remove_if_left(left)
        folder = Path(mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _remove_if_left(folder: Path) -> None:
    try:
        held = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        # it is in use
        return
    finally:
        os.close(held)
