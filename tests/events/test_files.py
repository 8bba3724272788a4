"""Datasets of files in events: what is said of them, and in which order."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governance.events.facets import Column, Input, Naming
from governance.events.file_facets import LARGEST, Landed, ReadFile
from governance.events.run import RunFacts, complete_event, start_event
from governance.events.store import EventStore
from tests.events.night import NIGHT, WRITTEN, written

FILES = {"landing/pay.txt": "file", "landing/pay.txt#header": "file", "landing/pay.txt#detail": "file"}
PAY = Input(
    "landing/pay.txt",
    rows=3,
    bytes=120,
    files=1,
    schema=(Column("record_type", "varchar"),),
    landed=Landed("fixed", "file", (ReadFile("landing/pay.txt", 120, NIGHT),)),
)


@pytest.fixture
def naming(facts: RunFacts) -> Naming:
    return replace(facts.naming, files=FILES)


def test_a_dataset_of_files_is_told_with_its_files_and_meets_the_official_schemas(
    facts: RunFacts, naming: Naming, store: EventStore, validate: Callable[[dict[str, Any]], list[str]]
) -> None:
    detail = Input("landing/pay.txt#detail", schema=(Column("amount", "decimal(10, 2)"),), landed=Landed("fixed"))
    store.append(complete_event(replace(facts, naming=naming), NIGHT, [detail, PAY], [WRITTEN]))
    (event,) = written(store)
    assert validate(event) == []
    base, of_detail = [it for it in event["inputs"] if it["name"].startswith("landing/")]
    assert (base["namespace"], base["name"], of_detail["name"]) == ("file", "landing/pay.txt", "landing/pay.txt#detail")
    assert base["facets"]["datasetType"]["datasetType"] == "FILE"
    assert (base["facets"]["storage"]["storageLayer"], base["facets"]["storage"]["fileFormat"]) == ("file", "fixed")
    assert base["facets"]["schema"]["fields"][0]["name"] == "record_type"
    told = base["inputFacets"]["headwater_files"]
    assert told["fileCount"] == 1
    assert told["files"] == [{"name": "landing/pay.txt", "size": 120, "lastModified": "2026-10-01T02:00:00+00:00"}]
    assert base["inputFacets"]["inputStatistics"]["rowCount"] == 3
    assert of_detail["facets"]["datasetType"]["datasetType"] == "FILE"
    assert "headwater_files" not in of_detail["inputFacets"]


def test_many_files_are_counted_and_the_first_are_named(facts: RunFacts, naming: Naming, store: EventStore) -> None:
    many = tuple(ReadFile(f"landing/{n:05}.csv", n, NIGHT + timedelta(n)) for n in reversed(range(LARGEST + 7)))
    store.append(
        complete_event(replace(facts, naming=naming), NIGHT, [replace(PAY, landed=Landed("csv", "s3", many))], [])
    )
    (told,) = [it["inputFacets"]["headwater_files"] for it in written(store)[0]["inputs"]]
    assert (told["fileCount"], len(told["files"]), told["files"][0]["name"]) == (
        LARGEST + 7,
        LARGEST,
        "landing/00000.csv",
    )


def test_inputs_go_by_name_and_kinds_of_record_in_declared_order(
    facts: RunFacts, naming: Naming, store: EventStore
) -> None:
    names = ["landing/pay.txt#detail", "shop.orders", "landing/pay.txt", "crm.people", "landing/pay.txt#header"]
    store.append(start_event(replace(facts, naming=naming), NIGHT, names, ["a.b"]))
    assert [it["name"] for it in written(store)[0]["inputs"]] == [
        "crm.people",
        "landing/pay.txt",
        "landing/pay.txt#header",
        "landing/pay.txt#detail",
        "shop.orders",
    ]
