"""An INSERT takes each file once: what would read new files beside none of another dataset is refused."""

import pytest

from governance.block import Block, BlockKind
from governance.errors import UnreadConstruct
from governance.pipeline import Pipeline
from governance.statement import parse

VIEW = Block(
    "staging.rates", BlockKind.VIEW, "blocks/x.sql", 1, "create view staging.rates as select * from 'landing/rates.csv'"
)


def pipeline(query: str, write: str = "insert into bronze.days") -> Pipeline:
    return Pipeline("bronze.days", "bronze/days.sql", f"{write}\n{query}", blocks=(VIEW,))


@pytest.mark.parametrize(
    "query",
    [
        "select d.x from 'landing/days/*.csv' d join 'landing/rates.csv' r on r.x = d.x",
        "select x from 'landing/days/*.csv' where x in (select x from 'landing/rates.csv')",
        "select d.x from 'landing/days/*.csv' d, staging.rates r where r.x = d.x",
        "with r as (select x from 'landing/rates.csv') select x from 'landing/days/*.csv' union all select x from r",
        "select x from 'landing/days/*.csv' except select x from 'landing/rates.csv'",
        "select x from 'landing/a.csv' union select d.x from 'landing/days/*.csv' d, read_csv('landing/e.csv')",
    ],
)
def test_rows_made_of_two_datasets_of_files_are_refused(query: str) -> None:
    with pytest.raises(UnreadConstruct, match="each file once, and this makes rows of landing/days/") as refused:
        parse(pipeline(query))
    assert refused.value.fix.startswith("build a table of its own")
    assert parse(pipeline(query, "create table bronze.days as")).reads


@pytest.mark.parametrize(
    "query",
    [
        "select d.x from 'landing/days.txt#detail' d join 'landing/days.txt#header' h on h.x = d.x",
        "select d.x from 'landing/days/*.csv' d join bronze.rates r on r.x = d.x",
        "select x from 'landing/days/*.csv' union all (select x from 'landing/a.csv' union select 1)",
        "select 1",
    ],
)
def test_those_of_one_dataset_or_of_one_in_each_branch_are_read(query: str) -> None:
    assert parse(pipeline(query)).query == query
