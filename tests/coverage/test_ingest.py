"""An export into the store: every line counted, its window kept, what stays unknown named by line."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from governance.errors import HeadwaterError
from governance.queries.files import lines_of
from governance.queries.ingest import Export, Ingested, ingest
from governance.queries.model import Fate, Window
from governance.queries.store import QueryStore
from governance.report.page import page_text
from governance.report.queries import ingested_page

SCHEMA = {"crm.learners": {"learner_id": "bigint", "email": "varchar"}}
DAYS = ["2026-09-01T12:00:00+00:00", "2026-09-05T12:00:00+00:00"]
FIRST, LAST = (datetime.fromisoformat(day) for day in DAYS)


@pytest.fixture
def store(tmp_path: Path) -> QueryStore:
    return QueryStore(tmp_path / "queries")


def of(store: QueryStore, *rows: Any, **said: Any) -> Ingested:
    file = store.folder.parent / "log.ndjson"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return ingest(lines_of(file), Export(file.name, **said), SCHEMA, store)


def row(sql: str = "select email from crm.learners", day: int = 0, **rest: Any) -> dict[str, Any]:
    return {"time": DAYS[day], "user": "ann", "sql": sql} | rest


def test_every_line_is_counted_by_what_became_of_it(store: QueryStore) -> None:
    found = of(store, row(), row("selec ("), row("select x from y.z"), row("begin"), "{", row(day=1))

    assert found.fates == {Fate.COLUMNS: 2, Fate.UNREADABLE: 1, Fate.TABLES: 1, Fate.NOTHING: 1, Fate.MALFORMED: 1}
    assert (found.form, found.added, found.window) == ("plain", 4, Window(FIRST, LAST, "plain"))
    assert {fate: [line for line, _ in lines] for fate, lines in found.lines.items()} == {
        Fate.TABLES: [3],
        Fate.UNREADABLE: [2],
        Fate.MALFORMED: [5],
    }
    text = page_text(ingested_page(found))
    assert "log.ndjson: 6 lines of the form plain, of 2026-09-01 to 2026-09-05; 4 reads are new." in text
    assert "unreadable: line 2 (UnparsableSql" in text


def test_the_json_form(store: QueryStore) -> None:
    document = of(store, row(), "{").as_dict()

    assert document == {
        "file": "log.ndjson",
        "form": "plain",
        "lines": {
            "columns known": 1,
            "tables known, columns not": 0,
            "unreadable": 0,
            "reads no table": 0,
            "did not succeed": 0,
            "malformed line": 1,
        },
        "added": 1,
        "window": {"from": DAYS[0], "to": DAYS[0], "log": "plain"},
        "unknown": {
            "tables known, columns not": [],
            "unreadable": [],
            "malformed line": [{"line": 2, "reason": ""}],
        },
    }


def test_again_adds_nothing(store: QueryStore) -> None:
    rows = [row(), row(), row(day=1)]

    assert [of(store, *rows).added, of(store, *rows).added, of(store, *rows[1:]).added] == [3, 0, 0]


def test_quiet_hours_at_either_end_are_part_of_a_stated_window(store: QueryStore) -> None:
    start, end = datetime(2026, 8, 1, tzinfo=UTC), datetime(2026, 10, 1, tzinfo=UTC)

    of(store, row(), window=(start, end))

    assert store.read().window == Window(start, end, "plain")


def test_logs_of_one_form_are_kept_apart_by_name(store: QueryStore) -> None:
    of(store, row(), log="warehouse")
    of(store, row(day=1), log="replica")

    assert {window.log for window in store.read().windows} == {"warehouse", "replica"}


def test_lines_that_read_nothing_are_part_of_the_window(store: QueryStore) -> None:
    assert of(store, row("begin"), row(), row("commit", day=1)).window == Window(FIRST, LAST, "plain")


def test_a_window_that_ends_before_it_starts_is_an_error_and_keeps_nothing(store: QueryStore) -> None:
    with pytest.raises(HeadwaterError, match="would end on 2026-09-01, before it starts on 2026-10-01; give --from"):
        of(store, row(), window=(datetime(2026, 10, 1, tzinfo=UTC), None))

    assert store.read().reads == ()


def test_an_account_for_lines_that_name_none(store: QueryStore) -> None:
    of(store, row(user=""), row(user="bob"), user="etl")

    assert {read.user for read in store.read().reads} == {"etl", "bob"}


def test_a_schema_for_names_without_one(store: QueryStore) -> None:
    found = of(store, row("select email from learners"), row("select x from other"), default="crm")

    assert found.fates[Fate.COLUMNS] == 1
    assert {read.tables for read in store.read().reads} == {("crm.learners",), ("crm.other",)}


def test_another_dialect_than_the_exports_own(store: QueryStore) -> None:
    quoted = "select `email` from `crm`.`learners`"

    assert of(store, row(quoted), dialect="bigquery").fates == {Fate.COLUMNS: 1}


def test_a_form_can_be_named(store: QueryStore) -> None:
    strange = {
        "time": DAYS[0],
        "user": "ann",
        "sql": "begin",
        "query_text": "x",
        "user_name": "x",
        "start_time": DAYS[1],
    }

    assert of(store, strange).form == "snowflake"
    assert of(store, strange, form="plain").window == Window(FIRST, FIRST, "plain")


@pytest.mark.parametrize("lines", [[], ["{", "["]])
def test_a_file_without_a_whole_line_has_no_form_and_adds_nothing(store: QueryStore, lines: list[str]) -> None:
    found = of(store, *lines)

    assert (found.added, found.window, sum(found.fates.values())) == (0, None, len(lines))


def test_a_form_that_nobody_knows_is_an_error(store: QueryStore) -> None:
    with pytest.raises(HeadwaterError, match="no known form of query log"):
        of(store, {"when": 1})


def test_nothing_of_a_query_but_names_is_on_disk(store: QueryStore) -> None:
    of(
        store,
        row("select email from crm.learners where email = 'ann@example.com' and 'tok3n' <> ''"),
        row("selec 'tok3n"),
    )

    for file in store.folder.iterdir():
        assert b"tok3n" not in file.read_bytes()
        assert b"ann@example.com" not in file.read_bytes()
