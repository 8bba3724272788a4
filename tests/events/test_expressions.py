"""The text that made each edge, as COMPLETE tells it and as it is read back."""

# ruff: noqa: S608  # SQL is what is made here, of our own words

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from governance.dataset import Dataset
from governance.events import run as run_module
from governance.events.decode import Decoder
from governance.events.expressions import KEY, LARGEST
from governance.events.redact import redact_sql
from governance.events.run import Column, Input, Output, RunFacts, complete_event
from governance.events.store import EventStore
from governance.events.uses import ExpressionPart, UsePart
from governance.lineage import column_lineage
from governance.lineage.explain import explain
from governance.lineage.model import Explanation
from governance.rename import renamed
from governance.runs import read_runs
from tests.events.night import NIGHT, written

SCHEMA = {"crm.people": {"id": "int", "mail": "varchar", "city": "varchar", "password": "varchar"}}
SQL = """create table mart.mails as
select upper(p.mail) as mail
from crm.people p
where p.city = 'Zürich 😀' and p.password = 'hunter2-hunter2'"""


def output(sql: str = SQL, schema: dict[str, dict[str, str]] = SCHEMA) -> Output:
    (lineage,) = column_lineage(sql, schema)
    (explanation,) = explain(redact_sql(sql, ()), schema)
    return Output("mart.mails", (), lineage, explanation=explanation)


def facet(facts: RunFacts, store: EventStore, told: Output) -> dict[str, Any] | None:
    store.append(complete_event(facts, NIGHT, [], [told]))
    found: dict[str, Any] | None = written(store)[-1]["outputs"][0]["facets"].get(KEY)
    return found


def test_each_edge_has_its_text(facts: RunFacts, store: EventStore) -> None:
    told = facet(facts, store, output())
    assert told is not None
    assert told["expressions"] == [
        {"text": "upper(p.mail) as mail", "line": 2},
        {"text": "where p.city = 'Zürich 😀' and p.password = '***'", "line": 4},
    ]
    person = {"namespace": "iceberg://platform", "name": "crm.people"}
    filtering = person | {"type": "INDIRECT", "subtype": "FILTER", "expression": 1}
    assert told["uses"] == [
        person
        | {"field": "mail", "inputField": "mail", "type": "DIRECT", "subtype": "TRANSFORMATION"}
        | {"expression": 0, "marks": [[6, 12]]},
        filtering | {"inputField": "city", "marks": [[6, 12]]},
        # the emoji before it counts twice: the units are those of UTF-16
        filtering | {"inputField": "password", "marks": [[31, 41]]},
    ]


def test_the_event_meets_the_official_schemas(
    facts: RunFacts, store: EventStore, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    assert facet(facts, store, output()) is not None
    assert validate(written(store)[-1]) == []


def test_it_is_read_back_with_the_run(facts: RunFacts, store: EventStore) -> None:
    facet(facts, store, output())
    facet(facts, store, output())
    decode = Decoder()
    events = [decode(json.dumps(it, sort_keys=True).encode()) for it in written(store)]
    (run,) = read_runs(events)
    told = run.outputs[0].expressions
    assert told is not None
    assert told.expressions[0] == ExpressionPart("upper(p.mail) as mail", 2)
    expected = UsePart(
        "iceberg://platform", "crm.people", "mail", "DIRECT", "TRANSFORMATION", 0, marks=((6, 12),), field="mail"
    )
    assert told.uses[0] == expected
    # a job that runs again says the same again: it is held once
    assert events[0].outputs[0].facets.expressions is events[1].outputs[0].facets.expressions


class Upper:
    """Names in capitals."""

    def dataset(self, dataset: Dataset) -> Dataset:
        return Dataset(dataset.namespace, dataset.name.upper())

    def field(self, dataset: Dataset, path: str) -> str:  # noqa: ARG002  # the protocol's
        return path.upper()


def test_it_is_renamed_with_the_edges(facts: RunFacts, store: EventStore) -> None:
    facet(facts, store, output())
    event = renamed(Decoder()(json.dumps(written(store)[-1]).encode()), Upper())
    told = event.outputs[0].facets.expressions
    assert told is not None
    assert {(use.name, use.input_field, use.field) for use in told.uses} == {
        ("CRM.PEOPLE", "MAIL", "MAIL"),
        ("CRM.PEOPLE", "CITY", None),
        ("CRM.PEOPLE", "PASSWORD", None),
    }


def test_a_piece_that_still_shows_a_secret_is_left_out(facts: RunFacts, store: EventStore) -> None:
    (unmasked,) = explain(SQL, SCHEMA)
    told = facet(replace(facts, secrets=("Zürich",)), store, replace(output(), explanation=unmasked))
    assert told is not None
    assert [it["text"] for it in told["expressions"]] == ["upper(p.mail) as mail"]
    assert "hunter2" not in json.dumps(told)


def test_nothing_to_tell_is_no_facet(facts: RunFacts, store: EventStore) -> None:
    assert facet(facts, store, replace(output(), explanation=None)) is None
    assert facet(facts, store, replace(output(), explanation=Explanation("mart.mails", ()))) is None


WIDE = {"crm.people": {f"column_number_{n}": "int" for n in range(600)}}


def chained(columns: int) -> Output:
    """So many columns through a CTE: two pieces for each edge."""
    names = list(WIDE["crm.people"])[:columns]
    inner = ", ".join(f"{name} + 1 as {name}" for name in names)
    outer = ", ".join(f"{name} * 2 as {name}" for name in names)
    return output(f"create table mart.mails as with a as (select {inner} from crm.people) select {outer} from a", WIDE)


def test_a_large_facet_tells_the_sources_own_places_alone(facts: RunFacts, store: EventStore) -> None:
    told = facet(facts, store, chained(350))
    assert told is not None
    assert len(json.dumps(told)) <= LARGEST * 1.2
    assert "omitted" not in told
    assert [it["text"] for it in told["expressions"][:2]] == [
        "column_number_0 + 1 as column_number_0",
        "column_number_1 + 1 as column_number_1",
    ]
    assert len(told["uses"]) == 350


def test_a_facet_that_is_too_large_says_that_it_is_left_out(facts: RunFacts, store: EventStore) -> None:
    told = facet(facts, store, chained(600))
    assert told is not None
    assert (told["omitted"], told["expressions"], told["uses"]) == (True, [], [])


def test_an_event_is_never_too_large_for_it(
    facts: RunFacts, store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = len(json.dumps(sent(facts, store, replace(chained(100), explanation=None))))
    monkeypatch.setattr(run_module, "LARGEST_EVENT", bare + 10)
    assert KEY not in sent(facts, store, chained(100))["outputs"][0]["facets"]


def test_the_columns_of_inputs_are_left_out_before_an_event_is_too_large(
    facts: RunFacts, store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = Input("s.t", schema=tuple(Column(f"column_number_{number}", "bigint") for number in range(100)))

    def inputs() -> list[dict[str, Any]]:
        store.append(complete_event(facts, NIGHT, [wide], [chained(3)]))
        return [it for it in written(store)[-1]["inputs"] if it["name"] == "s.t"]

    assert len(inputs()[0]["facets"]["schema"]["fields"]) == 100
    bare = len(json.dumps(sent(facts, store, replace(chained(3), explanation=None))))
    monkeypatch.setattr(run_module, "LARGEST_EVENT", bare + 1_000)
    assert inputs()[0]["facets"] == {}


def sent(facts: RunFacts, store: EventStore, told: Output) -> dict[str, Any]:
    store.append(complete_event(facts, NIGHT, [], [told]))
    return written(store)[-1]
