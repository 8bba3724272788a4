"""The header lines ``partition by`` and ``partitions``: what is read, and what is refused with place and fix."""

from pathlib import Path

import pytest

from governance.errors import LineageError, PipelineError
from governance.load import load_pipelines
from governance.partition import Term
from governance.pipeline import Pipeline, parse_pipeline
from governance.project import project_at
from governance.sources import Source
from governance.statement import parse, read_program, trace
from governance.windows import Span

PAID = {
    "shop.paid": {"id": "bigint", "Paid_At": "timestamp", "paid": "decimal(10, 2)", "day": "date", "rate": "double"}
}


def pipeline(head: str, body: str = "create table mart.paid as select * from shop.paid") -> Pipeline:
    return parse_pipeline("mart.paid", "mart/paid.sql", f"{head}\n{body}\n")


def problem(head: str) -> str:
    with pytest.raises(PipelineError) as told:
        pipeline(head)
    return str(told.value)


def traced(head: str, body: str = "create table mart.paid as select * from shop.paid") -> str:
    with pytest.raises(LineageError) as told:
        trace(parse(pipeline(head, body)), PAID)
    return str(told.value)


def test_each_term_is_read() -> None:
    made = pipeline(
        "-- partition by: Day(paid_at), bucket(16, id),\n"
        '--   truncate( 3 , "odd, na""me"), country, year(a), month(b), hour(c)'
    )
    assert made.partition_by == (
        Term("day", "paid_at"),
        Term("bucket", "id", 16),
        Term("truncate", 'odd, na"me', 3),
        Term("identity", "country"),
        Term("year", "a"),
        Term("month", "b"),
        Term("hour", "c"),
    )
    written = 'day(paid_at), bucket(16, id), truncate(3, "odd, na""me"), country, year(a), month(b), hour(c)'
    assert ", ".join(map(str, made.partition_by)) == written


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("dya(paid_at)", "did you mean day?"),
        ("bucket(id, 16)", "write bucket(16, id)"),
        ("bucket(id)", "write bucket(16, id)"),
        ("bucket(0, id)", "write bucket(16, id)"),
        ("truncate(id)", "write truncate(4, id)"),
        ("day(3, paid_at)", "write day(paid_at)"),
        ("day(paid_at", "write a column, or year"),
        ("paid_at)", "write a column, or year"),
        ("paid_at,", "write a column, or year"),
        ("day(paid_at), HOUR(Paid_At)", "write the finer one"),
        ("id, id", "write one of them"),
    ],
)
def test_what_is_no_term_is_refused_with_what_to_write(text: str, fix: str) -> None:
    said = problem(f"-- owner: team:shop\n-- partition by: {text}")
    assert said.startswith("mart/paid.sql:2: partition by: ")
    assert fix in said


@pytest.mark.parametrize("word", ["partitioned by", "Partition by", "partition_by", "partitons by", "partition"])
def test_no_misspelling_of_the_word_is_lost(word: str) -> None:
    assert f"mart/paid.sql:1: unknown header word '{word}'" in problem(f"-- {word}: day(paid_at)")


def test_other_comments_of_two_words_stay_plain() -> None:
    assert pipeline("-- written by: Ann").partition_by == ()


@pytest.mark.parametrize(
    ("text", "span", "said"),
    [
        ("daily from 2026-01-01", Span.DAILY, "daily from 2026-01-01"),
        ("Hourly from 2026-01-01 06:00", Span.HOURLY, "hourly from 2026-01-01 06:00"),
        ("hourly from 2026-01-01T06", Span.HOURLY, "hourly from 2026-01-01 06:00"),
        ("weekly from 2026-01-05", Span.WEEKLY, "weekly from 2026-01-05"),
        ("monthly from 2026-02-01", Span.MONTHLY, "monthly from 2026-02-01"),
    ],
)
def test_partitions_are_a_span_from_a_day_on(text: str, span: Span, said: str) -> None:
    windows = pipeline(f"-- partitions: {text}").partitions
    assert windows is not None
    assert (windows.span, str(windows)) == (span, said)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("daily", "daily from 2026-01-01"),
        ("yearly from 2026-01-01", "hourly, daily, weekly or monthly"),
        ("daily from 2026-02-30", "2026-02-30 is no day"),
        ("daily from 2026-01-01 06:00", "write daily from 2026-01-01"),
        ("weekly from 2026-01-01", "write weekly from 2025-12-29"),
        ("monthly from 2026-01-15", "write monthly from 2026-01-01"),
    ],
)
def test_partitions_that_are_none_are_refused_with_what_to_write(text: str, fix: str) -> None:
    said = problem(f"-- partitions: {text}")
    assert said.startswith("mart/paid.sql:1: partitions: ")
    assert fix in said


def test_columns_are_found_in_whatever_case() -> None:
    trace(parse(pipeline("-- partition by: day(PAID_AT), bucket(4, ID)\n-- partitions: daily from 2026-01-01")), PAID)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("day(paid_ta)", "there is no column paid_ta; did you mean Paid_At?"),
        ("day(id)", "id is a bigint, which day does not part; a bigint is parted by identity or bucket or truncate"),
        ("hour(day)", "day is a date, which hour does not part"),
        ("rate", "rate is a double, which identity does not part; take another column"),
        ("bucket(3, rate)", "rate is a double"),
    ],
)
def test_a_term_that_does_not_fit_the_columns_is_refused_at_the_headers_line(text: str, said: str) -> None:
    told = traced(f"-- owner: team:shop\n-- partition by: {text}")
    assert told.startswith("mart/paid.sql:2: partition by: ")
    assert said in told


@pytest.mark.parametrize(
    ("by", "partitions", "said"),
    [
        (None, "daily from 2026-01-01", "add -- partition by: day(the column with the time)"),
        ("month(paid_at)", "daily from 2026-01-01", "let partition by begin with day(Paid_At)"),
        ("bucket(4, id), day(paid_at)", "daily from 2026-01-01", "let partition by begin with day(id)"),
        ("day", "hourly from 2026-01-01", "let partition by begin with hour(day)"),
        ("paid_at", "daily from 2026-01-01", "let partition by begin with day(Paid_At)"),
        ("id", "daily from 2026-01-01", "id is a bigint, which is no time"),
    ],
)
def test_partitions_are_whole_files_of_a_time(by: str | None, partitions: str, said: str) -> None:
    told = traced(f"-- partitions: {partitions}" + (f"\n-- partition by: {by}" if by else ""))
    assert told.startswith("mart/paid.sql:1: partitions: ")
    assert said in told


@pytest.mark.parametrize("by", ["day", "day(day)", "hour(paid_at)", "day(paid_at), bucket(4, id)"])
def test_partitions_may_be_parted_more_finely(by: str) -> None:
    trace(parse(pipeline(f"-- partitions: daily from 2026-01-01\n-- partition by: {by}")), PAID)


def test_an_insert_has_no_partitions_to_replace() -> None:
    head = "-- partition by: day(paid_at)\n-- partitions: daily from 2026-01-01"
    body = (
        "create table if not exists mart.paid (paid_at timestamp);\ninsert into mart.paid select paid_at from shop.paid"
    )
    assert "mart/paid.sql:2: partitions: a run adds rows" in traced(head, body)


def test_a_wrong_term_leaves_the_other_pipelines_standing() -> None:
    source = Source("shop.paid", tuple(PAID["shop.paid"].items()))
    other = parse_pipeline("mart.other", "mart/other.sql", "create table mart.other as select id from shop.paid")
    program = read_program([pipeline("-- partition by: day(id)"), other], [source])
    assert [it.pipeline.table for it in program.statements] == ["mart.other"]
    assert "day(id): id is a bigint" in str(program.unreadable["mart.paid"])


def test_a_template_says_it_by_config(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    project.policy[0].mkdir(parents=True)
    (project.policy[0] / "lineage.toml").write_text("", "utf-8")
    for file, text in (
        (
            "mart/told.sql",
            "{{ config(partition_by=['day(paid_at)', 'bucket(4, id)'], partitions='daily from 2026-01-01') }}",
        ),
        (
            "mart/head.sql",
            "-- partition by: day(paid_at), bucket(4, id)\n-- partitions: daily from 2026-01-01\n{{ config() }}",
        ),
        ("mart/wrong.sql", "{{ config(owner='team:shop') }}\n{{ config(partition_by='dya(paid_at)') }}"),
    ):
        path = project.pipelines[0] / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\nselect * from shop.paid", "utf-8")
    project.sources.parent.mkdir(parents=True, exist_ok=True)
    project.sources.write_text('["shop.paid"]\ncolumns.id = "bigint"\ncolumns.paid_at = "timestamp"\n', "utf-8")
    told = {it.table: it for it in load_pipelines(project)}
    assert told["mart.told"].partition_by == told["mart.head"].partition_by != ()
    assert told["mart.told"].partitions == told["mart.head"].partitions is not None
    assert ":2: partition by: there is no transform dya; did you mean day?" in str(told["mart.wrong"].problem)
