"""What files tell of an output, before anything ran."""

import pytest

from governance.lineage.model import ColumnLineage
from governance.pipeline import parse_pipeline
from governance.policy import LineagePolicy, Policy, TablePolicy
from platform_assets.facts import described

PIPELINE = parse_pipeline("a.b", "b.sql", "-- description: From the header.\n-- owner: team:header\nselect 1")
LINEAGE = ColumnLineage("a.b", (), (), ())


@pytest.mark.parametrize(
    ("declared", "owner", "description"),
    [
        ({}, "team:header", "From the header."),
        ({"a.b": TablePolicy("team:policy", "From the policy.", {})}, "team:policy", "From the policy."),
        ({"a.b": TablePolicy(None, None, {})}, "team:header", "From the header."),
    ],
)
def test_the_policy_speaks_first_and_the_header_where_it_is_silent(
    declared: dict[str, TablePolicy], owner: str, description: str
) -> None:
    order = LineagePolicy(("public",), frozenset({"DIRECT"}), frozenset(), "iceberg://test", "jobs")

    told = described(Policy(declared, order), PIPELINE, LINEAGE)

    assert (told.owner, told.description) == (owner, description)
