"""Iceberg tables, through pyiceberg: the catalog, what a table's snapshots say, and each way to write one."""
