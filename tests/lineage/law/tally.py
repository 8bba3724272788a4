"""What many trials of the law add up to, told as text."""

from collections import Counter
from dataclasses import dataclass, field

from tests.lineage.cases import Expected
from tests.lineage.law.verdict import Trial, by_subtype


@dataclass(slots=True)
class Tally:
    """Counts over trials: tried, set aside, and edges seen to matter, by subtype."""

    tried: int = 0
    refused: int = 0
    rows_unstable: int = 0
    columns_unstable: int = 0
    edges: Counter[str] = field(default_factory=Counter)
    confirmed: Counter[str] = field(default_factory=Counter)

    def add(self, trial: Trial, lineage: Expected) -> None:
        """Count one trial: refused by DuckDB, set aside as nondeterministic, or judged."""
        if trial.failed:
            self.refused += 1
            return
        if trial.unstable == ("*",):
            self.rows_unstable += 1
            return
        self.tried += 1
        self.columns_unstable += len(trial.unstable)
        for edge, subtype in by_subtype(lineage):
            self.edges[subtype] += 1
            self.confirmed[subtype] += edge in trial.confirmed

    @property
    def precision(self) -> float:
        """The share of edges that some perturbation confirmed."""
        return sum(self.confirmed.values()) / max(1, sum(self.edges.values()))

    def __str__(self) -> str:
        aside = f"{self.rows_unstable} queries, {self.columns_unstable} columns"
        lines = [
            f"{self.tried} queries judged; {self.refused} refused by DuckDB; set aside as nondeterministic: {aside}",
            f"{sum(self.edges.values())} edges, {self.precision:.0%} confirmed by some perturbation:",
        ]
        lines += [
            f"  {subtype:15} {self.confirmed[subtype]:6} of {count:6}" for subtype, count in self.edges.most_common()
        ]
        return "\n".join(lines)
