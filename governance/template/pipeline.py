"""A template → the pipeline that its text builds."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from governance.errors import HeadwaterError, PipelineError
from governance.pipeline import WORDS, Pipeline, field_of, header_line, parse_pipeline
from governance.template.model import Rendered, Surroundings
from governance.template.render import render


def rendered_pipeline(table: str, file: str, text: str, around: Surroundings) -> Pipeline:
    """Return the pipeline that builds ``table`` by what ``text``, a template in ``file``, writes.

    Raises:
        PipelineError: the template cannot be rendered, a header line is wrong, or ``config`` says otherwise than it.
    """
    rendered = render(text, file, table, around)
    try:
        plain = parse_pipeline(table, file, rendered.sql)
    except PipelineError as error:
        if error.line is not None:
            error.line, _ = rendered.template.place(rendered.sql, error.line, None)
        raise
    made = replace(plain, origin=rendered.origin, template=rendered.template)
    said: dict[str, Any] = dict(_said(made, rendered))
    return replace(made, **said)


def _said(pipeline: Pipeline, rendered: Rendered) -> Iterator[tuple[str, object]]:
    """Yield each header word that ``config`` says, with its value."""
    lines = dict(rendered.template.words)
    own = replace(pipeline, template=None)
    words = {field_of(word): word for word in WORDS}
    for name, text in rendered.words:
        line, word = lines[name], words[name]
        try:
            value = WORDS[word](text)
        except HeadwaterError as error:
            raise PipelineError(pipeline.file, line, f"{word}: {error.problem}", fix=error.fix) from None
        if header_line(own, word) is not None and getattr(pipeline, name) != value:
            problem = f"config says {word} {text}, and the header in line {header_line(pipeline, word)} another"
            raise PipelineError(pipeline.file, line, problem, fix="say it once")
        yield name, value
