"""What a text may show is known of its statement: the same is hidden as where the text is read for it."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.events.redact import redact_sql, redact_stretches
from governance.load import load_pipelines
from governance.pipeline import Pipeline, parse_pipeline
from governance.project import project_at
from governance.statement import Statement, parse

ROOT = Path(__file__).parents[2]
SECRETS = ("hunter2!", "s3cr3t")

PIECES = st.sampled_from(
    [
        "'plain'", "'s3cr3t'", "'ada@example.org'", "17", "1.5e3", "token = 'abc'", "t.password = 's3cr3t'",
        "$$ hunter2! $$", "/* hunter2! */ a", "'x' -- secret\n", "a -- s3cr3t\n", "E'\\'s3cr3t'", "é", '"s3cr3t"',
        "(select max(v) from (values (1, 'ada')) as v(n, v))", "'https://u:pw@host/x?token=abc'", "b",
    ]
)  # fmt: skip


def shown(statement: Statement) -> str:
    assert statement.guarded is not None
    return redact_stretches(statement.pipeline.sql, statement.guarded, SECRETS)


@pytest.mark.parametrize("root", [ROOT, ROOT / "examples" / "orders"], ids=["demo", "orders"])
def test_every_text_of_a_project_shows_the_same(root: Path, tmp_path: Path) -> None:
    for pipeline in load_pipelines(project_at(root, tmp_path)):
        assert shown(parse(pipeline)) == redact_sql(pipeline.sql, SECRETS)


@settings(deadline=None)
@given(
    pieces=st.lists(PIECES, min_size=1, max_size=6),
    head=st.sampled_from(["", "-- owner: team:x\n", "/* s3cr3t */", "\n\n"]),
    end=st.sampled_from(["", ";", "\n;\n", " -- hunter2!", "\n/* s3cr3t */\n"]),
)
def test_any_text_shows_the_same(pieces: list[str], head: str, end: str) -> None:
    items = ", ".join(f"{piece} as c{number}" for number, piece in enumerate(pieces) if "--" not in piece) or "1 as c"
    where = " and ".join(piece for piece in pieces if "--" in piece or "=" in piece) or "true"
    sql = f"{head}create table s.t as\nselect {items} from s.u as t where {where}\n{end}"
    statement = parse(parse_pipeline("s.t", "s/t.sql", sql))
    assert shown(statement) == redact_sql(sql, SECRETS)
    assert not re.search("hunter2!|'s3cr3t", shown(statement))


def test_what_is_kept_of_it_is_the_same() -> None:
    sql = "create table s.t as select 's3cr3t' as a, 1 as b from s.u -- hunter2!\n"
    statement = parse(Pipeline("s.t", "s/t.sql", sql))
    kept = msgspec.msgpack.decode(
        msgspec.msgpack.encode(statement.guarded), type=tuple[tuple[int, int, bool], ...] | None
    )
    assert kept == statement.guarded
    assert shown(statement) == redact_sql(sql, SECRETS)
