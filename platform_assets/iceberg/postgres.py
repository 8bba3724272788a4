"""pyiceberg's catalog on PostgreSQL with limits of time: by itself it waits for an answer as long as that takes.

libpq bounds the making of a connection. Afterwards it notices that a host is gone, but not that the process that is to
answer is frozen, for the host's kernel answers for it. So every further wait of a connection has a timer here, which
ends its socket: libpq takes that for a server that closed the connection. Psycopg's connection and cursor are the one
place where all waits come by: statements, COMMIT and ROLLBACK, the ping of the pool, what SQLAlchemy asks at first.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import Any

from psycopg2 import OperationalError
from psycopg2.extensions import connection, cursor

MILLISECONDS = "tcp_user_timeout"
"""The setting of the URI that is the limit, as it is libpq's own for what a server takes; 0 is none."""

UNKNOWN = "whether it took the commit is not known"
LOOK = (
    "once it answers, headwater check tells by stale_lineage whether the table has rows of a run that failed: "
    "build it again then, else run again"
)


class Unanswered(OperationalError):  # type: ignore[misc]  # psycopg2 has no types
    """PostgreSQL did not answer in time; ``fix`` is what to do where that is not as ever."""

    fix = ""


class Connection(connection):  # type: ignore[misc]  # likewise
    """A connection that gives up what is not answered in time, and is closed then."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_factory = Cursor

    def commit(self) -> None:
        """Commit.

        Raises:
            Unanswered: it may be committed or not.
        """
        try:
            with answered(self):
                super().commit()
        except Unanswered as error:
            unknown = Unanswered(f"{error}, and {UNKNOWN}")
            unknown.fix = LOOK
            raise unknown from None

    def rollback(self) -> None:
        """Roll back."""
        with answered(self):
            super().rollback()


class Cursor(cursor):  # type: ignore[misc]  # likewise
    """A cursor of such a connection."""

    def execute(self, query: Any, vars: Any = None) -> None:  # noqa: A002  # psycopg's own name
        """Run one statement, and the BEGIN before it."""
        with answered(self.connection):
            super().execute(query, vars)

    def executemany(self, query: Any, vars_list: Any) -> None:
        """Run one statement several times."""
        with answered(self.connection):
            super().executemany(query, vars_list)


@contextmanager
def answered(to: connection) -> Iterator[None]:
    """End the connection if the block takes longer than its limit.

    Raises:
        Unanswered: it did.
    """
    seconds = 0.0 if to.closed else int(to.info.dsn_parameters.get(MILLISECONDS, 0)) / 1000
    if not seconds:
        yield
        return
    given_up = Event()
    # a descriptor of its own: by the time that the timer ends, the connection's number may be another file's
    with socket.socket(fileno=os.dup(to.fileno())) as line:
        timer = Timer(seconds, _end, (line, given_up))
        timer.daemon = True
        timer.start()
        try:
            yield
        except OperationalError:
            if given_up.is_set():
                raise Unanswered(f"PostgreSQL has not answered for {seconds:g} s") from None
            raise
        finally:
            timer.cancel()


def _end(line: socket.socket, given_up: Event) -> None:
    given_up.set()
    # the server may have closed it by now
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
