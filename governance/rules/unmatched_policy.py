"""Unmatched policy: a line about a table, column or rule that there is not, most often a misspelt name.

What it declares protects nothing, and nothing else would say so: a column whose class is written under another name
simply has none.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from difflib import get_close_matches

from governance.consumers.declared import Declared
from governance.dataset import Dataset, Field
from governance.evidence import unknown_classes
from governance.policy import Declassified, TablePolicy, Waiver
from governance.rules.finding import Finding, Severity
from governance.rules.known import Known
from governance.rules.rule import Rule
from governance.toml_key import quoted, toml_column, toml_table

NAME = "unmatched_policy"


def find(known: Known) -> tuple[Finding, ...]:
    """Return a finding for each table and column that a policy file names, and each waiver's part, not known to be."""
    tables = _tables(known)
    declared = (it for name, policy in known.policy.tables.items() for it in _declared(name, policy, tables, known))
    waived = (it for waiver in known.policy.waivers for it in _waived(waiver, tables, known))
    today = known.now.date()
    ended = (_ended(it.file, it.who, it.until, it.table, "waiver") for it in known.policy.waivers if it.until < today)
    let_go = (it for declassified in known.policy.declassified for it in _declassified(declassified, tables, known))
    read = (it for consumer in known.declarations.consumers for it in _read(consumer, tables, known))
    return (*declared, *waived, *ended, *let_go, *read, *_tagged(known))


def _tables(known: Known) -> frozenset[str]:
    own = frozenset(it.name for it in _datasets(known) if known.policy.lineage.owns(it))
    # a quarantine is made by the first row that does not fit: who declares it before has misspelt nothing
    named = known.inventory | known.sources | known.pipelines | known.quarantines.keys()
    return named | known.columns.keys() | own


def _datasets(known: Known) -> Iterator[Dataset]:
    yield from known.graph.fields
    for flow in known.graph.flows:
        yield from (flow.source, flow.target)
    yield from known.graph.written


def _columns(table: str, known: Known) -> frozenset[str] | None:
    """Return the table's columns, None where it is not known yet which it has."""
    if table in known.unreadable:
        return None
    dataset = known.policy.lineage.dataset(table)
    told = frozenset(field.name for field in known.graph.fields.get(dataset, ()))
    if table in known.columns:
        return known.columns[table] | told
    # of a table that is only read, events name the columns used; of a pipeline's, those of an earlier text
    return told if told and dataset in known.graph.written and table not in known.pipelines else None


def _declared(table: str, policy: TablePolicy, tables: frozenset[str], known: Known) -> Iterator[Finding]:
    if table not in tables:
        message = f"{policy.file} speaks of a table {table} that neither sources.toml, a pipeline, the catalog nor an "
        message += "event knows, so what it declares holds for nothing"
        yield _finding(table, None, message, _meant(table, tables, toml_table), policy.file)
        return
    columns = _columns(table, known)
    for column in policy.columns:
        if columns is not None and column not in columns:
            message = f"{policy.file} declares {toml_column(column)} under {toml_table(table)}, and {table} has no "
            message += "such column, so that class and description hold for nothing"
            yield _finding(table, column, message, _meant(column, columns, toml_column), policy.file)


def _waived(waiver: Waiver, tables: frozenset[str], known: Known) -> Iterator[Finding]:
    subject = f"{waiver.file}: the waiver of {waiver.who} until {waiver.until} "
    if waiver.rule not in known.rules:
        message = f"{subject}names a rule {waiver.rule} that there is not, so it accepts nothing"
        yield _finding(waiver.table, None, message, _meant(waiver.rule, known.rules, _setting("rule")), waiver.file)
    # findings are also about jobs and about the platform as a whole
    jobs = {job.name for job in known.policy.external_jobs} | {run.job.name for run in known.runs.values()}
    if waiver.table not in tables | jobs | {known.policy.lineage.namespace}:
        message = f"{subject}names a table {waiver.table} that nothing knows, so it accepts nothing"
        yield _finding(waiver.table, None, message, _meant(waiver.table, tables, _setting("table")), waiver.file)
        return
    columns = _columns(waiver.table, known)
    if waiver.column is not None and columns is not None and waiver.column not in columns:
        message = f"{subject}names a column {waiver.column} that {waiver.table} has not, so it accepts nothing"
        fix = _meant(waiver.column, columns, _setting("column"))
        yield _finding(waiver.table, waiver.column, message, fix, waiver.file)


def _read(consumer: Declared, tables: frozenset[str], known: Known) -> Iterator[Finding]:
    """Yield what a consumer reads that there is not; what a BI tool exported, which nobody edits, is a warning."""
    # the finding stands on the table as it is spelt there: there is no other
    found = _warning if consumer.exported else _error
    for name in consumer.reads:
        for said, fix in _unknown(name, quoted, tables, known) if name not in tables else ():
            message = f"{consumer.file}: {consumer.name} reads {said}, so no answer about consumers has that read"
            yield found(consumer.table(name), message, fix, consumer.file)


def _tagged(known: Known) -> Iterator[Finding]:
    classes = known.policy.lineage.lattice.classes
    for thing, tag in unknown_classes(known.graph, known.policy.lineage):
        table = str(thing.dataset if isinstance(thing, Field) else thing)
        said = f"{tag.key}={tag.value}"
        message = f"job {tag.job} tags {thing} with {said}, which is no class here, so the tag decides nothing"
        fix = f"say under [tags] in lineage.toml which class it means: {quoted(said)} = one of {', '.join(classes)}"
        yield _warning(table, message, fix, f"the tag {said} of job {tag.job}")


def _declassified(it: Declassified, tables: frozenset[str], known: Known) -> Iterator[Finding]:
    """Yield what is wrong with a declassification; never an ERROR, as the classes are then too high, not too low."""
    table = it.target if it.target in tables else it.target.rpartition(".")[0]
    if it.until < known.now.date():
        yield _ended(it.file, it.who, it.until, table, "declassification")
    subject = f"{it.file}: the declassification of {it.who} until {it.until} "
    unknown = [*_unknown(it.source, _setting("from"), tables, known)]
    if it.target not in tables:
        unknown += _unknown(it.target, _setting("to"), tables, known)
    for said, fix in unknown:
        yield _warning(table, f"{subject}names {said}, so it holds for nothing", fix, it.file)
    edges = {(str(edge.source), str(edge.target)) for edge in known.graph.edges}
    if not unknown and (it.source, it.target) not in edges:
        said = f"{subject}is about an edge from {it.source} to {it.target} that no standing run has"
        yield _warning(table, f"{said}, so it holds for nothing", "correct from and to, or take it out", it.file)


def _unknown(
    name: str, written: Callable[[str], str], tables: frozenset[str], known: Known
) -> Iterator[tuple[str, str]]:
    """Yield what is unknown of a column ``schema.table.column``, or of what should be a table, and the fix."""
    # the longest table that it begins with: a column may be nested
    table = max((it for it in tables if name.startswith(f"{it}.")), key=len, default=None)
    if table is None:
        told, rest = (name, "") if name.count(".") == 1 else (name.rpartition(".")[0], ".…")
        yield f"a table {told} that nothing knows", _meant(told, tables, lambda it: written(f"{it}{rest}"))
        return
    columns, column = _columns(table, known), name.removeprefix(f"{table}.")
    if columns is not None and column not in columns:
        yield f"a column {column} that {table} has not", _meant(column, columns, lambda it: written(f"{table}.{it}"))


def _ended(file: str, who: str, until: date, table: str, what: str) -> Finding:
    message = f"{file}: the {what} of {who} ended on {until}, so it holds for nothing any more"
    fix = "look at it again and give it a new day, or take it out"
    return _warning(table, message, fix, file)


def _setting(key: str) -> Callable[[str], str]:
    return lambda name: f"{key} = {quoted(name)}"


def _meant(name: str, there: Iterable[str], written: Callable[[str], str]) -> str:
    """Return the fix: the line with the name that is most like ``name``, in any case; else that there is none."""
    spelt = {known.lower(): known for known in sorted(there, reverse=True)}
    near = get_close_matches(name.lower(), sorted(spelt), 1)
    if near:
        return f"did you mean {written(spelt[near[0]])}? If there is no such thing any more, take it out"
    return "correct the name, or take it out"


def _finding(table: str, column: str | None, message: str, fix: str, file: str) -> Finding:
    return Finding(NAME, Severity.ERROR, table, column, message, fix, decided_by=file)


def _error(table: str, message: str, fix: str, file: str) -> Finding:
    return _finding(table, None, message, fix, file)


def _warning(table: str, message: str, fix: str, file: str) -> Finding:
    return Finding(NAME, Severity.WARN, table, None, message, fix, decided_by=file)


RULE = Rule(
    name=NAME,
    severity=Severity.ERROR,
    blocking=False,
    description="Every table and column that metadata.toml and consumers name exists, and every rule, table and edge "
    "that waivers.toml names; none of its days is past; a producer's tag that is to name a class names one.",
    find=find,
)
