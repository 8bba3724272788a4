"""What made the edges of a rendered text, with the template's lines."""

from dataclasses import replace

from governance.lineage.model import Explanation, Expression
from governance.pipeline import Pipeline


def at_home(told: Explanation, pipeline: Pipeline) -> Explanation:
    """Return ``told``, which is of the pipeline's SQL, each piece with the line of the template, if there is one."""
    if pipeline.template is None:
        return told

    def placed(piece: Expression) -> Expression:
        return replace(piece, template=pipeline.place(piece.line)[0])

    return replace(told, uses=tuple(replace(use, expression=placed(use.expression)) for use in told.uses))
