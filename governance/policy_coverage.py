"""What ``lineage.toml`` demands of coverage and of runs: thresholds, all of them off until a line sets one."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from governance.duration import EXPECTED, parse_duration
from governance.policy_file import Section

KEYS = ("coverage", "dangling_after")
MEASURES = tuple(f"{what}{by}" for by in ("", "_by_reads", "_by_criticality") for what in ("nodes", "columns", "edges"))
"""The measures of coverage that a threshold can be set for."""


def thresholds(files: tuple[Section, ...]) -> Mapping[str, float]:
    """Return the least share of each measure that has one, 0 to 1; a later file's line stands.

    Raises:
        PolicyError: a measure that there is not, or a value that is no share.
    """
    return MappingProxyType({name: least for file in files for name, least in _shares(file).items()})


def dangling_after(files: tuple[Section, ...]) -> timedelta | None:
    """Return how long a run may go without end, None where no file says.

    Raises:
        PolicyError: a text that is no span of time.
    """
    return next((span for span in map(_span, reversed(files)) if span), None)


def _shares(file: Section) -> dict[str, float]:
    section = file.section("coverage")
    section.only(*MEASURES)
    for name, least in section.values.items():
        if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0 <= least <= 1:
            raise section.wrong(name, f"{least!r} is no share", fix=f"write {name} = 0.9 for 90 %")
    return {name: float(least) for name, least in section.values.items()}


def _span(file: Section) -> timedelta | None:
    text = file.optional_text("dangling_after")
    span = parse_duration(text) if text is not None else None
    if text is not None and span is None:
        raise file.wrong("dangling_after", f"{text!r} is no span of time", fix=EXPECTED)
    return span
