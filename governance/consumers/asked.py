"""What a question names: a table or column of the graph, or one that only a log, a declaration or the policy knows."""

from governance.consumers.records import Records
from governance.dataset import Dataset, Field
from governance.errors import UnknownField
from governance.graph import resolve


def asked(name: str, records: Records) -> Dataset | Field:
    """Return the table or column that ``name`` means: ``crm.learners``, ``landing/orders.csv.amount``.

    Raises:
        UnknownField: none of the records has it, or several namespaces do.
    """
    try:
        return resolve(records.graph, name)
    except UnknownField:
        tables = _tables(records)
        if name in tables:
            return records.dataset(name)
        if name in _columns(records):
            # a column of a document is a path, with dots of its own
            table = max((it for it in tables if name.startswith(f"{it}.")), key=len)
            return Field(records.dataset(table), name.removeprefix(f"{table}."))
        raise


def _tables(records: Records) -> set[str]:
    read = {table for read in records.log.reads for table in read.tables}
    declared = {table for consumer in records.declarations.consumers for table in consumer.tables}
    return read | declared | set(records.policy.tables)


def _columns(records: Records) -> set[str]:
    read = {column for read in records.log.reads for column in read.columns or ()}
    declared = {name for consumer in records.declarations.consumers for name in consumer.reads}
    return read | declared | {f"{table}.{name}" for table, it in records.policy.tables.items() for name in it.columns}
