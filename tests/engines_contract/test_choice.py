"""Which engine runs a pipeline: its header's, else the project's."""

from dataclasses import replace
from pathlib import Path

import pytest

from governance.errors import PipelineError, PolicyError
from governance.pipeline import parse_pipeline
from governance.policy import load_policy
from governance.project import project_at
from platform_assets.assets.factory import build_assets
from platform_assets.engines.choice import engine_of
from platform_assets.engines.duckdb import DuckDb
from platform_assets.engines.named import engine_name
from platform_assets.loaded import load

HERE = project_at(Path(__file__).parents[2])
PLAIN = parse_pipeline("a.b", "a/b.sql", "create table a.b as select 1 as x")


def test_the_header_goes_before_the_setting(binder: DuckDb, tmp_path: Path) -> None:
    policy = load_policy(HERE)
    on_spark = replace(policy, lineage=replace(policy.lineage, engine="spark"))
    asked = parse_pipeline("a.b", "a/b.sql", "-- engine: duckdb\ncreate table a.b as select 1 as x")
    assert engine_name(policy, PLAIN) == "duckdb"
    assert engine_name(on_spark, PLAIN) == "spark"
    assert engine_name(on_spark, asked) == "duckdb"
    project = project_at(tmp_path)
    assert engine_of(project, policy, PLAIN, binder) is binder
    assert engine_of(project, on_spark, PLAIN, binder, {}).name == "spark"


def test_an_unknown_engine_is_told() -> None:
    with pytest.raises(PipelineError, match="'flink' is no engine"):
        parse_pipeline("a.b", "a/b.sql", "-- engine: flink\nselect 1")


def test_the_setting_is_read(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    project.policy[0].mkdir(parents=True)
    project.sources.parent.mkdir(parents=True)
    project.sources.write_text("", "utf-8")
    for name in ("metadata.toml", "waivers.toml", "lineage.toml"):
        text = (HERE.policy[0] / name).read_text("utf-8") if name == "lineage.toml" else ""
        (project.policy[0] / name).write_text(text, "utf-8")
    assert load_policy(project).lineage.engine == "duckdb"
    file = project.policy[0] / "lineage.toml"
    text = file.read_text("utf-8")
    file.write_text(text + '\n[engine]\ndefault = "spark"\n', "utf-8")
    assert load_policy(project).lineage.engine == "spark"
    file.write_text(text + '\n[engine]\ndefault = "flink"\n', "utf-8")
    with pytest.raises(PolicyError, match="unknown engine 'flink'"):
        load_policy(project)


def test_an_asset_has_its_engine_as_kind() -> None:
    loaded = load(HERE)
    marked = [replace(it, engine="spark") if it.table == "marketing.audience" else it for it in loaded.pipelines]
    assets = build_assets(replace(loaded, pipelines=tuple(marked)))
    kinds = {it.key.to_user_string(): spec.kinds for it in assets for spec in getattr(it, "specs", ())}
    assert "spark" in kinds["marketing/audience"]
    assert "duckdb" in kinds["marketing/campaign_list"]
