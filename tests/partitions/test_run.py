"""``headwater run`` of partitions, and the jobs and schedules that a project with partitions has."""

import dagster as dg
import pytest
from click.testing import CliRunner

from governance.project import ROOT, Project
from platform_assets.assets.metadata import asset_key
from platform_assets.cli import main
from platform_assets.definitions import build_definitions
from platform_assets.iceberg.catalog import Catalog
from tests.partitions.conftest import PAID, files, payments, put, write

pytestmark = pytest.mark.usefixtures("asked")

HOURS = """-- partition by: hour(paid_at)
-- partitions: hourly from 2026-01-01
create table mart.hours as select paid_at, amount from shop.payments
"""
NEXT = PAID.replace("mart.paid", "mart.next").replace("shop.payments", "mart.paid")
TOTAL = "create table mart.total as select sum(amount) as amount from mart.paid"


@pytest.fixture
def asked(project: Project, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv(ROOT, str(project.root))
    folder = project.pipelines[0] / "mart"
    for name, text in (("hours", HOURS), ("next", NEXT), ("total", TOTAL)):
        write(folder / f"{name}.sql", text)
    put(catalog, payments(2, 3))
    return project


def headwater(*arguments: str) -> tuple[int, str]:
    told = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return told.exit_code, told.output


def test_there_is_a_job_and_a_schedule_for_each_set_of_partitions(asked: Project) -> None:
    defs = build_definitions(asked)
    dg.Definitions.validate_loadable(defs)
    tables = {
        name: {key.to_user_string() for key in defs.resolve_job_def(name).asset_layer.executable_asset_keys}
        for name in ("nightly", "daily_from_2026_01_01", "hourly_from_2026_01_01_00_00")
    }
    assert tables == {
        "nightly": {"mart/total"},
        "daily_from_2026_01_01": {"mart/paid", "mart/next"},
        "hourly_from_2026_01_01_00_00": {"mart/hours"},
    }
    crons = {it.name: (it.cron_schedule, it.default_status.value) for it in defs.get_repository_def().schedule_defs}
    assert crons["daily_from_2026_01_01_as_they_end"] == ("0 1 * * *", "STOPPED")
    assert crons["hourly_from_2026_01_01_00_00_as_they_end"] == ("0 * * * *", "STOPPED")


def test_one_partition_of_tables_that_read_each_other_is_one_run(catalog: Catalog) -> None:
    code, said = headwater("run", "mart.paid", "mart.next", "--partition", "2026-01-02")
    assert (code, said.splitlines()[:2]) == (0, ["built    mart.next  3 rows", "built    mart.paid  3 rows"])
    assert set(files(catalog)) == {"20455"}


def test_without_a_partition_a_named_table_is_built_whole_and_others_are_left_out() -> None:
    code, said = headwater("run", "mart.paid")
    assert (code, said.splitlines()[0]) == (0, "built    mart.paid  7 rows")
    code, said = headwater("run")
    lines = said.splitlines()
    assert (code, lines[0]) == (0, "built    mart.total  1 row")
    left = "left out mart.paid, daily from 2026-01-01: headwater run mart.paid --partition 20"
    assert [line.startswith(left) for line in lines].count(True) == 1


def test_the_governance_job_checks_tables_with_partitions_too(asked: Project) -> None:
    job = build_definitions(asked).resolve_job_def("governance")
    assert asset_key("mart.paid") in {it.asset_key for it in job.asset_layer.asset_graph.asset_check_keys}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["mart.paid", "--partition", "2026-1-2"], "there is no partition 2026-1-2; they are 2026-01-01 to 20"),
        (["mart.paid", "--partition", "2026-01-03..2026-01-02"], "write 2026-01-02..2026-01-03"),
        (["mart.paid", "--partition", "2026-01-03.."], "write KEY, or FIRST..LAST with both ends: 2026-01-03..20"),
        (["mart.paid", "--partition", "..2026-01-03"], "FIRST..LAST with both ends: 2026-01-01..2026-01-03"),
        (["mart.paid", "--partition", "2026-01-01...2026-01-03"], "with both ends: 2026-01-01..2026-01-03"),
        (["mart.paid", "--partition", ""], "'' is neither a partition nor a range of them; write KEY, or FIRST..LAST"),
        (["mart.total", "--partition", "2026-01-02"], "mart.total has no partitions"),
        (["mart.paid", "mart.hours", "--partition", "2026-01-02"], "the tables have different partitions"),
        (["--partition", "2026-01-02"], "name them: headwater run TABLE --partition KEY"),
        (["mart.next"], "mart.next reads mart.paid, and both are built by partitions; name its partitions"),
    ],
)
def test_what_cannot_be_run_is_said_with_what_to_do(arguments: list[str], problem: str) -> None:
    code, said = headwater("run", *arguments)
    assert (code, problem in said) == (1, True), said


def test_a_column_that_parts_the_table_is_retyped_by_one_run_of_the_whole(asked: Project) -> None:
    path = asked.pipelines[0] / "mart" / "days.sql"
    head, query = (
        "-- partitions: daily from 2026-01-01\n",
        "create table mart.days as select {} as d from shop.payments",
    )
    write(path, f"{head}-- partition by: d\n{query.format('paid_at::date')}")
    assert headwater("run", "mart.days", "--partition", "2026-01-02..2026-01-03")[0] == 0
    write(path, f"{head}-- partition by: day(d)\n{query.format('paid_at')}")
    code, said = headwater("run", "mart.days", "--partition", "2026-01-02")
    assert (code, "mart.days.d was date and is timestamp" in said, "run the table whole once" in said) == (
        1,
        True,
        True,
    )
    code, said = headwater("run", "mart.days")
    assert (code, said.splitlines()[0]) == (0, "built    mart.days  7 rows"), said


FAULTY = {
    "partitions: daily from 0001-01-01": "no partition begins at 0001-01-01; begin with the first day",
    "partitions: monthly from 9999-12-01": "no partition begins at 9999-12-01; begin with the first day",
    "partitions: dayly from 2026-01-01": "'dayly from 2026-01-01' are no partitions; write hourly, daily",
    "automation: 0 0 30 2 *": "'0 0 30 2 *' is no automation: no month 2 has a day 30; write eager, or a cron",
    f"partition by: bucket(1{'0' * 5000}, id)": "bucket takes a number from 1 to 2147483647 before the column",
}


def test_a_faulty_header_stops_its_own_table_only(asked: Project) -> None:
    for number, header in enumerate(FAULTY):
        write(
            asked.pipelines[0] / "mart" / f"bad_{number}.sql", f"-- {header}\n{TOTAL.replace('total', f'bad_{number}')}"
        )
    build_definitions(asked).resolve_job_def("nightly")
    code, said = headwater("run", "mart.paid", "--partition", "2026-01-02")
    assert (code, said.splitlines()[0]) == (0, "built    mart.paid  3 rows")
    for number, (header, problem) in enumerate(FAULTY.items()):
        code, said = headwater("run", f"mart.bad_{number}", "--partition", "2026-01-02")
        assert (code, f"mart/bad_{number}.sql:1: {header.partition(':')[0]}: {problem}" in said) == (1, True), said
