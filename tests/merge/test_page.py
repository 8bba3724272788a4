"""docs/merge.md shows what its pipeline says and does."""

import re
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from platform_assets.cli import main
from platform_assets.iceberg.catalog import load
from platform_assets.iceberg.publish import replace, target
from tests.platform.running import SOURCES, Landing

PAGE = (Path(__file__).parents[2] / "docs" / "merge.md").read_text("utf-8")
(SQL,) = re.findall("```sql\n(.*?)```", PAGE, re.DOTALL)
LINEAGE, STOPPED = re.findall("```console\n(.*?)```", PAGE, re.DOTALL)
HEARD = '["crm.heard"]\ncolumns = { id = "bigint", name = "varchar", seen = "date" }\n'


def give(landing: Landing, *rows: tuple[int, str | None, int]) -> None:
    catalog = landing.platform.catalog
    ids, names, days = zip(*rows, strict=True)
    data = pa.table({"id": ids, "name": pa.array(names, pa.string()), "seen": [date(2026, 10, day) for day in days]})
    at = load(catalog, "crm.heard") if catalog.table_exists("crm.heard") else None
    replace(catalog, target("crm.heard", at), data.to_reader(), {}, {})


def test_its_lineage(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    landing.pipeline("mart.customers", SQL)
    landing.project.sources.write_text(SOURCES + HEARD, "utf-8")
    monkeypatch.setenv("HEADWATER_ROOT", str(landing.project.root))
    command, _, output = LINEAGE.partition("\n")
    monkeypatch.chdir(landing.project.root)
    said = CliRunner().invoke(main, command.removeprefix("$ headwater ").split(), catch_exceptions=False)
    assert said.stdout == output


def test_its_runs(landing: Landing) -> None:
    landing.pipeline("mart.customers", SQL)
    give(landing, (1, "Ada", 1), (1, "Ada L.", 2), (2, "Bo", 1))
    landing.run("mart.customers")
    give(landing, (1, "Ada", 1), (2, None, 3), (3, "Cy", 3))
    landing.run("mart.customers", 1)
    assert [(row["id"], row["name"]) for row in landing.rows("mart.customers")] == [(1, "Ada L."), (3, "Cy")]


def test_what_stops_it(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    landing.pipeline("mart.customers", re.sub("    qualify.*\n", "", SQL))
    landing.project.sources.write_text(SOURCES + HEARD, "utf-8")
    give(landing, (1, "Ada", 1))
    landing.run("mart.customers")
    give(landing, (1, "Ada L.", 2), (1, "Ada M.", 3))
    monkeypatch.setenv("HEADWATER_ROOT", str(landing.project.root))
    command, _, output = STOPPED.partition("\n")
    said = CliRunner().invoke(main, command.removeprefix("$ headwater ").split())
    assert (said.exit_code, said.stdout) == (1, output)
