"""Query logs: what readers outside the pipelines were seen to read, table by table and column by column."""
