import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.cron import cron_problem
from governance.errors import PipelineError
from governance.pipeline import WORDS, Pipeline, parse_pipeline

FILE = "platform_assets/pipelines/a/b.sql"


def header(sql: str) -> Pipeline:
    return parse_pipeline("a.b", FILE, sql)


def test_header_says_every_word() -> None:
    sql = """
-- description: Learners who may be written to,
--   each with their favourite category.
-- owner: team:marketing
-- plain comments may stand between
-- https://example.com/why is plain as well

-- grain: learner_id, course id
--tags:email,nightly.v2
-- freshness: 26 hours
-- automation: 0 6 * * mon-fri
create table a.b as select 1 -- owner: nobody
"""
    assert header(sql) == Pipeline(
        table="a.b",
        file=FILE,
        sql=sql,
        description="Learners who may be written to, each with their favourite category.",
        owner="team:marketing",
        grain=("learner_id", "course id"),
        tags=("email", "nightly.v2"),
        freshness="26 hours",
        automation="0 6 * * mon-fri",
    )


def test_a_file_without_header_is_a_pipeline() -> None:
    pipeline = header("create table a.b as select 1")
    assert (pipeline.job, pipeline.schema, pipeline.name) == ("a.b", "a", "b")
    assert (pipeline.description, pipeline.owner, pipeline.grain, pipeline.tags) == ("", None, (), ())
    assert (pipeline.freshness, pipeline.automation) == (None, None)


def test_text_is_kept_whole_so_that_lines_hold() -> None:
    sql = "-- owner: team:x\n\ncreate table a.b as\nselect 1\n"
    assert header(sql).sql == sql


def test_comments_below_the_first_sql_are_no_header() -> None:
    assert header("create table a.b as\n-- ownr: team:x\nselect 1").owner is None


@pytest.mark.parametrize(
    ("sql", "line", "says"),
    [
        ("-- descripton: x\nselect 1", 1, "unknown header word 'descripton'"),
        ("\n-- Owner: team:x\nselect 1", 2, "unknown header word 'Owner'"),
        ("-- owner: team:x\n-- tags: a\n-- owner: team:y\n", 3, "owner was said in line 1"),
        ("-- owner:\nselect 1", 1, "owner has no value"),
        ("-- owner: the marketing team\n", 1, "'the marketing team' is no owner"),
        ("-- owner: team:\n", 1, "'team:' is no owner"),
        ("-- tags: ok, not ok\n", 1, "'not ok' is no tag"),
        ("-- tags: a,,b\n", 1, "'' is no tag"),
        ("-- grain: a, a\n", 1, "stands twice"),
        ("-- freshness: a day\n", 1, "'a day' is no span of time"),
        ("-- freshness: 0 hours\n", 1, "'0 hours' is no span of time"),
        ("-- automation: sometimes\n", 1, "a cron has 5 fields, this has 1"),
        ("-- automation: 0 24 * * *\n", 1, "24 is no hour"),
    ],
)
def test_a_wrong_header_line_is_refused_by_file_line_and_fix(sql: str, line: int, says: str) -> None:
    with pytest.raises(PipelineError) as caught:
        header(sql)
    assert caught.value.where() == f"{FILE}:{line}"
    assert says in caught.value.problem
    assert caught.value.fix


def test_an_unknown_word_lists_the_known_ones() -> None:
    with pytest.raises(PipelineError, match="description, owner, grain, tags, freshness, automation, include"):
        header("-- cadence: daily\n")
    assert len(WORDS) == 10


@pytest.mark.parametrize(
    "text",
    [
        "* * * * *",
        "*/5 0-6/2 1,15 jan-mar 0",
        "0 2 * * *",
        "59 23 31 12 7",
        "0 0 29 2 *",
        "0 0 30,1 2 *",
        "0 0 31 2-3 *",
    ],
)
def test_crons_that_are_right(text: str) -> None:
    assert cron_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("60 * * * *", "60 is no minute"),
        ("* * 0 * *", "0 is no day of month"),
        ("* * * may-feb *", "may-feb is no month"),
        ("* * * * someday", "someday is no day of week"),
        ("*/0 * * * *", "*/0 is no minute"),
        ("1,,2 * * * *", " is no minute"),
        ("*/00 * * * *", "*/00 is no minute"),
        ("٣ * * * *", "٣ is no minute"),
        ("0" * 5000 + " * * * *", "000 is no minute"),
        ("0 0 30 2 *", "no month 2 has a day 30"),
        ("0 0 31,30 feb,2/20 mon", "no month feb,2/20 has a day 31,30"),
        ("0 0 31 4-6/2 *", "no month 4-6/2 has a day 31"),
        ("", "this has 0"),
    ],
)
def test_crons_that_are_wrong_say_where(text: str, says: str) -> None:
    assert says in cron_problem(text)


lines = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
names = st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), unique=True, max_size=4).map(tuple)
pipelines = st.builds(
    Pipeline,
    table=st.just("a.b"),
    file=st.just(FILE),
    sql=st.just(""),
    description=st.lists(lines, max_size=6).map(" ".join),
    owner=st.sampled_from([None, "team:crm", "ada@example.com"]),
    grain=names,
    tags=names,
    freshness=st.sampled_from([None, "30 minutes", "26 hours", "1 day"]),
    automation=st.sampled_from([None, "eager", "0 2 * * *", "*/5 * * * mon"]),
)


def render_header(pipeline: Pipeline) -> str:
    texts = {
        "description": pipeline.description,
        "owner": pipeline.owner,
        "grain": ", ".join(pipeline.grain),
        "tags": ", ".join(pipeline.tags),
        "freshness": pipeline.freshness,
        "automation": pipeline.automation,
    }
    return "".join(f"-- {word}: {text}\n" for word, text in texts.items() if text)


@given(pipelines)
def test_a_rendered_header_reads_back_as_what_it_says(pipeline: Pipeline) -> None:
    sql = render_header(pipeline) + "select 1"
    assert parse_pipeline("a.b", FILE, sql) == Pipeline(
        table="a.b",
        file=FILE,
        sql=sql,
        description=pipeline.description,
        owner=pipeline.owner,
        grain=pipeline.grain,
        tags=pipeline.tags,
        freshness=pipeline.freshness,
        automation=pipeline.automation,
    )
