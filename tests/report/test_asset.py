"""What an asset's page says: reach by values and rows with owners, proposals with what decided them, and pictures."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType

from governance.classification import propose
from governance.dataset import Dataset, Field
from governance.graph import Edge, Flow, Graph, Write
from governance.impact import Facts
from governance.lineage.model import Transformation
from governance.policy import ColumnPolicy, LineagePolicy, Policy, TablePolicy
from governance.report.asset import impact_page, impact_picture, proposal_page, proposal_picture
from governance.report.picture import Stroke
from governance.runs import Job

AT = datetime(2026, 11, 30, tzinfo=UTC)
PEOPLE, LIST, COUNT = (Dataset("ns", name) for name in ("crm.people", "mart.list", "mart.count"))
EMAIL, ID = Field(PEOPLE, "email"), Field(PEOPLE, "id")
OUT = Field(LIST, "address")


def write(dataset: Dataset, *fields: str) -> Write:
    return Write(
        Job("jobs", dataset.name), dataset, "r", AT, (PEOPLE,), fields, traced=True, gaps=(), snapshot=None, owners=()
    )


def graph() -> Graph:
    return Graph(
        edges=(
            Edge(EMAIL, OUT, Transformation.IDENTITY, masking=False, job="mart.list", run_id="r", at=AT),
            Edge(ID, LIST, Transformation.FILTER, masking=False, job="mart.list", run_id="r", at=AT),
        ),
        flows=tuple(Flow(PEOPLE, target, target.name, "r", AT, traced=True, gaps=()) for target in (COUNT, LIST)),
        writes=(write(COUNT, "n"), write(LIST, "address")),
        fields={COUNT: (Field(COUNT, "n"),), LIST: (OUT,), PEOPLE: (EMAIL, ID)},
    )


def policy(declared: Mapping[str, str]) -> Policy:
    columns = MappingProxyType({name: ColumnPolicy(classification) for name, classification in declared.items()})
    lineage = LineagePolicy(("public", "internal", "personal"), frozenset({"DIRECT"}), frozenset(), "ns", "jobs")
    tables = {"crm.people": TablePolicy(columns={"email": ColumnPolicy("personal"), "id": ColumnPolicy("internal")})}
    return Policy(tables | {"mart.list": TablePolicy(columns=columns)}, lineage, (), ())


def test_the_impact_counts_values_and_rows_and_names_owners() -> None:
    page = impact_page(graph(), policy({}), Facts(owners={LIST: "team:mart"}), "crm.people")
    assert page.text.startswith("A change here reaches 1 column by value and the rows of 2 tables.")
    assert "| mart.list | values | 1 | 1 | team:mart |" in page.text
    assert page.image.startswith("![What reads crm.people]")


def test_readers_are_drawn_by_column_and_by_rows_alone() -> None:
    drawn = impact_picture(graph(), policy({}), PEOPLE)
    assert [box.name for box in drawn.right] == ["mart.list", "mart.count"]
    assert [wire.stroke for wire in drawn.wires] == [Stroke.VALUE, Stroke.STEERS, Stroke.ROWS]


def test_of_a_table_that_nothing_reads_nothing_is_drawn() -> None:
    page = impact_page(graph(), policy({}), Facts(), "mart.list")
    assert "no consumers found among these sources over this window" in page.text
    assert page.image == ""


def test_a_proposal_says_and_draws_what_decided_it() -> None:
    page = proposal_page(graph(), policy({"address": "public"}), "mart.list", date(2026, 11, 30))
    assert "| address | public | personal | crm.people.email (DIRECT IDENTITY) |" in page.text
    assert page.whole.startswith("![What decides the classes of mart.list]")


def test_declared_and_proposed_class_stand_side_by_side_where_they_differ() -> None:
    for said, shown in (("public", "public → personal"), ("personal", "personal"), (None, "none → personal")):
        known = policy({"address": said} if said else {})
        found = {field: it for field, it in propose(graph(), known).items() if field.dataset == LIST}
        drawn = proposal_picture(found, known)
        assert [row.chip for row in drawn.right[0].rows] == [shown]


def test_a_source_has_no_proposals() -> None:
    assert proposal_page(graph(), policy({}), "crm.people", date(2026, 11, 30)).whole == ""
