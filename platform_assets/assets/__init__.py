"""What Dagster is told: assets, their steps and metadata, partitions, jobs run in this process."""
