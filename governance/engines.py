"""The engines that there are, by the names that settings, headers and events have for them."""

DUCKDB, SPARK = "duckdb", "spark"
ENGINES = (DUCKDB, SPARK)
