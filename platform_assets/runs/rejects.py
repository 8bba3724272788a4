"""What a run does about rows that did not fit: too many of them end it, others are kept."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from governance.errors import LandingError
from platform_assets.engines.engine import Landing, Outcome
from platform_assets.engines.landing.value import without_values
from platform_assets.engines.shape import require_few
from platform_assets.iceberg import quarantine
from platform_assets.runs.run import Begun, Platform, Rejected, Run


def keep_rejected(
    platform: Platform, run: Run, begun: Begun, landings: Mapping[str, Landing], outcomes: Mapping[str, Outcome]
) -> Begun:
    """Keep the rows that were rejected, and return what is known then; ``landings`` and ``outcomes`` are by relation.

    Raises:
        LandingError: too many rows of a dataset do not fit, or all rows of a file; nothing was kept.
        CatalogError: they cannot be kept.
    """
    for name, outcome in outcomes.items():
        _require_few(landings[name], outcome)
    if not outcomes:
        return begun
    read, rejected, tables = Counter[str](), Counter[str](), []
    for name, outcome in outcomes.items():
        dataset, rows = landings[name].source.name, outcome.rejects.num_rows
        read[dataset] += outcome.rows + rows
        rejected[dataset] += rows
        tables.append(outcome.rejects.append_column("dataset", pa.array([dataset] * rows, pa.string())))
    table, run_id = begun.traced.statement.pipeline.table, run.attempt.run_id
    commit = quarantine.keep(platform.catalog, table, run_id, platform.clock(), pa.concat_tables(tables))
    return replace(begun, read=read, rejected=Rejected(rejected, commit))


def _require_few(landing: Landing, outcome: Outcome) -> None:
    """Raise what says that too many rows do not fit, without the values that do not: logs are read by others."""
    try:
        require_few(landing, outcome)
    except LandingError as error:
        raise LandingError(without_values(error.problem), fix=error.fix) from None
