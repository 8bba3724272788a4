"""From the landing file to the gold table and back: the example, built by the command and asked by the command."""

import subprocess
import tomllib

import pytest
from click.testing import CliRunner

from platform_assets import cli
from tests.examples.example import ORDERS, Example, completed, inputs, reached, sources, steps
from tests.examples.page import blocks, shown

CHAIN = ("gold.daily_revenue", "silver.orders", "bronze.orders", "landing/orders.csv")


def test_all_is_built_and_every_check_is_green(built: Example) -> None:
    said = built.headwater("check")
    assert said.exit_code == 0, said.output
    assert "ERROR" not in said.output
    assert "WARN" not in said.output


def test_check_warns_of_what_is_no_event(built: Example) -> None:
    torn = built.root / ".headwater" / "events" / "events-2020-01-01.ndjson"
    torn.write_text("torn\n", "utf-8")
    try:
        said = built.headwater("check")
    finally:
        torn.unlink()
    assert "warning: events-2020-01-01.ndjson:1" in said.stderr


def test_revenue_is_traced_to_one_column_of_one_file_in_four_hops(built: Example) -> None:
    trace = built.json("trace", "gold.daily_revenue.revenue")
    assert steps(trace) == [
        (0, "gold.daily_revenue.revenue", "derived"),
        (1, "silver.orders.amount", "pass-through"),
        (2, "bronze.orders.amount", "pass-through"),
        (3, "landing/orders.csv.amount", "source"),
    ]
    assert [hop["how"] for step in trace["steps"] for hop in step["by"]] == [
        "DIRECT AGGREGATION",
        "DIRECT IDENTITY",
        "DIRECT IDENTITY",
    ]
    (origin,) = trace["origins"]
    assert (origin["namespace"], origin["dataset"]) == ("file", "landing/orders.csv")
    assert built.said("trace", "gold.daily_revenue.revenue").endswith(
        "Sources, among the runs whose events were read: landing/orders.csv.amount\n"
    )


def test_the_country_comes_from_the_other_file_alone(built: Example) -> None:
    trace = built.json("trace", "gold.daily_revenue.country_code")
    assert [it[1] for it in steps(trace)] == [
        "gold.daily_revenue.country_code",
        "bronze.customers.country_code",
        "landing/customers.csv.country_code",
    ]
    assert [it["dataset"] for it in trace["origins"]] == ["landing/customers.csv"]


def test_the_rows_of_the_count_are_traced_to_the_file(built: Example) -> None:
    assert steps(built.json("trace", "gold.order_count.count")) == [(0, "gold.order_count.count", "source")]
    rows = built.said("trace", "gold.order_count", "--rows")
    assert "rows of silver.orders" in rows
    assert "landing/orders.csv" in rows


def test_a_file_is_called_one_and_no_table(built: Example) -> None:
    assert built.said("trace", "landing/orders.csv").splitlines()[0] == "landing/orders.csv  file"
    assert built.said("trace", "landing/payments/*.txt").splitlines()[0] == "landing/payments/*.txt  dataset of files"
    assert built.said("trace", "gold.order_count").splitlines()[0] == "gold.order_count  table"


def test_a_column_without_recorded_input_is_shown_as_such(built: Example) -> None:
    trace = built.json("trace", "gold.daily_revenue.margin")
    assert (steps(trace), trace["origins"]) == ([(0, "gold.daily_revenue.margin", "source")], [])
    said = built.said("trace", "gold.daily_revenue.margin")
    assert said.splitlines()[0] == "gold.daily_revenue.margin  source (no recorded input)"


def test_a_column_that_is_not_there_is_an_error_with_what_is(built: Example) -> None:
    said = built.headwater("trace", "gold.daily_revenue.revenu")
    assert said.exit_code == 1
    assert "gold.daily_revenue.revenue" in said.output


def test_a_change_of_the_customers_file_reaches_exactly_two_tables(built: Example) -> None:
    assert reached(built.json("impact", "landing/customers.csv")) == {"bronze.customers", "gold.daily_revenue"}


def test_a_change_of_the_orders_file_reaches_the_others_and_the_count_by_its_rows(built: Example) -> None:
    impact = built.json("impact", "landing/orders.csv")
    assert reached(impact) == {*CHAIN[:3], "gold.order_count"}
    assert "gold.order_count" not in {it["dataset"] for it in impact["values"]}
    assert [it["edges"] for it in impact["tables"] if it["dataset"] == "gold.order_count"] == [["ROWS"]]


def test_a_file_is_traced_by_one_of_its_columns_too(built: Example) -> None:
    impact = built.json("impact", "landing/customers.csv.country_code")
    assert {it["field"] for it in impact["values"]} == {
        "bronze.customers.country_code",
        "gold.daily_revenue.country_code",
    }


def test_what_did_not_fit_is_counted_and_kept(built: Example) -> None:
    complete = completed(built, "bronze.refunds")
    assert [it["name"] for it in complete["outputs"]] == ["bronze.refunds", "quarantine.bronze_refunds"]
    assert [it["outputFacets"]["outputStatistics"]["rowCount"] for it in complete["outputs"]] == [9, 3]
    statistics = complete["run"]["facets"]["headwater_statistics"]
    assert (statistics["recordsWritten"], statistics["recordsRejected"]) == (9, 3)


def test_a_kind_of_record_is_a_dataset_and_what_says_the_kind_stays_on_the_file(built: Example) -> None:
    complete = completed(built, "bronze.payments")
    assert inputs(complete) == ["landing/payments/*.txt", "landing/payments/*.txt#detail"]
    assert sources(complete, "cents") == [("landing/payments/*.txt#detail", "cents", "DIRECT IDENTITY")]
    assert sources(complete) == [("landing/payments/*.txt", "record_type", "INDIRECT FILTER")]


def test_the_kinds_of_a_file_are_inputs_in_declared_order(built: Example) -> None:
    assert inputs(completed(built, "bronze.payment_batches")) == [
        "landing/payments/*.txt",
        "landing/payments/*.txt#header",
        "landing/payments/*.txt#trailer",
    ]
    assert inputs(completed(built, "bronze.returns")) == [
        "landing/returns.csv",
        "landing/returns.csv#header",
        "landing/returns.csv#item",
    ]


def test_the_files_of_a_glob_are_told(built: Example) -> None:
    (base, _) = completed(built, "bronze.payments")["inputs"]
    told = [it["name"] for it in base["inputFacets"]["headwater_files"]["files"]]
    assert told == ["landing/payments/2026-09-01.txt", "landing/payments/2026-09-02.txt"]


def test_a_value_of_a_documents_header_is_a_field_of_the_document(built: Example) -> None:
    complete = completed(built, "bronze.settlements")
    assert inputs(complete) == ["landing/batch.json"]
    assert sources(complete, "settled_on") == [("landing/batch.json", "$doc.header.batch_date", "DIRECT IDENTITY")]
    assert sources(complete, "fee") == [("landing/batch.json", "fee", "DIRECT IDENTITY")]
    assert sources(complete) == [("landing/batch.json", "$doc.trailer.status", "INDIRECT FILTER")]


def test_xml_is_read_as_json_is(built: Example) -> None:
    complete = completed(built, "bronze.parcels")
    assert sources(complete, "parcel") == [("landing/manifest.xml", "parcel", "DIRECT IDENTITY")]
    assert sources(complete, "shipped_on") == [("landing/manifest.xml", "$doc.header.day", "DIRECT IDENTITY")]


def test_macros_and_views_collapse_to_what_they_read(built: Example) -> None:
    fees = completed(built, "gold.card_fees")
    assert inputs(fees) == ["bronze.payment_batches", "bronze.payments", "bronze.settlements"]
    assert sources(fees, "paid") == [("bronze.payments", "cents", "DIRECT AGGREGATION")]
    assert ("bronze.payments", "method", "INDIRECT FILTER") in sources(fees)
    silver = completed(built, "silver.payments")
    assert sources(silver, "net_amount") == [("bronze.payments", "cents", "DIRECT TRANSFORMATION")]


def test_an_included_pipeline_stands_in_place_of_its_table(built: Example) -> None:
    returned = completed(built, "gold.returned")
    assert inputs(returned) == ["bronze.payment_batches", "bronze.payments", "bronze.returns"]
    assert sources(returned, "paid") == [("bronze.payments", "cents", "DIRECT AGGREGATION")]


def test_a_template_is_read_as_what_it_renders(built: Example) -> None:
    methods = completed(built, "gold.payment_methods")
    assert inputs(methods) == ["silver.payments"]
    for method in ("card", "bank", "cash"):
        assert sources(methods, method) == [
            ("silver.payments", "amount", "DIRECT AGGREGATION"),
            ("silver.payments", "method", "INDIRECT FILTER"),
        ]


def test_personal_columns_of_a_file_are_proposed_as_such_downstream(built: Example) -> None:
    proposed = built.said("propose")
    line = next(it for it in proposed.splitlines() if it.startswith("bronze.customers.email"))
    assert line.split()[1:3] == ["personal", "personal"]
    assert "landing/customers.csv.email" in line


def test_the_lineage_of_a_file_is_that_of_its_pipeline(built: Example) -> None:
    folder = built.root / "platform_assets" / "pipelines"
    for table in ("bronze.settlements", "gold.card_fees", "gold.returned", "silver.payments"):
        (told,) = built.json("lineage", str(folder / f"{table.replace('.', '/')}.sql"))
        assert told["inputs"] == sorted(inputs(completed(built, table)))
    said = built.headwater("lineage", str(folder / "gold" / "payment_methods.sql.j2"))
    assert "card     derived       silver.payments.amount DIRECT AGGREGATION" in said.output


def test_a_misspelt_macro_is_refused_by_name_and_with_the_one_that_is_meant(fresh: Example) -> None:
    pipeline = fresh.root / "platform_assets" / "pipelines" / "gold" / "card_fees.sql"
    pipeline.write_text(pipeline.read_text().replace("paid_by(", "paid_bye("))
    said = fresh.headwater("lineage", str(pipeline))
    assert said.exit_code == 1
    assert "gold/card_fees.sql:7:6: paid_bye is no table function of DuckDB" in said.output
    assert "did you mean paid_by?" in said.output


def run(command: str) -> str:
    """What a command prints; one of headwater's is run in this process, which has started already."""
    program, *words = command.split()
    if program == "headwater":
        result = CliRunner().invoke(cli.main, words)
        assert result.exception is None or isinstance(result.exception, SystemExit), command
        return result.output
    done = subprocess.run(("bash", "-c", command), capture_output=True, text=True, check=True, timeout=600)
    return done.stdout


def test_every_command_prints_what_the_page_on_landing_files_shows(
    built: Example, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(built.root.parent)
    copy, first, *rest = shown()
    assert (copy.command, first.command) == ("cp -r examples/orders shop", "headwater --project shop run")
    assert first.agrees(built.said_first), built.said_first
    for it in rest:
        said = run(it.command)
        assert it.agrees(said), f"$ {it.command}\n{said}"
    (example,), (output,) = blocks("python"), blocks("text")
    capsys.readouterr()
    exec(compile(example, "landing.md", "exec"), {})  # noqa: S102  # the page's own text
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("text", blocks("sql"))
def test_the_sql_on_the_page_is_the_examples(text: str) -> None:
    files = [*ORDERS.rglob("*.sql"), *ORDERS.rglob("*.j2")]
    assert any(text.strip() in file.read_text() for file in files), text


@pytest.mark.parametrize("text", blocks("toml"))
def test_the_declaration_on_the_page_is_the_examples(text: str) -> None:
    declared = tomllib.loads((ORDERS / "platform_assets" / "sources.toml").read_text())
    for name, said in tomllib.loads(text).items():
        assert declared[name] == said
