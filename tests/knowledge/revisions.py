"""Two revisions of a small platform, as tests write them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from governance.diff import Diff, Known, Side, compare, judge
from governance.pipeline import parse_pipeline
from governance.policy import ColumnPolicy, LineagePolicy, Policy, Source, TablePolicy
from governance.statement import read_program

AT = datetime(2026, 11, 30, tzinfo=UTC)
LINEAGE = LineagePolicy(
    ("public", "internal", "personal"), frozenset({"DIRECT", "INDIRECT"}), frozenset(), "ns", "jobs"
)
SOURCES = {"crm.people": {"id": "bigint", "email": "varchar", "country": "varchar", "active": "boolean"}}
LIST = """-- owner: team:mart
create table mart.list as
select p.id, p.email, p.country as place
from crm.people p
where p.active
"""
SENT = """-- owner: team:mail
create table mail.sent as
select l.id, l.email from mart.list l
"""
BASE = {"mart.list": LIST, "mail.sent": SENT}


def side(
    pipelines: Mapping[str, str], sources: Mapping[str, Mapping[str, str]] = SOURCES, classes: Mapping[str, str] = {}
) -> Side:
    read = tuple(
        parse_pipeline(table, f"platform_assets/pipelines/{table.replace('.', '/')}.sql", sql)
        for table, sql in pipelines.items()
    )
    known = tuple(Source(table, tuple(columns.items())) for table, columns in sources.items())
    tables: dict[str, TablePolicy] = {}
    for name, declared in classes.items():
        table, _, column = name.rpartition(".")
        columns = {**(tables[table].columns if table in tables else {}), column: ColumnPolicy(declared)}
        tables[table] = TablePolicy(columns=MappingProxyType(columns))
    return Side(read, known, Policy(tables, LINEAGE, (), ()), read_program(read, known))


def changed(base: Side, head: Side, **known: Any) -> Diff:
    return judge(compare(base, head), base, head, Known(**known))


def told(found: Diff) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(it.kind.value, it.pipeline, it.fields) for it in found.changes]


def edited(table: str, *edits: tuple[str, str]) -> dict[str, str]:
    text = BASE[table]
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return {**BASE, table: text}
