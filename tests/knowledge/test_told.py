"""Two sets of events compared: columns with their types, members, namespaces, and who reads what went."""

from typing import Any

import msgspec

from governance.diff import Diff, Known, judge_told, told_by, told_differences
from governance.diff.told import Told
from governance.events.model import Event

Schema = dict[str, str]


def event(
    job: str, output: str, schema: list[dict[str, Any]], reads: dict[str, list[str]], namespace: str = "a"
) -> Event:
    """A run of ``job`` that copies columns: output column → its input table's columns."""
    fields = {out: {"inputFields": [field(source, namespace) for source in sources]} for out, sources in reads.items()}
    tables = sorted({source.rpartition("/")[0] for sources in reads.values() for source in sources})
    document = {
        "eventTime": "2026-11-30T00:00:00Z",
        "eventType": "COMPLETE",
        "run": {"runId": f"00000000-0000-7000-8000-{abs(hash(job)) % 10**12:012}"},
        "job": {"namespace": "jobs", "name": job},
        "inputs": [{"namespace": namespace, "name": table} for table in tables],
        "outputs": [
            {
                "namespace": namespace,
                "name": output,
                "facets": {"schema": {"fields": schema}, "columnLineage": {"fields": fields}},
            }
        ],
        "producer": "https://example.org",
    }
    return msgspec.convert(document, Event)


def field(source: str, namespace: str) -> dict[str, Any]:
    table, _, column = source.rpartition("/")
    how = [{"type": "DIRECT", "subtype": "IDENTITY"}]
    return {"namespace": namespace, "name": table, "field": column, "transformations": how}


def columns(**types: str) -> list[dict[str, Any]]:
    return [{"name": name, "type": kind} for name, kind in types.items()]


def compared(before: list[Event], after: list[Event]) -> Diff:
    base, head = told_by(before), told_by(after)
    assert isinstance(base, Told)
    return judge_told(told_differences(base, head), base, head, Known())


def kinds(found: Diff) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(it.kind.value, it.pipeline, it.fields) for it in found.changes]


LIST = event("dag.list", "list", columns(id="bigint"), {"id": ["people/id"]})
SENT = event("dag.sent", "sent", columns(id="bigint"), {"id": ["list/id"]})


def test_a_type_that_changed_breaks_its_readers() -> None:
    wider = event("dag.list", "list", columns(id="varchar"), {"id": ["people/id"]})
    found = compared([LIST, SENT], [wider, SENT])
    assert kinds(found) == [("breaking", "list", ("id",))]
    assert found.changes[0].reason == "id was bigint and is varchar, and read by dag.sent"


def test_types_of_two_spellings_and_types_untold_are_no_change() -> None:
    for other in (columns(id="INT8"), [{"name": "id"}]):
        assert kinds(compared([LIST, SENT], [event("dag.list", "list", other, {"id": ["people/id"]}), SENT])) == []


def test_a_member_that_goes_breaks_who_reads_all_of_its_column() -> None:
    def address(*members: str) -> Event:
        schema = [{"name": "address", "type": "struct", "fields": columns(**dict.fromkeys(members, "varchar"))}]
        return event("dag.list", "list", schema, {"address": ["people/address"]})

    reader = event("dag.sent", "sent", columns(a="struct"), {"a": ["list/address"]})
    found = compared([address("city", "zip"), reader], [address("city"), reader])
    assert kinds(found) == [("breaking", "list", ("address.zip",))]
    assert found.changes[0].readers == ("dag.sent",)


def test_tables_of_one_name_in_two_namespaces_are_told_apart() -> None:
    other = event("other.list", "list", columns(id="bigint"), {"id": ["people/id"]}, namespace="b")
    narrower = event("other.list", "list", columns(id="integer"), {"id": ["people/id"]}, namespace="b")
    found = compared([LIST, SENT, other], [LIST, SENT, narrower])
    assert kinds(found) == [("value", "b/list", ("id",))]
    assert found.changes[0].reaches == ()


def test_a_job_that_moves_along_breaks_nothing_whatever_it_is_called() -> None:
    both = [
        event("dag.list", "list", columns(key="bigint"), {"key": ["people/id"]}),
        event("dag.sent", "sent", columns(id="bigint"), {"id": ["list/key"]}),
    ]
    (renamed, *_) = (it for it in compared([LIST, SENT], both).changes if it.pipeline == "list")
    assert renamed.kind.value == "value"
    assert "dag.sent changed along" in renamed.reason
