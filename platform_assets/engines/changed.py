"""A source as it would be after changes that have not happened yet: SELECTs over its rows as they are."""

from collections.abc import Iterator, Mapping, Sequence

from governance.landing.datasets import document_field, record_name
from governance.landing.model import DOCUMENT, RECORD_TYPE, FileSource
from governance.simulate import Simulated
from platform_assets.engines.sql import literal, quoted

ROW = "__row"


def changed(pinned: str, changes: Sequence[Simulated]) -> str:
    """Return the SELECT that shows ``pinned``, a name with its schema, as it is after ``changes``, one by one."""
    sql = f"select * from {pinned}"
    for change in changes:
        sql = f"select {_star(change)} from ({sql}) as {ROW}"
    return sql


def names_of(files: FileSource) -> tuple[str, ...]:
    """Return what follows the file's name in the name of each of its relations: nothing, and each kind of record."""
    return ("", *(f"#{it.id}" for it in files.records))


def changed_files(files: FileSource, places: Mapping[str, str], changes: Sequence[Simulated]) -> Mapping[str, str]:
    """Return the SELECT of each of ``names_of`` after ``changes``; ``places`` says where the rows of each are."""
    if not changes:
        return {rest: changed(place, ()) for rest, place in places.items()}
    if files.records:
        of = {
            f"#{it.id}": [change for change in changes if change.table == record_name(files, it)]
            for it in files.records
        }
        kinds = {rest: changed(places[rest], own) for rest, own in of.items()}
        return {"": _every_kind(files, kinds), **kinds}
    own = [it for it in changes if not it.column.startswith(f"{DOCUMENT}.")]
    inside = [it for it in changes if it.column.startswith(f"{DOCUMENT}.")]
    sql = changed(places[""], own)
    return {"": f"select {_document(files, inside)} from ({sql}) as {ROW}" if inside else sql}


def _every_kind(files: FileSource, kinds: Mapping[str, str]) -> str:
    """Return the rows of all kinds of record as those of the file: its own columns, then those of every kind."""
    name = quoted(files.filename) if files.filename else ""
    own, rest = (f", {name}", f"* exclude ({name})") if name else ("", "*")
    selects = (
        f"select {literal(it.value)} as {RECORD_TYPE}{own}, {rest} from ({kinds[f'#{it.id}']})" for it in files.records
    )
    return " union all by name ".join(selects)


def _star(change: Simulated) -> str:
    column, to = quoted(change.column), change.to
    return {
        "rename": lambda: f"* rename ({column} as {quoted(to)})",
        "drop": lambda: f"* exclude ({column})",
        "add": lambda: f"*, {_value(change, '')} as {column}",
        **dict.fromkeys(("type", "unit", "enum"), lambda: f"* replace ({_value(change, column)} as {column})"),
    }[change.what]()


def _value(change: Simulated, value: str) -> str:
    """Return the SQL of a value after ``change``, which keeps the value or adds one."""
    return {
        "add": f"cast(null as {change.to})",
        "type": f"cast({value} as {change.to})",
        "unit": f"({value} * {change.to})",
        # every tenth row by its content, so that it is the same ones each time
        "enum": f"case when hash({ROW}) % 10 = 0 then {literal(change.to)} else {value} end",
    }[change.what]


def _document(files: FileSource, changes: Sequence[Simulated]) -> str:
    """Return the items of a SELECT whose column of sections is as it is after ``changes``."""
    values = {
        document_field(section.name, it.name): f"{quoted(DOCUMENT)}.{quoted(section.name)}.{quoted(it.name)}"
        for section in files.sections
        for it in section.columns
    }
    for change in changes:
        values = dict(_changed_values(values, change))
    sections: dict[str, list[str]] = {}
    for name, value in values.items():
        _, section, member = name.split(".", 2)
        sections.setdefault(section, []).append(f"{quoted(member)} := {value}")
    if not sections:
        return f"* exclude ({quoted(DOCUMENT)})"
    packed = (f"{quoted(section)} := struct_pack({', '.join(members)})" for section, members in sections.items())
    return f"* replace (struct_pack({', '.join(packed)}) as {quoted(DOCUMENT)})"


def _changed_values(values: Mapping[str, str], change: Simulated) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if name != change.column:
            yield name, value
        elif change.what == "rename":
            yield change.renamed, value
        elif change.what != "drop":
            yield name, _value(change, value)
    if change.what == "add":
        yield change.column, _value(change, "")
