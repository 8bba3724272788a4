"""The text that made an edge: found by that edge, in pieces that may be shown, with marks that lie in them."""

from typing import Any

import pytest

from governance.page.document import document
from tests.page.made import NAMESPACE, event, shown, table


def told(*expressions: str, uses: list[dict[str, Any]]) -> dict[str, Any]:
    pieces = [{"text": text, "line": line} for line, text in enumerate(expressions, start=1)]
    written = table(
        "a.a",
        {"x": ["b.b.x AGGREGATION"], "y": ["b.b.x IDENTITY"]},
        rows=["b.b.z FILTER"],
        headwater_expressions={"expressions": pieces, "uses": uses},
    )
    return event("a.a", writes=[written])


def use(
    field: str | None, column: str, kind: str, expression: int = 0, marks: tuple[tuple[int, int], ...] = ((4, 7),)
) -> dict[str, Any]:
    where, subtype = kind.split()
    place = {"namespace": NAMESPACE, "name": "b.b", "inputField": column, "type": where, "subtype": subtype}
    target = {"field": field} if field else {}
    return place | target | {"expression": expression, "marks": [list(it) for it in marks]}


def version(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = document(shown(events, **more))["versions"][0]
    return found


def test_text_that_a_template_wrote_says_its_line() -> None:
    run = told("sum(b.x) as x", uses=[use("x", "x", "DIRECT AGGREGATION")])
    (piece,) = run["outputs"][0]["facets"]["headwater_expressions"]["expressions"]
    piece["templateLine"] = 7
    assert version(run)["expressions"] == [{"text": "sum(b.x) as x", "line": 1, "template": 7}]


def test_each_edge_names_the_text_that_made_it() -> None:
    uses = [use("x", "x", "DIRECT AGGREGATION"), use(None, "z", "INDIRECT FILTER", 1, ((0, 3),))]
    found = version(told("sum(b.x) as x", "b.z > 0", uses=uses))
    assert found["expressions"] == [{"text": "sum(b.x) as x", "line": 1}, {"text": "b.z > 0", "line": 2}]
    by_target = {edge[2]: found["uses"][edge[5]] if edge[5] >= 0 else None for edge in found["edges"]}
    assert by_target == {
        0: {"expression": 0, "marks": [[4, 7]]},
        1: None,
        -1: {"expression": 1, "marks": [[0, 3]]},
    }


def test_an_edge_that_goes_through_several_pieces_begins_where_the_source_is_named() -> None:
    uses = [use("x", "x", "DIRECT AGGREGATION"), use("x", "x", "DIRECT AGGREGATION", 1, ((0, 1),))]
    found = version(told("sum(b.x) as s", "s as x", uses=uses))
    assert found["uses"] == [
        {"expression": 0, "marks": [[4, 7]], "through": [{"expression": 1, "marks": [[0, 1]]}]},
    ]


def test_a_piece_with_a_secret_is_left_out_and_the_others_keep_their_places() -> None:
    uses = [use("x", "x", "DIRECT AGGREGATION"), use("y", "x", "DIRECT IDENTITY", 1)]
    found = version(told("sum(b.x, 'hunter22')", "any b.x", uses=uses), secrets=("hunter22",))
    assert found["expressions"] == [{"text": "any b.x", "line": 2}]
    assert {edge[2]: edge[5] for edge in found["edges"]} == {-1: -1, 0: -1, 1: 0}


@pytest.mark.parametrize("marks", [((5, 99),), ((-1, 2),), ((3, 3),), ((6, 2),)])
def test_marks_outside_their_text_are_left_out(marks: tuple[tuple[int, int], ...]) -> None:
    found = version(told("sum(b.x)", uses=[use("x", "x", "DIRECT AGGREGATION", 0, marks)]))
    assert found["uses"] == [{"expression": 0, "marks": []}]


def test_marks_count_as_javascript_does() -> None:
    found = version(told("'🜁' || b.x", uses=[use("x", "x", "DIRECT AGGREGATION", 0, ((8, 11),))]))
    assert found["uses"] == [{"expression": 0, "marks": [[8, 11]]}]


def test_a_use_of_a_piece_that_is_not_there_is_none() -> None:
    found = version(told("sum(b.x)", uses=[use("x", "x", "DIRECT AGGREGATION", 7)]))
    assert found["uses"] == []


def test_another_text_of_the_same_edges_is_another_version() -> None:
    one = told("sum(b.x)", uses=[use("x", "x", "DIRECT AGGREGATION")])
    two = told("sum( b.x )", uses=[use("x", "x", "DIRECT AGGREGATION")])
    again = two | {"eventTime": "2026-11-02T02:00:00Z", "run": {"runId": "second"}}
    assert len(document(shown([one, again]))["versions"]) == 2
