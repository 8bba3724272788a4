"""A finding: what one rule says about one table or column."""

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How much a finding matters; ERROR turns a check red and fails ``headwater check``."""

    WARN = "WARN"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong and what to do about it.

    ``table`` is the dataset's name; ``column`` is None where the finding is about the whole table; ``decided_by`` is
    the evidence in words (a source field and its edge, a run id, a file).
    """

    rule: str
    severity: Severity
    table: str
    column: str | None
    message: str
    fix: str
    decided_by: str = ""
