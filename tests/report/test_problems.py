"""Of many problems alike the first are told, and how many more there are."""

from governance.events.pieces import Problem
from governance.report.problems import SHOWN, problem_lines


def test_many_alike_are_counted_and_a_rare_one_stays_in_sight() -> None:
    torn = [Problem("a.ndjson", line, 0, f"{line} bytes that are no whole event") for line in range(1, 1_300)]
    odd = Problem("a.ndjson", 2_000, 9, "eventTime has no time zone, read as UTC")

    lines = list(problem_lines([*torn, odd, Problem("b.ndjson", 1, 0, "not JSON")]))

    assert lines[: SHOWN + 1] == [*map(str, torn[:SHOWN]), str(odd)]
    assert lines[-1].startswith(f"a.ndjson: {1_299 - SHOWN:,} more: N bytes that are no whole event; is")
    assert len(lines) == SHOWN + 3
