"""Trying again where another run was first."""

import random
import time
from collections.abc import Iterator

TRIES = 5
BACKOFF_SECONDS = 0.1


def tries() -> Iterator[bool]:
    """Yield before each try whether it is the last one; between two of them a moment passes, a longer one each time."""
    for further in reversed(range(TRIES)):
        yield not further
        time.sleep(BACKOFF_SECONDS * random.uniform(1, 2) * (TRIES - further))  # noqa: S311  # no secret
