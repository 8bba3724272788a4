"""Two platforms, built for real but without Dagster, and the events of their runs."""

import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from governance.events.run import Attempt, started_by
from governance.events.store import EventStore
from governance.policy import load_policy, load_sources
from governance.project import Project, project_at
from platform_assets.engines.duckdb import DuckDb
from platform_assets.iceberg.catalog import open_catalog
from platform_assets.loaded import load
from platform_assets.runs.materialize import materialize
from platform_assets.runs.run import Platform, Run
from platform_assets.tour.demo import generate

ROOT = Path(__file__).parents[2]
DAGSTER_RUN = "6f1f3a52-6c7e-4c43-8a51-0d1b7c6a2f10"
KINDS = {
    "every_value": """
create table analytics.every_value as
select
    l.learner_id,
    upper(l.country) as land,
    md5(l.email) as mail_hash,
    case when l.status = 'active' then l.full_name end as shown,
    case when md5(l.email) < '8' then 'a' else 'b' end as arm,
    row_number() over (partition by l.country order by l.date_of_birth) as place
from crm.learners l
where l.marketing_consent
order by l.learner_id
""",
    "every_aggregate": """
create table analytics.every_aggregate as
select
    l.country,
    count(distinct l.email) filter (where l.status = 'active') as mails,
    string_agg(l.full_name, ',' order by l.learner_id) as names,
    now() as made_at
from crm.learners l
group by l.country
""",
}
"""Pipelines that have, between them and the demo's, every transformation there is."""


def demo(folder: Path) -> EventStore:
    """The demo's pipelines and those of :data:`KINDS`, on few rows."""
    for part in ("platform_assets/sources.toml", "governance/metadata.toml", "governance/lineage.toml"):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, folder / part)
    shutil.copytree(ROOT / "platform_assets" / "pipelines", folder / "platform_assets" / "pipelines")
    for name, sql in KINDS.items():
        (folder / "platform_assets" / "pipelines" / "analytics" / f"{name}.sql").write_text(sql)
    project = project_at(folder)
    with open_catalog(project) as catalog:
        generate(catalog, _engine(), load_sources(project), load_policy(project), 0.02)
    return _built(project)


def orders(folder: Path) -> EventStore:
    """``examples/orders``: landing files of every format."""
    shutil.copytree(ROOT / "examples" / "orders", folder, ignore=shutil.ignore_patterns(".headwater"))
    return _built(project_at(folder))


def _built(project: Project) -> EventStore:
    loaded, store, begun = load(project), EventStore(project.events), _now()
    parent = started_by(begun, DAGSTER_RUN, "nightly")
    with open_catalog(project) as catalog:
        platform = Platform(project, loaded.policy, loaded.sources, catalog, _engine(), store, _now)
        for statement in loaded.program.statements:
            job = statement.pipeline.job
            materialize(platform, statement.pipeline, Run(Attempt(job, begun, DAGSTER_RUN), parent))
    return store


def _engine() -> DuckDb:
    return DuckDb(lambda: closing(duckdb.connect()))


def _now() -> datetime:
    return datetime.now(UTC)
