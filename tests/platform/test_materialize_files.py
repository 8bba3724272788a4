"""One run over files as they landed: what is written, what is told, and what stops it before anything is written."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from governance.errors import CatalogError, HeadwaterError, LandingError, LineageError
from governance.project import Project
from platform_assets.engines.engine import Engine, QueryError
from platform_assets.iceberg.catalog import Catalog, Table, inventory, load
from platform_assets.loaded import load as load_project
from platform_assets.runs.repair import repair_events
from tests.events.official import complaints
from tests.platform.running import Landing, landing_project


@pytest.fixture
def landing(project: Project, catalog: Catalog, engine: Engine) -> Landing:
    return landing_project(project, catalog, engine)


@pytest.fixture
def validate() -> Callable[[dict[str, Any]], list[str]]:
    return complaints()


def test_a_file_becomes_a_table_and_the_events_say_so(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;ada@example.com\n2;bo@example.com\n")
    landing.run("bronze.people")
    assert landing.rows("bronze.people") == [
        {"id": 1, "mail": "ada@example.com", "source_file": "landing/people.csv"},
        {"id": 2, "mail": "bo@example.com", "source_file": "landing/people.csv"},
    ]
    assert landing.statistics == (2, 2, 0)
    (read,) = landing.complete["inputs"]
    assert (read["namespace"], read["name"]) == ("file", "landing/people.csv")
    facets = read["facets"]
    assert [it["name"] for it in facets["schema"]["fields"]] == ["id", "mail", "source_file"]
    assert facets["schema"]["fields"][1]["description"] == "Where to write to."
    assert (facets["datasetType"]["datasetType"], facets["storage"]["fileFormat"]) == ("FILE", "csv")
    files = read["inputFacets"]["headwater_files"]
    assert files["fileCount"] == 1
    assert [(it["name"], it["size"]) for it in files["files"]] == [("landing/people.csv", 43)]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 2
    (output,) = landing.complete["outputs"]
    mail = output["facets"]["columnLineage"]["fields"]["mail"]["inputFields"]
    assert [(it["namespace"], it["name"], it["field"]) for it in mail] == [("file", "landing/people.csv", "mail")]


def test_events_and_errors_name_no_path_of_the_machine(
    landing: Landing, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    landing.land("people.csv", "id;mail\n1;a\nx;b\n")
    landing.run("bronze.people")
    landing.land("people.csv", "mail\n1\n")
    with pytest.raises(HeadwaterError) as caught:
        landing.run("bronze.people", 1)
    assert str(landing.project.root) not in f"{caught.value}{json.dumps(landing.sent)}"
    assert [validate(event) for event in landing.sent] == [[]] * 4


def test_a_changed_shape_stops_the_run_before_anything_is_written(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;a\n")
    landing.run("bronze.people")
    before = load(landing.platform.catalog, "bronze.people").metadata_location
    landing.land("people.csv", "id;email\n1;a\n")
    with pytest.raises(LandingError, match=r"landing/people\.csv: .*mail"):
        landing.run("bronze.people", 1)
    assert landing.kinds == ["START", "COMPLETE", "START", "FAIL"]
    assert "email" in landing.sent[-1]["run"]["facets"]["errorMessage"]["message"]
    assert load(landing.platform.catalog, "bronze.people").metadata_location == before
    assert inventory(landing.platform.catalog) == {"bronze.people"}


def test_a_file_that_is_not_there_ends_in_fail(landing: Landing) -> None:
    with pytest.raises(LandingError, match=r"landing/people\.csv: there is no such file"):
        landing.run("bronze.people")
    assert landing.kinds == ["START", "FAIL"]
    assert inventory(landing.platform.catalog) == frozenset()


def test_a_pattern_without_a_match_is_an_error_to_a_table_that_is_made_of_all_files(landing: Landing) -> None:
    landing.pipeline("bronze.all", "create table bronze.all as select id from 'landing/orders/*.csv'")
    with pytest.raises(LandingError, match=r"landing/orders/\*\.csv: no file of such a name is there"):
        landing.run("bronze.all")
    assert landing.kinds == ["START", "FAIL"]


def test_what_cannot_be_read_as_a_file_ends_in_fail(landing: Landing) -> None:
    landing.land("people.csv/part.csv", "id;mail\n1;a\n")
    with pytest.raises(LandingError, match=r"landing/people\.csv: it is a folder"):
        landing.run("bronze.people")
    assert landing.kinds == ["START", "FAIL"]


def test_rows_that_do_not_fit_are_kept_counted_and_told(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;ada@example.com\nabc;bo@example.com\n")
    done = landing.run("bronze.people")
    assert [row["id"] for row in landing.rows("bronze.people")] == [1]
    (row,) = landing.rows("quarantine.bronze_people")
    assert (row["run_id"], row["dataset"], row["file"]) == (done.run_id, "landing/people.csv", "landing/people.csv")
    assert (row["line"], row["column"], row["row"]) == (3, "id", "abc;bo@example.com")
    assert "abc" in row["reason"]
    assert landing.statistics == (2, 1, 1)
    people, kept = landing.complete["outputs"]
    assert (people["name"], kept["name"]) == ("bronze.people", "quarantine.bronze_people")
    assert kept["facets"]["ownership"]["owners"][0]["name"] == "team:crm"
    assert kept["outputFacets"]["outputStatistics"]["rowCount"] == 1
    fields = kept["facets"]["columnLineage"]["fields"]
    assert [(it["name"], it["field"]) for it in fields["row"]["inputFields"]] == [
        ("landing/people.csv", "id"),
        ("landing/people.csv", "mail"),
        ("landing/people.csv", "source_file"),
    ]
    assert {it["transformations"][0]["subtype"] for it in fields["row"]["inputFields"]} == {"TRANSFORMATION"}
    assert fields["line"]["inputFields"] == []


@pytest.mark.parametrize("text", ["id;mail\n1;a\nDoe;b\nRoe;c\n", "id;mail\nDoe;b\n"])
def test_too_many_rejected_rows_or_all_of_a_file_stop_the_run_and_nothing_is_written(
    landing: Landing, text: str
) -> None:
    landing.land("people.csv", text)
    with pytest.raises(LandingError, match=r"landing/people\.csv: .* id \(\d\): .*string \*\*\* to") as caught:
        landing.run("bronze.people")
    assert landing.kinds == ["START", "FAIL"]
    assert "Doe" not in f"{caught.value}{json.dumps(landing.sent)}"
    assert inventory(landing.platform.catalog) == frozenset()


def test_an_options_of_the_query_goes_before_the_declared_one(landing: Landing) -> None:
    landing.pipeline(
        "bronze.people",
        "create table bronze.people as\n"
        "select id from read_csv(\n  'landing/people.csv',\n  delim = '|'\n) p where p.id > 1",
    )
    landing.land("people.csv", "id|mail\n1|a\n2|b\n")
    landing.run("bronze.people")
    assert landing.rows("bronze.people") == [{"id": 2}]


def test_kinds_of_record_are_read_and_told_after_their_file(landing: Landing) -> None:
    landing.land("pay.txt", "H007\nD00700100\nD00700250\n")
    landing.pipeline("bronze.pay", "create table bronze.pay as select d.batch, d.cents from 'landing/pay.txt#detail' d")
    landing.run("bronze.pay")
    assert landing.rows("bronze.pay") == [{"batch": 7, "cents": 100}, {"batch": 7, "cents": 250}]
    assert [it["name"] for it in landing.complete["inputs"]] == ["landing/pay.txt", "landing/pay.txt#detail"]
    landing.pipeline("bronze.pay", "create table bronze.pay as select record_type, batch, cents from 'landing/pay.txt'")
    landing.run("bronze.pay", 1)
    assert [it["name"] for it in landing.complete["inputs"]] == [
        "landing/pay.txt",
        "landing/pay.txt#header",
        "landing/pay.txt#detail",
    ]
    base, *kinds = landing.complete["inputs"]
    assert base["inputFacets"]["headwater_files"]["fileCount"] == 1
    assert [[*it["inputFacets"]] for it in kinds] == [[], []]
    (batch,) = [landing.complete["outputs"][0]["facets"]["columnLineage"]["fields"]["batch"]["inputFields"]]
    assert [it["name"] for it in batch] == ["landing/pay.txt#detail", "landing/pay.txt#header"]


def test_rows_of_tables_and_of_files_add_up(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;a\n2;b\n")
    landing.run("bronze.people")
    landing.land("orders/1.csv", "id,amount\n1,2.50\n2,3.00\n3,1.00\n")
    landing.pipeline(
        "silver.paid",
        "create table silver.paid as\n"
        "select p.mail, o.amount from bronze.people p join 'landing/orders/*.csv' o using (id)",
    )
    landing.run("silver.paid")
    assert landing.rows("silver.paid") == [
        {"mail": "a", "amount": Decimal("2.50")},
        {"mail": "b", "amount": Decimal("3.00")},
    ]
    assert landing.statistics == (5, 2, 0)


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ("'landing/poeple.csv'", r"bronze/x\.sql:2:\d+: no source declares landing/poeple\.csv; did you mean .*people"),
        ("'landing/pay.txt#trailer'", r"landing/pay\.txt has no kind of record trailer"),
        ("read_json('landing/people.csv')", r"bronze/x\.sql:2: landing/people\.csv is declared as csv"),
    ],
)
def test_what_is_not_declared_is_not_read(landing: Landing, read: str, words: str) -> None:
    landing.land("people.csv", "id;mail\n1;a\n")
    landing.pipeline("bronze.x", f"create table bronze.x as\nselect id from {read}")
    with pytest.raises(LineageError, match=words):
        landing.run("bronze.x")
    assert landing.kinds == ["START", "FAIL"]


def test_macros_and_views_read_files_too(landing: Landing) -> None:
    blocks = landing.project.root / "platform_assets" / "blocks"
    blocks.mkdir(parents=True)
    (blocks / "people.sql").write_text(
        "create macro domain(mail) as split_part(mail, '@', 2);\n"
        "create view staging.people as select id, domain(mail) as domain from 'landing/people.csv';\n",
        "utf-8",
    )
    landing.pipeline("bronze.people", "create table bronze.people as select domain from staging.people where id > 1")
    landing.land("people.csv", "id;mail\n1;ada@a.example\n2;bo@b.example\nx;cy@c.example\n")
    landing.run("bronze.people")
    assert landing.rows("bronze.people") == [{"domain": "b.example"}]
    assert landing.statistics == (3, 1, 1)
    (domain,) = landing.complete["outputs"][0]["facets"]["columnLineage"]["fields"]["domain"]["inputFields"]
    assert (domain["namespace"], domain["name"], domain["field"]) == ("file", "landing/people.csv", "mail")


def test_an_error_of_the_engine_points_into_the_template(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;ada@example.com\n")
    (landing.project.pipelines[0] / "bronze" / "people.sql").unlink()
    lines = (
        "{% set one = 1 %}",
        "{% set two = 2 %}",
        "create table bronze.people as",
        "select cast(mail as bigint) + {{ one }} as n",
        "from 'landing/people.csv'",
    )
    template = landing.project.pipelines[0] / "bronze" / "people.sql.j2"
    template.write_text("\n".join(lines), "utf-8")
    with pytest.raises(QueryError) as caught:
        landing.run("bronze.people")
    assert (caught.value.file, caught.value.line) == ("platform_assets/pipelines/bronze/people.sql.j2", 4)
    assert "ada@" not in str(caught.value)


def test_a_file_that_changes_while_it_is_read_is_not_taken(landing: Landing) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n")
    grown = landing.meanwhile(lambda: landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n2,1.00\n"))
    with pytest.raises(LandingError, match=r"landing/orders/1\.csv: the file changed while it was read"):
        grown.run("bronze.orders")
    assert inventory(landing.platform.catalog) == frozenset()
    landing.run("bronze.orders", 1)
    assert landing.statistics == (3, 2, 1)
    assert landing.kinds == ["START", "FAIL", "START", "COMPLETE"]


def test_what_a_run_rejected_that_failed_afterwards_stays_under_its_id(
    landing: Landing, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing.land("orders/1.csv", "id,amount\n1,1.00\nx,1.00\n")
    real = type(landing.platform.catalog).commit_table

    def down(catalog: Catalog, table: Table, *rest: Any) -> Any:
        if table.name()[0] == "bronze":
            raise ConnectionError("the catalog is gone")
        return real(catalog, table, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(type(landing.platform.catalog), "commit_table", down)
        with pytest.raises(CatalogError, match="the catalog is gone"):
            landing.run("bronze.orders")
    assert landing.kinds == ["START", "FAIL"]
    failed = landing.sent[-1]["run"]["runId"]
    done = landing.run("bronze.orders", 1)
    assert [row["run_id"] for row in landing.rows("quarantine.bronze_orders")] == sorted((failed, done.run_id))
    assert landing.statistics == (2, 1, 1)
    kept = landing.complete["outputs"][1]["outputFacets"]["outputStatistics"]
    assert kept["rowCount"] == 1


def test_a_lost_complete_is_rebuilt_with_files_and_rejected_rows(
    landing: Landing, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    landing.land("people.csv", "id;mail\n1;a\nx;b\n")
    done = landing.run("bronze.people")
    (log,) = landing.platform.store.files()
    start, complete = log.read_text("utf-8").splitlines()
    log.write_text(f"{start}\n", "utf-8")
    (repaired,) = repair_events(load_project(landing.project))
    assert repaired.problem == ""
    rebuilt, lost = landing.complete, json.loads(complete)
    assert rebuilt["run"]["runId"] == done.run_id
    assert validate(rebuilt) == []
    assert [it["name"] for it in rebuilt["outputs"]] == ["bronze.people", "quarantine.bronze_people"]
    for now, before in zip(rebuilt["outputs"], lost["outputs"], strict=True):
        assert now["facets"]["columnLineage"] == before["facets"]["columnLineage"]
        assert now["facets"]["version"] == before["facets"]["version"]
        assert now["outputFacets"]["outputStatistics"]["rowCount"] == 1
    (read,) = rebuilt["inputs"]
    assert (read["namespace"], read["name"]) == ("file", "landing/people.csv")
    assert read["facets"] == lost["inputs"][0]["facets"]
    # which files it were, only the run itself knew
    assert read["inputFacets"] == {}


def test_a_killed_run_that_had_only_kept_what_it_rejected_is_not_complete(landing: Landing) -> None:
    landing.land("people.csv", "id;mail\n1;a\nx;b\n")
    landing.run("bronze.people")
    (log,) = landing.platform.store.files()
    log.write_text(log.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    landing.platform.catalog.drop_table("bronze.people")
    assert repair_events(load_project(landing.project)) == ()
    assert landing.kinds == ["START"]
