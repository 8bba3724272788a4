from pathlib import Path

import pytest

from governance.project import Project, project_at

LINEAGE = """
order = ["public"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://test"
job_namespace = "test"

[vars]
statuses = ["paid", "it's"]
least = 3
strict = true
"""

SOURCES = """
["crm.people"]
columns.person_id = "bigint"
columns.email = "varchar"
columns.amount = "bigint"

[locations.landing]
at = "landing"

["landing/orders.csv"]
columns.order_id = "bigint"
"""

MACROS = """
{% macro cents(column) -%}
  ({{ column }} * 100)
{%- endmacro %}
{% macro twice(column) %}{{ cents(column) }} * 2{% endmacro %}
{% macro broken() %}
  {{ nothing_here }}
{% endmacro %}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one source, three variables and a file of macros."""
    project = project_at(tmp_path)
    for path, text in {
        "governance/lineage.toml": LINEAGE,
        "governance/metadata.toml": "",
        "platform_assets/sources.toml": SOURCES,
        "platform_assets/blocks/money.j2": MACROS,
    }.items():
        write(project, path, text)
    project.pipelines[0].mkdir(parents=True)
    return project


def write(project: Project, path: str, text: str) -> Path:
    file = project.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file
