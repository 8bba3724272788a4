"""How an edge came to be known: evidence of differing reliability, told apart.

What each way sees and misses differs: an emitted edge is of a path that ran, a parsed one of the text with all its
branches, a declared one of what somebody wrote down, an observed one of reads in a log, a scanned one of a catalog.
"""

import re
from enum import Enum

HEADWATER = "urn:headwater:"


class Learned(Enum):
    """The way, as commands print it."""

    PARSED = "parsed"
    """From the SQL text, and confirmed by a run of it."""
    EMITTED = "emitted"
    """By the engine or orchestrator as it ran."""
    DECLARED = "declared"
    """By a person or by configuration: a job or dataset event, a policy file."""
    OBSERVED = "observed"
    """In a query or access log."""
    SCANNED = "scanned"
    """In a catalog, at rest."""


PARSERS = re.compile(
    rf"{HEADWATER}|integration/(dbt|sql|airflow|common)\b|provider.*openlineage|sqlglot|sqlparser", re.IGNORECASE
)
"""Producers that read SQL text for their column lineage; Spark, Flink and Trino take it from the plan that ran."""


def by_producer(producer: str) -> Learned:
    """Return how ``producer``, a URI that events and facets carry, comes to its column lineage."""
    return Learned.PARSED if PARSERS.search(producer) else Learned.EMITTED
