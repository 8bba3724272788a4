"""Statements in the order in which they can run."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter

from governance.errors import PipelineCycle, UnknownTable
from governance.statement.model import Statement


def ordered(statements: Iterable[Statement], sources: frozenset[str]) -> tuple[Statement, ...]:
    """Return the statements, each after those whose tables it reads; where that leaves a choice, by table.

    ``sources`` are the tables that may be read beside the statements' own.

    Raises:
        UnknownTable: a statement reads a table that neither ``sources`` nor a statement has.
        PipelineCycle: statements read each other's tables in a circle.
    """
    by_table = {statement.pipeline.table: statement for statement in sorted(statements, key=_table)}
    for statement in by_table.values():
        for table in statement.reads:
            if table not in by_table and table not in sources:
                raise unknown_table(statement, table, (*by_table, *sources))
    sorter = TopologicalSorter(
        {table: sorted(statement.upstream & by_table.keys()) for table, statement in by_table.items()}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        raise _cycle(by_table, error.args[1]) from None
    found: list[Statement] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        found += (by_table[table] for table in ready)
        sorter.done(*ready)
    return tuple(found)


def layers(statements: Iterable[Statement]) -> Iterator[Sequence[Statement]]:
    """Yield ``statements``, which are in order, in runs of which none reads another's table."""
    layer: list[Statement] = []
    tables: set[str] = set()
    for statement in statements:
        if not tables.isdisjoint(statement.upstream):
            yield layer
            layer, tables = [], set()
        layer.append(statement)
        tables.add(statement.pipeline.table)
    yield layer


def unknown_table(statement: Statement, table: str, known: Iterable[str] = ()) -> UnknownTable:
    """Return the error that ``statement`` reads ``table``, a table or a dataset of files, which is not ``known``."""
    file, line, column = place_of(statement, table)
    problem = f"{table} is no declared source, and no pipeline writes it"
    fix = f"mend the name, declare it in sources.toml, or write pipelines/{table.replace('.', '/')}.sql"
    base, _, kind = table.partition("#")
    if kind and base in (names := frozenset(known)):
        kinds = [name.partition("#")[2] for name in sorted(names) if name.startswith(f"{base}#")]
        problem = f"{base} has no kind of record {kind}"
        fix = f"write # and one of {', '.join(kinds)}" if kinds else f"write '{base}': it has one kind of record only"
    elif "/" in table:
        near = get_close_matches(table, sorted(name for name in known if "/" in name), 1, cutoff=0.8)
        problem = f"no source declares {table}"
        fix = f"`headwater sniff --write {table.partition('#')[0]}` declares it"
        fix = f"did you mean {near[0]}? If not, {fix}" if near else fix
    return UnknownTable(problem, fix=fix, pipeline=file, line=line, column=column)


def place_of(statement: Statement, name: str) -> tuple[str, int, int | None]:
    """Return the file, line and column where ``name`` stands: in the pipeline, else in a block that it uses."""
    from governance.statement.text import Text  # noqa: PLC0415  # the SQL parser is slow to start

    text, (start, end) = Text(statement.pipeline), statement.span
    written = text.pipeline.sql[start:end].lower()
    at = written.find(name.lower())
    for block in statement.setup if at < 0 else ():
        found = block.sql.lower().find(name.lower())
        if found >= 0:
            return block.file, block.at(block.sql.count("\n", 0, found) + 1), None
    return text.pipeline.file, *text.pipeline.place(*text.place(start + max(at, 0)))


def _cycle(by_table: dict[str, Statement], tables: list[str]) -> PipelineCycle:
    circle = " → ".join(tables)
    return PipelineCycle(
        f"pipelines read each other in a circle: {circle}",
        fix="take one of these reads out of its query",
        pipeline=by_table[min(tables)].pipeline.file,
        tables=tuple(sorted(set(tables))),
    )


def _table(statement: Statement) -> str:
    return statement.pipeline.table
