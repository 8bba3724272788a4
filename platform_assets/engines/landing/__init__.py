"""Files as they landed → views of DuckDB that have the rows that fit their declaration, and the rows that do not."""

from platform_assets.engines.landing.outcome import outcomes, rejected
from platform_assets.engines.landing.relation import create_landing

__all__ = ["create_landing", "outcomes", "rejected"]
