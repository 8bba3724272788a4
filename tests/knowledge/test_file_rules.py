"""What people declare of files counts in the files' own namespace, and what runs reject has a table of its own."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from governance.classification import propose
from governance.consumers.asked import asked
from governance.consumers.declared import Declarations, Declared
from governance.consumers.find import consumers_of
from governance.dataset import Dataset, Field
from governance.errors import HeadwaterError
from governance.events.model import Event
from governance.graph import Graph, graph_of
from governance.impact.facts import facts_of
from governance.landing.names import quarantine_of
from governance.policy import Declassified, Policy
from governance.queries.model import QueryLog
from governance.rules import RULES, Head, Known, check
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs

PolicyOf = Callable[..., Policy]
Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]

NOW = datetime(2026, 10, 1, 8, tzinfo=UTC)
ORDERS, DETAIL, BATCH = "landing/orders.csv", "landing/payments.txt#detail", "landing/batch.json"
FILES = dict.fromkeys((ORDERS, "landing/payments.txt", DETAIL, BATCH), "file")
DATE = "$doc.header.batch_date"
COLUMNS = {
    ORDERS: frozenset({"id", "mail"}),
    DETAIL: frozenset({"cents"}),
    "landing/payments.txt": frozenset({"record_type"}),
    BATCH: frozenset({"id", DATE}),
}
BY_NAME = {rule.name: rule for rule in RULES}


@pytest.fixture
def landed(policy_of: PolicyOf) -> Callable[..., Policy]:
    """A policy of a project that declares files."""

    def make(classes: dict[str, str], files: dict[str, str] = FILES, **rest: Any) -> Policy:
        policy = policy_of(classes, **rest)
        return replace(policy, lineage=replace(policy.lineage, files=files))

    return make


@pytest.fixture
def written(event: Say, output: Shape) -> Callable[..., Event]:
    """A COMPLETE of a job that reads files: ``written("bronze.orders", "mail: landing/orders.csv.mail IDENTITY")``."""

    def make(table: str, *lines: str, job: str = "", state: str = "COMPLETE") -> Event:
        told = output(table, *lines)
        lineage = told["facets"]["columnLineage"]
        parts = [*lineage["dataset"], *(it for field in lineage["fields"].values() for it in field["inputFields"])]
        for it in parts:
            name = f"{it['name']}.{it['field']}"
            own = max((file for file in FILES if name.startswith(f"{file}.")), key=len, default="")
            if own:
                it.update(namespace="file", name=own, field=name.removeprefix(f"{own}."))
        read = {(it["namespace"], it["name"]) for it in parts}
        reads = [{"namespace": namespace, "name": name} for namespace, name in sorted(read)]
        return event(state, job or table, reads=reads, writes=[told])

    return make


@pytest.fixture
def known(landed: Callable[..., Policy]) -> Callable[..., Known]:
    def make(events: Iterable[Event], policy: Policy | None = None, **rest: Any) -> Known:
        runs = read_runs(events)
        whole = {
            "policy": policy or landed({}),
            "graph": graph_of(runs),
            "runs": {run.run_id: run for run in runs},
            "ended": (),
            "inventory": frozenset({"bronze.orders"}),
            "sources": frozenset(FILES),
            "pipelines": frozenset({"bronze.orders"}),
            "unreadable": {},
            "silenced": None,
            "now": NOW,
            "columns": COLUMNS,
            "rules": frozenset(BY_NAME),
        }
        return Known(**whole | rest)

    return make


def found(name: str, facts: Known) -> tuple[Finding, ...]:
    return check(BY_NAME[name], facts).findings


def of(graph: Graph, policy: Policy, name: str) -> str | None:
    return {str(field): it.classification for field, it in propose(graph, policy).items()}[name]


@pytest.mark.parametrize(
    ("source", "said"),
    [(f"{ORDERS}.mail", "mail"), (f"{DETAIL}.cents", "cents"), (f"{BATCH}.{DATE}", DATE)],
)
def test_a_personal_column_of_a_file_makes_an_understated_column_red(
    known: Callable[..., Known], landed: Callable[..., Policy], written: Callable[..., Event], source: str, said: str
) -> None:
    events = [written("bronze.orders", f"x: {source} IDENTITY")]
    policy = landed({"bronze.orders.x": "internal"})
    tables = dict(policy.tables)
    declared = landed({"a.b.c": "personal"}).tables["a.b"]
    tables[source.removesuffix(f".{said}")] = replace(declared, columns={said: declared.columns["c"]})

    (finding,) = found("understated_classification", known(events, replace(policy, tables=tables)))

    assert (finding.severity, finding.table, finding.column) == (Severity.ERROR, "bronze.orders", "x")
    assert finding.message == f"declared internal, lineage proposes personal, from {source} (DIRECT IDENTITY)"


def test_what_is_declared_of_a_file_is_not_of_its_namesake_elsewhere(
    landed: Callable[..., Policy], written: Callable[..., Event]
) -> None:
    graph = graph_of(read_runs([written("bronze.orders", f"x: {ORDERS}.mail IDENTITY")]))
    classes = {f"{ORDERS}.mail": "personal"}

    assert of(graph, landed(classes), "bronze.orders.x") == "personal"
    assert of(graph, landed(classes, {**FILES, ORDERS: "s3://other"}), "bronze.orders.x") is None


def test_an_edge_out_of_a_file_can_be_declassified(
    known: Callable[..., Known], landed: Callable[..., Policy], written: Callable[..., Event]
) -> None:
    events = [written("bronze.orders", f"x: {ORDERS}.mail TRANSFORMATION")]
    word = Declassified(
        f"{ORDERS}.mail", "bronze.orders.x", "internal", "hashed", "dpo@example.com", date(2026, 12, 31)
    )
    policy = landed({f"{ORDERS}.mail": "personal", "bronze.orders.x": "internal"}, declassified=(word,))

    assert found("understated_classification", known(events, policy)) == ()
    columns = {**COLUMNS, "bronze.orders": frozenset({"x"})}
    assert found("unmatched_policy", known(events, policy, columns=columns)) == ()


def test_columns_of_files_are_asked_for_their_class(
    known: Callable[..., Known], landed: Callable[..., Policy], written: Callable[..., Event]
) -> None:
    facts = known([written("bronze.orders", f"x: {ORDERS}.mail IDENTITY")], landed({f"{ORDERS}.mail": "personal"}))

    without = {(it.table, it.column) for it in found("undeclared_metadata", facts) if it.table in FILES}

    assert without == {
        (ORDERS, "id"),
        (DETAIL, "cents"),
        ("landing/payments.txt", "record_type"),
        (BATCH, "id"),
        (BATCH, DATE),
    }
    (dated,) = [it for it in found("undeclared_metadata", facts) if it.column == DATE]
    assert f'columns."{DATE}" = {{ classification = "…" }} under ["{BATCH}"]' in dated.fix


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"landing/ordres.csv.mail": "personal"}, f'did you mean ["{ORDERS}"]?'),
        ({f"{ORDERS}.male": "personal"}, "did you mean columns.mail?"),
        ({f"{ORDERS}.mail": "personal"}, ""),
    ],
)
def test_a_misspelt_file_or_column_of_one_is_told(
    known: Callable[..., Known], landed: Callable[..., Policy], declared: dict[str, str], said: str
) -> None:
    findings = found("unmatched_policy", known([], landed(declared)))
    assert [said in it.fix for it in findings] == ([True] if said else [])


def test_a_file_is_no_table_that_the_catalog_lost(known: Callable[..., Known], written: Callable[..., Event]) -> None:
    events = [written("bronze.orders", f"x: {ORDERS}.mail IDENTITY")]
    same = dict.fromkeys(FILES, "iceberg://platform")

    assert found("stale_lineage", known(events)) == ()
    assert found("unaccounted_table", known(events)) == ()
    assert known(events).policy.lineage.in_catalog(Dataset("iceberg://platform", "a.b"))
    assert not replace(known(events).policy.lineage, files=same).in_catalog(Dataset("iceberg://platform", ORDERS))


def test_files_that_are_declared_no_more_and_no_run_since_left_are_told(
    known: Callable[..., Known], landed: Callable[..., Policy], event: Say, output: Shape
) -> None:
    told = {"inputFacets": {"headwater_files": {"fileCount": 1, "files": [{"name": ORDERS}]}}}
    reads = [{"namespace": "file", "name": ORDERS, **told}]
    events = [event("COMPLETE", "bronze.orders", reads=reads, writes=[output("bronze.orders", "x:")])]
    gone = {name: at for name, at in FILES.items() if name != ORDERS}

    (finding,) = found("stale_lineage", known(events, landed({}, gone)))

    assert (finding.table, finding.severity) == (ORDERS, Severity.WARN)
    assert "reads these files (bronze.orders), and sources.toml declares no such dataset any more" in finding.message
    assert found("stale_lineage", known(events)) == ()
    assert len(found("stale_lineage", known(events, landed({}, {**gone, ORDERS: "s3://elsewhere"})))) == 1
    # a pipeline that still reads them cannot be read, which is told of it
    broken = {"bronze.orders": HeadwaterError("no source declares it", fix="declare it")}
    assert found("stale_lineage", known(events, landed({}, gone), unreadable=broken)) == ()


def quarantined(written: Callable[..., Event], state: str = "COMPLETE") -> list[Event]:
    kept = written(quarantine_of("bronze.orders"), f"row: {ORDERS}.mail TRANSFORMATION", "line:", state=state)
    return [written("bronze.orders", f"x: {ORDERS}.mail IDENTITY"), kept]


def test_rejected_rows_are_accounted_for_by_the_run_that_kept_them(
    known: Callable[..., Known], landed: Callable[..., Policy], written: Callable[..., Event]
) -> None:
    table = quarantine_of("bronze.orders")
    tables = {"inventory": frozenset({"bronze.orders", table}), "sources": frozenset[str]()}
    policy = landed({f"{ORDERS}.mail": "personal", "bronze.orders.x": "personal"}, owners={"bronze.orders": "team:x"})
    facts = known(quarantined(written), policy, **tables)

    assert found("unaccounted_table", facts) == ()
    # what its rows hold is asked for, where they lie is Headwater's own, and they are their pipeline's owner's
    assert [(it.table, it.column) for it in found("undeclared_metadata", facts)] == [(table, "row")]

    failed = known(quarantined(written, "FAIL"), policy, **tables)
    (finding,) = found("unaccounted_table", failed)
    assert finding.severity is Severity.WARN
    assert finding.fix.startswith("build bronze.orders, whose runs rejected these rows")


@pytest.mark.parametrize("state", ["COMPLETE", "FAIL"])
def test_rejected_rows_are_told_however_their_run_ended(
    known: Callable[..., Known], written: Callable[..., Event], state: str
) -> None:
    table = quarantine_of("bronze.orders")
    earlier = written(table, f"row: {ORDERS}.mail TRANSFORMATION", job="earlier")
    head = Head("77", NOW - timedelta(hours=1), f"run of {table}")
    inventory = frozenset({"bronze.orders", table})
    facts = known([earlier, *quarantined(written, state)], inventory=inventory, heads={table: head})

    assert [it for it in found("stale_lineage", facts) if "snapshot" in it.message] == []


def test_consumers_may_read_files(
    known: Callable[..., Known], landed: Callable[..., Policy], written: Callable[..., Event]
) -> None:
    dotted = {**FILES, "landing/orders.csv.gz": "file"}
    reads = (f"{ORDERS}.mail", "landing/orders.csv.gz.mail", f"{BATCH}.{DATE}", "a.b.c")
    reader = Declared("mailing", "application", reads, criticality="high", files=frozenset(dotted))
    assert reader.tables == {ORDERS, "landing/orders.csv.gz", BATCH, "a.b"}

    facts = known(
        [written("bronze.orders", f"x: {ORDERS}.mail IDENTITY")],
        landed({}, dotted, owners={ORDERS: "team:shop"}),
        declarations=Declarations((reader,)),
        sources=frozenset(dotted),
    )
    means = asked(f"{BATCH}.{DATE}", facts.records)
    assert means == Field(Dataset("file", BATCH), DATE)
    assert [it.name for it in consumers_of(means, facts.records, NOW).consumers] == ["mailing"]
    names = [it.name for it in consumers_of(Dataset("file", ORDERS), facts.records, NOW).consumers]
    assert sorted(names) == ["bronze.orders", "mailing"]
    told = facts_of(facts.graph, facts.policy, facts.declarations, QueryLog())
    assert told.owners[Dataset("file", ORDERS)] == "team:shop"
    assert told.criticality[Dataset("file", ORDERS)] == "high"
    with pytest.raises(HeadwaterError):
        asked(f"{BATCH}.$doc.header.other", facts.records)

    assert [it.table for it in found("unmatched_policy", facts)] == ["a.b"]
