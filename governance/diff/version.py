"""A pipeline within its revision: its columns with what they mean and their types, its inputs, its edges."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from governance.block import Block, BlockKind
from governance.diff.model import Edge, Side
from governance.errors import LineageError, PipelineError
from governance.lineage.model import ColumnLineage
from governance.pipeline import Pipeline
from governance.sql_type import sql_type
from governance.statement import Statement
from governance.statement.meaning import Meaning
from governance.statement.trace import UNKNOWN


@dataclass(frozen=True, slots=True)
class Version:
    """A pipeline within its revision; what cannot be read has no statement, or no lineage, and says why.

    problem: why it cannot be read; empty where it can
    line:    where, 1-based
    """

    pipeline: Pipeline
    side: Side
    statement: Statement | None
    lineage: ColumnLineage | None
    problem: str
    line: int | None

    @classmethod
    def all(cls, side: Side) -> "dict[str, Version]":
        """Return the pipelines of a revision by table."""
        statements = {it.pipeline.table: it for it in side.program.statements}
        return {it.table: cls._of(side, it, statements.get(it.table)) for it in side.pipelines}

    @classmethod
    def _of(cls, side: Side, pipeline: Pipeline, statement: Statement | None) -> "Version":
        error = side.program.unreadable.get(pipeline.table)
        line = error.line if isinstance(error, LineageError | PipelineError) else None
        lineage = side.program.lineages.get(pipeline.table)
        return cls(pipeline, side, statement, lineage, str(error) if error else "", line)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its table, in order; empty where they are not known."""
        return tuple(self.side.program.schemas.get(self.pipeline.table, ()))

    @property
    def inputs(self) -> Mapping[str, tuple[tuple[str, str], ...] | None]:
        """The columns of each table read, in order: a star, an INSERT and a set operation take them by place."""
        reads = self.statement.reads if self.statement else ()
        schemas = self.side.program.schemas
        return {table: tuple(schemas[table].items()) if table in schemas else None for table in reads}


def written(pipeline: Pipeline) -> tuple[str, ...]:
    """Return what people write for a pipeline: its text, and that of the blocks which it builds on.

    What a file's declaration makes of it is told by the declaration's own change.
    """
    return (pipeline.sql, *(it.sql for it in pipeline.blocks if it.kind is not BlockKind.FILE))


def rebuilt_on(old: Pipeline, new: Pipeline) -> tuple[str, ...]:
    """Return the names of the blocks that both build on and that are written otherwise, or that one does not build on.

    Layout and comments at the ends of lines are no matter.
    """
    was, now = ({it.name: it for it in of.blocks if it.kind is not BlockKind.FILE} for of in (old, new))
    return tuple(name for name in sorted({*was, *now}) if _text(was.get(name)) != _text(now.get(name)))


def _text(block: Block | None) -> str:
    lines = block.sql.splitlines() if block else ()
    return " ".join(word for line in lines for word in (line if "'" in line else line.partition("--")[0]).split())


def named(of: Version, said: Meaning) -> dict[str, str]:
    """Return the digest of each column of the table; an INSERT's go by position into the table's own names."""
    digests = [digest for _, digest in said.ordered]
    fields = [it.name for it in of.lineage.fields] if of.lineage else []
    listed = [_spelt(name, of.columns) for name in of.statement.columns] if of.statement else []
    # what an INSERT does not list is as it was declared
    unlisted = {name: "" for name in of.columns if name not in fields}
    if "*" in said.columns or len(digests) != len(fields):
        # not taken apart: a column may have changed wherever anything did
        edges = edges_of(of.lineage)
        rest = said.rows, *digests
        return {name: repr((rest, in_order({it for it in edges if it[0] == name}))) for name in fields} | unlisted
    return dict(zip(listed or fields, digests, strict=True)) | unlisted


def _spelt(name: str, columns: Iterable[str]) -> str:
    """Return ``name`` as the table has it."""
    return next((it for it in columns if it.lower() == name.lower()), name)


def types(of: Version, said: Meaning) -> dict[str, str]:
    """Return the type of each column of the table; empty where only running the query tells."""
    schema = of.side.program.schemas.get(of.pipeline.table, {})
    declared = {name: type_of(kind) for name, kind in schema.items() if kind != UNKNOWN}
    # a column of a declared table keeps the declared type, whatever the query gives it
    cast = {name.lower(): type_of(kind) for name, kind in said.types.items()}
    return {name: declared.get(name) or cast.get(name.lower(), "") for name in schema}


def type_of(kind: str) -> str:
    """Return a SQL type under its one name."""
    return sql_type(kind) or kind.lower()


def edges_of(lineage: ColumnLineage | None) -> set[Edge]:
    """Return the edges of a table; of one without lineage there are none."""
    if lineage is None:
        return set()
    own = ((out.name, it) for out in lineage.fields for it in out.inputs)
    rows = ((None, it) for it in lineage.dataset)
    return {
        (out, it.dataset, it.field, f"{it.transformation.type} {it.transformation.subtype}", it.masking)
        for out, it in (*own, *rows)
    }


def in_order(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return ``edges`` sorted, those of every row first."""
    return tuple(sorted(edges, key=lambda edge: (edge[0] or "", *edge[1:])))
