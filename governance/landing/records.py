"""The kinds of record of one file, out of ``sources.toml``."""

import re

from governance.landing.columns import read_columns, require_distinct
from governance.landing.model import RECORD_TYPE, FileColumn, Format, Record
from governance.policy_file import Section

ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def read_records(parent: Section, form: Format, record_type: tuple[int, int] | None) -> tuple[Record, ...]:
    """Return the kinds of record in declared order; ``record_type`` is where a line says which it is.

    Raises:
        PolicyError: there are none, one is wrong, or two do not go together.
    """
    section = parent.section("records")
    if not section.values:
        fix = 'add records.detail = { value = "D", columns = { … } }'
        raise parent.wrong("records", "it names no kind of record", fix=fix)
    require_distinct(section, section.values)
    # a delimited record's kind is a field of its own, which takes no character of another
    taken = record_type if form is Format.FIXED else None
    records = tuple(_record(section, name, form, taken) for name in section.values)
    _require_values_apart(section, records)
    _require_one_type(section, records)
    for record in records:
        _require_parent(section.section(record.id), record, {it.id: it for it in records})
    return records


def _record(section: Section, name: str, form: Format, taken: tuple[int, int] | None) -> Record:
    if not ID.fullmatch(name):
        fix = "name it in letters, digits, _ and -, beginning with a letter"
        raise section.wrong(name, f"{name!r} is no name of a kind of record", fix=fix)
    own = section.section(name)
    own.only("value", "columns", "parent", "join_key")
    value = own.text("value").strip()
    if taken is not None and len(value) > (width := taken[1] - taken[0] + 1):
        fix = f"write a value of {width} characters at most, or widen record_type"
        raise own.wrong("value", f"{value!r} is longer than its place", fix=fix)
    columns = read_columns(own, form, taken=taken)
    for column in columns:
        if column.name.lower() == RECORD_TYPE:
            fix = "name it otherwise; the discriminator is on the file itself, and stands in no kind of record"
            raise own.section("columns").wrong(column.name, f"{RECORD_TYPE} is the file's own column", fix=fix)
    return Record(name, value, columns, own.optional_text("parent"), own.optional_text("join_key"))


def _require_values_apart(section: Section, records: tuple[Record, ...]) -> None:
    seen: dict[str, str] = {}
    for record in records:
        if earlier := seen.get(record.value):
            problem = f"{record.value!r} is the value of {earlier} already"
            raise section.section(record.id).wrong("value", problem, fix="each kind of record has a value of its own")
        seen[record.value] = record.id


def _require_one_type(section: Section, records: tuple[Record, ...]) -> None:
    """Raise PolicyError where a column of two kinds of record cannot be one column of the whole file."""
    seen: dict[str, tuple[str, FileColumn]] = {}
    for record in records:
        columns = section.section(record.id).section("columns")
        for column in record.columns:
            earlier, first = seen.setdefault(column.name.lower(), (record.id, column))
            if first.type != column.type:
                problem = f"it is {column.type} here and {first.type} in {earlier}"
                raise columns.wrong(column.name, problem, fix="give it one type, or two names")
            if first.name != column.name:
                problem = f"it is written {first.name} in {earlier}"
                raise columns.wrong(column.name, problem, fix="write it alike")


def _require_parent(own: Section, record: Record, records: dict[str, Record]) -> None:
    if record.parent is None or record.join_key is None:
        missing, there = ("parent", record.join_key) if record.parent is None else ("join_key", record.parent)
        if there is not None:
            fix = f"add {missing}, or take the other out"
            raise own.wrong(missing, "parent and join_key are said together", fix=fix)
        return
    parent = records.get(record.parent)
    if parent is None or parent is record:
        others = [name for name in records if name != record.id]
        fix = f"name one of {', '.join(others)}" if others else "take it out"
        raise own.wrong("parent", f"no other kind of record is called {record.parent!r}", fix=fix)
    for side in (record, parent):
        if record.join_key not in {it.name for it in side.columns}:
            fix = f"name a column that {record.id} and {parent.id} both have"
            raise own.wrong("join_key", f"{side.id} has no column {record.join_key}", fix=fix)
    _require_no_circle(own, record, records)


def _require_no_circle(own: Section, record: Record, records: dict[str, Record]) -> None:
    above, seen = record.parent, {record.id}
    while above is not None and above in records:
        if above in seen:
            raise own.wrong("parent", f"{above} is above itself", fix="let one kind of record be without parent")
        seen.add(above)
        above = records[above].parent
