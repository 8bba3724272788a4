"""``-- include: silver.orders``: another pipeline's query in place of its table, as a building block."""

from collections.abc import Mapping
from dataclasses import replace

from governance.block import Block, BlockKind
from governance.errors import LineageError, PipelineError
from governance.pipeline import Pipeline, header_line

WORD = "include"


def with_includes(pipelines: Mapping[str, Pipeline]) -> Mapping[str, Pipeline]:
    """Return ``pipelines``, by table, each with the queries that it includes among its blocks.

    What an included query builds on comes along. One whose include is wrong has that as its problem.
    """
    if not any(pipeline.include for pipeline in pipelines.values()):
        return pipelines
    done: dict[str, Pipeline] = {}
    for table in pipelines:
        _complete(table, pipelines, done, ())
    return {table: done[table] for table in pipelines}


def _complete(
    table: str, pipelines: Mapping[str, Pipeline], done: dict[str, Pipeline], above: tuple[str, ...]
) -> Pipeline:
    """Return the pipeline of ``table`` with what it includes; ``above`` are those that include it."""
    if table not in done:
        pipeline = pipelines[table]
        try:
            done[table] = _with(pipeline, pipelines, done, (*above, table)) if pipeline.include else pipeline
        except PipelineError as error:
            done[table] = replace(pipeline, problem=error)
    return done[table]


def _with(
    pipeline: Pipeline, pipelines: Mapping[str, Pipeline], done: dict[str, Pipeline], path: tuple[str, ...]
) -> Pipeline:
    from governance.statement.building import in_order  # noqa: PLC0415  only who includes waits for the parser

    blocks = {block.name: block for block in pipeline.blocks}
    for table in pipeline.include:
        if table in path:
            circle = " → ".join((*path[path.index(table) :], table))
            raise _wrong(pipeline, f"pipelines include each other in a circle: {circle}", "take one include out")
        if table not in pipelines:
            raise _wrong(pipeline, f"there is no pipeline {table} to include", "name the table of a pipeline")
        included = _complete(table, pipelines, done, path)
        blocks |= {block.name: block for block in included.blocks}
        blocks[table] = _block(pipeline, included)
    ordered, broken = in_order(blocks.values())
    if broken:
        raise next(iter(broken.values()))
    return replace(pipeline, blocks=ordered)


def _block(pipeline: Pipeline, included: Pipeline) -> Block:
    """Return the view that stands for the included pipeline's table."""
    from governance.statement import Kind, parse  # noqa: PLC0415  see above
    from governance.statement.blocks import as_pipeline_error  # noqa: PLC0415

    table = included.table
    try:
        statement = parse(included)
    except LineageError as error:
        raise as_pipeline_error(error) from None
    if statement.kind is not Kind.REPLACE or table in statement.reads:
        problem = f"{table} keeps rows of earlier runs, which its query does not give"
        raise _wrong(pipeline, problem, "take the include out, and read the table")
    if any(it.options for it in statement.files):
        problem = f"{table} reads a file with options of its own, and an included query may not"
        raise _wrong(pipeline, problem, "declare the options in sources.toml")
    line, _ = included.place(statement.line)
    start = f'create view "{included.schema}"."{included.name}" as '
    return Block(
        table, BlockKind.VIEW, included.file, line, start + statement.query, included.origin[statement.line - 1 :]
    )


def _wrong(pipeline: Pipeline, problem: str, fix: str) -> PipelineError:
    return PipelineError(pipeline.file, header_line(pipeline, WORD), problem, fix=fix)
