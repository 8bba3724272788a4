"""What is killed at its n-th step, a step being whatever changes a disk or a store, or asks the store."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from governance.events.shared.bucket import Bucket
from governance.events.shared.records import Records

STEPS = (
    (Bucket, ("create", "replace", "put", "get", "version", "delete")),
    (Records, ("begin", "done", "adopt", "skip", "set_aside", "gone", "keep")),
    (os, ("fsync", "replace", "unlink", "mkdir")),
)


class Killed(BaseException):
    """No program catches it: what goes on behind it goes on behind a kill as well."""


@contextmanager
def killed_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Kill the block at its ``step``-th step; the list tells then whether it got so far."""
    left, reached = iter(range(step)), list[bool]()

    def tick() -> None:
        if next(left, None) is None:
            reached.append(True)
            raise Killed

    def deadly(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            if name == "fsync" and not reached:
                before = os.fstat(given[0])
                try:
                    tick()
                except Killed:
                    _tear(given[0], before.st_size)
                    raise
            else:
                tick()
            result = call(*given, **named)
            tick()
            return result

        return called

    with monkeypatch.context() as patched:
        for owner, names in STEPS:
            for name in names:
                patched.setattr(owner, name, deadly(name, getattr(owner, name)))
        try:
            yield reached
        except Killed:
            assert reached


def _tear(descriptor: int, size: int) -> None:
    """What was not brought to the disk may be there in part."""
    path = f"/proc/self/fd/{descriptor}"
    if size > 1 and os.path.isfile(path):  # noqa: PTH113  # a folder has no bytes
        with open(path, "r+b") as file:  # noqa: PTH123  # by its descriptor
            file.truncate(size - size // 3)
