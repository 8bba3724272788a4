"""The consumers as a page for people and as a document for programs."""

import re
from typing import Any

from governance.consumers.declared import Declared
from governance.report.consumers import consumers_page
from governance.report.page import page_markdown, page_text
from tests.coverage.consumers import FLOWS, REPORT, Make, Read, find


def test_the_json_form(records: Make, read: Read) -> None:
    document: dict[str, Any] = find(records(FLOWS, [read("ann", "fct.payments")], [REPORT])).as_dict()

    assert set(document) == {
        "asked",
        "at",
        "statement",
        "sources",
        "consumers",
        "unplaced",
        "derived",
        "reconciliation",
        "unreadable",
    }
    assert document["sources"][1] == {
        "source": "query log",
        "window": {"from": "2026-06-03T12:00:00+00:00", "to": "2026-09-01T12:00:00+00:00"},
    }
    (ann,) = (it for it in document["consumers"] if it["name"] == "ann")
    assert ann == {
        "name": "ann",
        "kind": "account",
        "owner": None,
        "contact": None,
        "criticality": None,
        "registered": False,
        "shared": False,
        "notes": ["few reads: it may run rarely"],
        "evidence": [
            {
                "source": "query log",
                "how": "by ann",
                "window": {"from": "2026-06-03T12:00:00+00:00", "to": "2026-09-01T12:00:00+00:00"},
                "last_read": "2026-09-01T12:00:00+00:00",
                "reads": 1,
                "columns": [],
            }
        ],
    }
    assert set(document["reconciliation"]) == {"reads_without_edge", "edges_without_reads"}


def test_the_page_escapes_what_a_log_says(records: Make, read: Read) -> None:
    found = find(records("", [read("an|n\n<b>", "fct.payments")]))

    assert "an\\|n &lt;b&gt;" in page_markdown(consumers_page(found))
    assert "an|n <b>" in page_text(consumers_page(found))


def test_a_row_of_the_page(records: Make, read: Read) -> None:
    contact = Declared("Feed", "export", ("fct.payments.amount",), contact="ops@example.com", accounts=("feed",))
    reads = [read("feed", "fct.payments", columns=("fct.payments.status",)) for _ in range(1200)]

    text = page_text(consumers_page(find(records(FLOWS, reads, [contact]))))

    row = next(line for line in text.splitlines() if line.startswith("  Feed"))
    assert re.split(r"  +", row.strip()) == [
        "Feed",
        "export",
        "nobody (ops@example.com)",
        "not stated",
        "query log, declared",
        "1,200",
        "2026-09-01",
        "amount, status",
    ]
    unread = next(line for line in text.splitlines() if line.startswith("  raw.copy"))
    cells = re.split(r"  +", unread.strip())
    assert cells == ["raw.copy", "job", "nobody", "not stated", "lineage graph", "some unknown"]


def test_an_empty_record_is_said_to_be_empty(records: Make) -> None:
    found = find(records())

    assert found.as_dict()["sources"] == [
        {"source": "lineage graph", "window": None},
        {"source": "query log", "window": None},
        {"source": "declared", "window": None},
    ]
    assert "Sources: lineage graph: empty; query log: empty; declared." in page_text(consumers_page(found))
