"""The rules about stale lineage, dangling runs, coverage and consumers: what each finds, says and lets pass."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from governance.consumers.declared import Declarations, Declared
from governance.events.model import Event
from governance.events.run import Attempt
from governance.graph import build_graph
from governance.policy import ExternalJob, Policy
from governance.queries.model import QueryLog, QueryRead, Window
from governance.rules import RULES, EndedAttempt, Head, Known, check
from governance.rules.finding import Finding, Severity
from governance.runs import read_runs

Read = Callable[..., QueryRead]
Tell = Callable[..., Known]

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
RUN_ENDED = datetime(2026, 8, 30, 2, tzinfo=UTC)
BY_NAME = {rule.name: rule for rule in RULES}
FLOW = "w.t: src.payments -> w.t a<src.payments.a"


@pytest.fixture
def known(flows: Callable[[str], tuple[Event, ...]], policy: Policy) -> Tell:
    def make(text: str = "", events: tuple[Event, ...] = (), **rest: Any) -> Known:
        told = (*flows(text), *events)
        whole = {
            "policy": policy,
            "graph": build_graph(told),
            "runs": {run.run_id: run for run in read_runs(told)},
            "ended": (),
            "inventory": frozenset({"src.payments", "w.t"}),
            "sources": frozenset({"src.payments"}),
            "pipelines": frozenset({"w.t"}),
            "unreadable": {},
            "silenced": None,
            "now": NOON,
        }
        return Known(**whole | rest)

    return make


def found(name: str, known: Known) -> tuple[Finding, ...]:
    return check(BY_NAME[name], known).findings


def event(state: str, at: datetime, run: str = "r", job: str = "w.t", snapshot: str | None = None) -> Event:
    version = {"version": {"datasetVersion": snapshot}} if snapshot else {}
    raw = {
        "eventType": state,
        "eventTime": at.isoformat(),
        "run": {"runId": run},
        "job": {"namespace": "headwater", "name": job},
        "inputs": [{"namespace": "iceberg://platform", "name": "src.payments"}],
        "outputs": [{"namespace": "iceberg://platform", "name": "w.t", "facets": version}],
    }
    return msgspec.convert(raw, Event)


def written(snapshot: str = "7", run: str = "r", at: datetime = RUN_ENDED) -> Event:
    return event("COMPLETE", at, run, snapshot=snapshot)


def test_a_table_written_past_its_lineage_is_stale(known: Tell) -> None:
    head = Head("8", RUN_ENDED + timedelta(hours=1))

    (finding,) = found("stale_lineage", known(events=(written(),), heads={"w.t": head}))

    assert (finding.table, finding.severity) == ("w.t", Severity.ERROR)
    assert finding.message == (
        "its snapshot 8 of 2026-08-30 03:00 UTC was written by no run that events tell of; "
        "its lineage is of snapshot 7 that ended 2026-08-30 02:00 UTC"
    )
    assert "make it send events" in finding.fix


@pytest.mark.parametrize(
    "head",
    [Head("7", RUN_ENDED), Head("6", RUN_ENDED), Head("9", RUN_ENDED + timedelta(days=1), "r")],
    ids=["the latest", "rolled back to an earlier one", "a snapshot of a run that completed"],
)
def test_a_snapshot_that_some_complete_tells_of_is_not_stale(known: Tell, head: Head) -> None:
    events = (written("6", "earlier", RUN_ENDED - timedelta(days=1)), written())

    assert found("stale_lineage", known(events=events, heads={"w.t": head})) == ()


@pytest.mark.parametrize(("minutes", "count"), [(5, 0), (15, 1)])
def test_where_events_tell_no_snapshot_the_clock_decides_with_a_margin(known: Tell, minutes: int, count: int) -> None:
    head = Head("8", RUN_ENDED + timedelta(minutes=minutes))

    assert len(found("stale_lineage", known(FLOW, heads={"w.t": head}))) == count


def test_what_a_run_under_way_has_committed_is_not_stale(known: Tell) -> None:
    head = Head("8", NOON)
    start = event("START", NOON - timedelta(hours=1), "going on")

    assert found("stale_lineage", known(events=(written(), start), heads={"w.t": head})) == ()
    abandoned = event("START", NOON - timedelta(hours=25), "dead")
    assert len(found("stale_lineage", known(events=(written(), abandoned), heads={"w.t": head}))) == 1


def test_what_missing_run_tells_is_not_told_twice(known: Tell) -> None:
    ended = EndedAttempt(Attempt("w.t", NOON, "d" * 8, 0), "w.t", "SUCCESS")
    facts = known(events=(written(),), heads={"w.t": Head("8", NOON)}, ended=(ended,))

    assert found("stale_lineage", facts) == ()
    assert len(found("missing_run", facts)) == 1


def test_a_table_without_lineage_is_unaccounted_and_not_stale(known: Tell) -> None:
    assert found("stale_lineage", known(heads={"w.t": Head("8", NOON)})) == ()


def test_lineage_of_a_table_that_is_gone_is_stale_and_warned_of(known: Tell) -> None:
    sources = frozenset({"src.payments"})
    (finding,) = found("stale_lineage", known(FLOW, inventory=sources, pipelines=frozenset()))

    assert (finding.severity, finding.table) == (Severity.WARN, "w.t")
    assert finding.message == (
        "its lineage of 2026-08-30 02:00 UTC stands, and the catalog has no such table: it was dropped or renamed"
    )
    (finding,) = found("stale_lineage", known(FLOW, inventory=sources))
    assert finding.fix == "build it again by its pipeline, or remove the pipeline"


def test_a_source_that_is_gone_is_stale_and_warned_of(known: Tell) -> None:
    (finding,) = found("stale_lineage", known(f"{FLOW}\nw.t: x.y -> w.t b<x.y.b", inventory=frozenset({"w.t", "x.y"})))

    assert (finding.severity, finding.table) == (Severity.WARN, "src.payments")
    assert finding.message == (
        "lineage of 2026-08-30 02:00 UTC reads it (w.t), and the catalog has no such table: it was dropped or renamed"
    )


def test_a_table_that_says_it_was_dropped_is_no_finding(known: Tell) -> None:
    raw = msgspec.to_builtins(event("COMPLETE", NOON - timedelta(days=1), "drop", "dba"))
    raw["outputs"][0]["facets"] = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    dropped = msgspec.convert(raw, Event)

    inventory = frozenset({"src.payments"})
    assert found("stale_lineage", known(events=(written(), dropped), inventory=inventory)) == ()


def test_a_table_made_while_the_rule_looked_is_not_gone(known: Tell) -> None:
    just_now = known(events=(written(at=NOON),), inventory=frozenset())

    assert found("stale_lineage", just_now) == ()


def test_lineage_of_code_that_is_gone_is_stale(known: Tell, policy: Policy) -> None:
    two = f"{FLOW}\nold.job: src.payments -> w.t a<src.payments.a"

    (finding,) = found("stale_lineage", known(two))

    assert "job old.job wrote it, and there is no such pipeline any more" in finding.message
    elsewhere = replace(policy, external_jobs=(ExternalJob("headwater", "old.job", timedelta(days=1)),))
    assert found("stale_lineage", known(two, policy=elsewhere)) == ()


def test_a_run_without_end_dangles_after_a_day(known: Tell) -> None:
    start = event("START", NOON - timedelta(hours=25))

    (finding,) = found("dangling_run", known(events=(start,)))

    assert (finding.severity, finding.table, finding.decided_by) == (Severity.ERROR, "w.t", "run r")
    assert (
        finding.message
        == "job w.t is ABANDONED: it began at 2026-08-31 11:00 UTC and has sent neither an end nor a sign of life "
        "for more than 24 hours"
    )
    assert found("dangling_run", known(events=(event("START", NOON - timedelta(hours=23)),))) == ()


def test_the_time_it_may_take_is_a_setting(known: Tell, policy: Policy) -> None:
    start = event("START", NOON - timedelta(hours=5))

    assert (
        len(found("dangling_run", known(events=(start,), policy=replace(policy, dangling_after=timedelta(hours=4)))))
        == 1
    )


def test_a_stream_that_reports_does_not_dangle(known: Tell) -> None:
    events = (event("START", NOON - timedelta(days=9)), event("RUNNING", NOON - timedelta(hours=1)))

    assert found("dangling_run", known(events=events)) == ()


def test_a_dangling_run_with_a_success_after_it_is_a_warning(known: Tell) -> None:
    events = (event("START", NOON - timedelta(days=3)), event("COMPLETE", NOON - timedelta(days=1), "later"))

    (finding,) = found("dangling_run", known(events=events))

    assert finding.severity is Severity.WARN
    assert finding.message.endswith("; a later run of the job has completed")


@pytest.mark.parametrize("state", ["COMPLETE", "FAIL", "ABORT"])
def test_a_run_that_ended_does_not_dangle(known: Tell, state: str) -> None:
    began = NOON - timedelta(days=3)

    assert found("dangling_run", known(events=(event("START", began), event(state, began)))) == ()


def test_a_dangling_attempt_that_the_scheduler_saw_end_is_missing_runs(known: Tell) -> None:
    ended = EndedAttempt(Attempt("w.t", NOON, "d" * 8, 0), "w.t", "FAILURE")
    start = event("START", NOON - timedelta(days=3), ended.attempt.run_id)

    assert found("dangling_run", known(events=(start,), ended=(ended,))) == ()


def demanding(policy: Policy, **least: float) -> Policy:
    return replace(policy, coverage=MappingProxyType(least))


def test_coverage_is_demanded_of_nobody_by_default(known: Tell) -> None:
    assert found("coverage_below_threshold", known(inventory=frozenset({"x.x"}))) == ()


def test_coverage_below_its_threshold_is_red_on_the_platform(known: Tell, policy: Policy) -> None:
    facts = known(FLOW, inventory=frozenset({"w.t", "src.payments", "x.x"}), policy=demanding(policy, nodes=0.9))

    (finding,) = found("coverage_below_threshold", facts)

    assert (finding.table, finding.severity) == ("iceberg://platform", Severity.ERROR)
    assert finding.message == (
        "tables of the catalog that lineage has: 2 of 3, 66.7%, below the 90% of nodes in governance/lineage.toml; "
        "missing above all x.x"
    )
    assert found("coverage_below_threshold", known(FLOW, policy=demanding(policy, nodes=1.0, columns=1.0))) == ()


def test_what_is_demanded_and_not_measured_is_red(known: Tell, policy: Policy) -> None:
    (finding,) = found("coverage_below_threshold", known(FLOW, policy=demanding(policy, edges=0.8)))

    assert "explains: not measured, below the 80% of edges" in finding.message
    assert "ingest a query log" in finding.fix


def logged(*reads: QueryRead) -> QueryLog:
    return QueryLog(reads, (Window(NOON - timedelta(days=90), NOON),))


def test_edges_below_their_threshold_name_the_reads(known: Tell, policy: Policy, read: Read) -> None:
    facts = known(FLOW, log=logged(read("ann", "w.t")), policy=demanding(policy, edges_by_reads=0.5))

    (finding,) = found("coverage_below_threshold", facts)

    assert "explains, weighted by reads: 0 of 1, 0.0%, below the 50%" in finding.message
    assert finding.message.endswith("missing above all ann on w.t")
    assert finding.decided_by == "query log of 2026-06-03 to 2026-09-01"


def test_a_reader_that_nobody_knows_is_warned_of_on_its_table(known: Tell, read: Read) -> None:
    reads = (read("ann", "src.payments"), read("ann", "src.payments"), read("w.t", "src.payments"), read("ann", "x.x"))

    (finding,) = found("unregistered_consumer", known(FLOW, log=logged(*reads)))

    assert (finding.table, finding.severity) == ("src.payments", Severity.WARN)
    assert finding.message == (
        "ann read it 2 times, last on 2026-09-01, and neither lineage nor a declaration knows of it"
    )
    assert finding.fix == ("the owner team:billing asks ann what for, and declares it in governance/consumers.toml")


def test_a_shared_account_is_to_be_resolved(known: Tell, read: Read) -> None:
    shared = Declarations(shared_accounts=("svc_*",))

    (finding,) = found("unregistered_consumer", known(log=logged(read("svc_bi", "w.t")), declarations=shared))

    assert "many read through that account" in finding.fix
    assert "declares it by its tag" in finding.fix


def test_a_declared_reader_is_no_finding(known: Tell, read: Read) -> None:
    sheet = Declarations((Declared("Sheet", "spreadsheet", ("w.t",), accounts=("ann",)),))

    assert found("unregistered_consumer", known(log=logged(read("ann", "w.t")), declarations=sheet)) == ()


def test_without_logs_nobody_is_unregistered(known: Tell) -> None:
    assert found("unregistered_consumer", known(FLOW)) == ()


def test_the_window_of_the_log_is_the_evidence(known: Tell, read: Read) -> None:
    (finding,) = found("unregistered_consumer", known(log=logged(read("ann", "w.t"))))

    assert finding.decided_by == "query log of 2026-06-03 to 2026-09-01"
