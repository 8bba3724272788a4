"""What could not be read of events, a line a problem, and of many alike how many there are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from governance.events.pieces import Problem

SHOWN = 5
"""Problems of one kind in one file that are told one by one."""

_NUMBER = re.compile(r"\d+")


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Yield the first problems of each kind and file in their order, then how many more of each there are."""
    counts: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        alike = problem.file, _NUMBER.sub("N", problem.reason)
        counts[alike] += 1
        if counts[alike] <= SHOWN:
            yield str(problem)
    for (file, kind), count in counts.items():
        if count > SHOWN:
            yield f"{file}: {count - SHOWN:,} more: {kind}; is the file NDJSON in UTF-8, one whole event a line?"
