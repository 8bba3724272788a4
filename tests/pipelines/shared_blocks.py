"""A project with building blocks, and what is asked of it."""

from pathlib import Path

from governance.errors import HeadwaterError
from governance.load import load_pipelines
from governance.pipeline import Pipeline
from governance.project import Project, project_at
from governance.sources import load_sources
from governance.statement import Program, read_program

SOURCES = """
[locations.landing]
at = "landing"

["raw.orders"]
columns.id = "bigint"
columns.cents = "bigint"
columns.status = "varchar"

["landing/rates.csv"]
columns.status = "varchar"
columns.rate = "decimal(10, 2)"

["landing/payments.csv"]
records.header = { value = "H", columns = { batch = "bigint", day = "date" } }
records.detail = { value = "D", columns = { batch = "bigint", cents = "bigint" } }
"""
MONEY = """-- Money is whole cents.
create macro euros(cents) as cast(cents / 100 as decimal(12, 2));
create or replace macro net(amount) as euros(amount) / 1.19;
"""
STAGING = """create view staging.orders as
select id, euros(cents) as amount, net(cents) as without_vat
from raw.orders where status <> 'pending';

create macro above(least) as table
select * from staging.orders where amount > least;
"""


def made(tmp_path: Path) -> Project:
    project = project_at(tmp_path)
    project.pipelines[0].mkdir(parents=True)
    project.sources.write_text(SOURCES, encoding="utf-8")
    block(project, "a/staging.sql", STAGING)
    block(project, "money.sql", MONEY)
    return project


def block(project: Project, name: str, text: str) -> None:
    path = project.root / "platform_assets" / "blocks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pipeline(project: Project, table: str, query: str, header: str = "") -> None:
    schema, _, name = table.partition(".")
    path = project.pipelines[0] / schema / f"{name}.sql"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{header}create table {table} as\n{query}\n", encoding="utf-8")


def loaded(project: Project) -> dict[str, Pipeline]:
    return {it.table: it for it in load_pipelines(project)}


def program(project: Project) -> Program:
    return read_program(load_pipelines(project), load_sources(project))


def edges(found: Program, table: str) -> dict[str, set[tuple[str, str, str]]]:
    lineage = found.lineages[table]
    told = {it.name: {(x.dataset, x.field, x.transformation.name) for x in it.inputs} for it in lineage.fields}
    return {**told, "*": {(x.dataset, x.field, x.transformation.name) for x in lineage.dataset}}


def wrong(project: Project, table: str = "m.t") -> HeadwaterError:
    return program(project).unreadable[table]
