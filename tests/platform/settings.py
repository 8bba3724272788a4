"""The lineage settings of the projects that tests build."""

LINEAGE = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://test"
job_namespace = "jobs"
"""
