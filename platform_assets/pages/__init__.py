"""The lineage page: gathered, made and served."""
