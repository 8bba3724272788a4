"""A text of SQL as it may be shown, once it is known which stretches of it may hold secrets or data.

``governance.sqltext`` finds them, by the SQL parser's tokens; they depend on the text alone and can be kept with it.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

MASK = "'***'"

Stretch: TypeAlias = tuple[int, int, bool]
"""The first and past-the-last character of a literal or a comment, and whether it is a secret."""


def scrubbed(sql: str, stretches: Iterable[Stretch], scrub: Callable[[str], str]) -> str:
    """Return ``sql`` with its secrets masked and ``scrub`` applied to its other literals and to its comments."""
    pieces, plain = [], 0
    for start, past, secret in stretches:
        pieces += [sql[plain:start], MASK if secret else scrub(sql[start:past])]
        plain = past
    return "".join((*pieces, sql[plain:]))
