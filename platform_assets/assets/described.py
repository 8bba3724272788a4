"""What an asset says of itself before it runs."""

from governance.lineage.model import ColumnLineage
from governance.page.address import page_address
from governance.pipeline import Pipeline
from governance.policy import Policy
from governance.report.table import markdown
from governance.statement import Program
from platform_assets.assets.metadata import lineage_image

PICTURED = 200
"""Pipelines of a project of whose tables each shows a picture before it ran: tens of kilobytes, sent by each reload."""


def description(policy: Policy, program: Program, pipeline: Pipeline, pipelines: int) -> str:
    """Return the description of a pipeline's asset as Markdown, in a project of so many ``pipelines``."""
    error = program.unreadable.get(pipeline.table)
    lineage = program.lineages.get(pipeline.table)
    parts = (
        f"**This pipeline cannot be read:** {markdown(str(error))}" if error else "",
        markdown(pipeline.description),
        # what the text alone tells stands here before the first run
        _shown(policy, lineage, pipelines) if lineage else "",
    )
    return "\n\n".join(filter(None, parts))


def _shown(policy: Policy, lineage: ColumnLineage, pipelines: int) -> str:
    """Return the picture of ``lineage``, in a large project where to find it."""
    if pipelines <= PICTURED:
        return lineage_image(policy, lineage)
    return f"[column lineage]({page_address(policy, lineage.output or '')})"
