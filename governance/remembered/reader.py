"""What runs in the process that ``beside`` starts: texts in, what was read of them out, as it is remembered."""

import gc
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from governance.errors import HeadwaterError
from governance.remembered.beside import read, write
from governance.remembered.memory import said_of
from governance.remembered.packed import packed
from governance.statement.reading import PLAIN
from governance.uncollected import uncollected


def main() -> None:
    """Read what standard input asks for until it ends; whatever else is printed does not get among the answers."""
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with uncollected():
        while (message := read(asked)) is not None:
            kind, tasks = message
            write(answers, {table: _tried(KINDS[kind], task) for table, task in tasks})
            # the trees of this question go before the next one's are made
            gc.collect(0)


def _tried(work: Callable[[Any], bytes], task: object) -> bytes | None:
    """Return what was read, None where it cannot be: who asked reads it again, and says why."""
    try:
        return work(task)
    except HeadwaterError:
        return None


def _parsed(pipeline: Any) -> bytes:
    return said_of(PLAIN.parse(pipeline))


def _traced(task: Any) -> bytes:
    statement, schema, masking = task
    return packed(PLAIN.trace(statement, schema, masking_functions=masking))


KINDS: Mapping[str, Callable[[Any], bytes]] = {"parse": _parsed, "trace": _traced}
