"""One try of a job, as whoever saw it in Dagster knows it: it comes without OpenLineage's client."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a Dagster run at one job.

    instant: the scheduled time, else the Dagster run's start; aware
    number:  0 for the first try, 1 for its first retry …
    """

    job: str
    instant: datetime
    dagster_run_id: str
    number: int = 0

    @property
    def run_id(self) -> str:
        """OpenLineage's run id, a UUIDv7 that whoever knows the attempt can recompute."""
        from openlineage.client.uuid import generate_static_uuid  # noqa: PLC0415  # slow to start, and few ask

        data = f"{self.dagster_run_id}/{self.job}/{self.number}"
        return str(generate_static_uuid(self.instant.astimezone(UTC), data.encode()))
