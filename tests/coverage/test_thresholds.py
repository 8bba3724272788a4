"""What lineage.toml may demand of coverage and of runs."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from governance.errors import PolicyError
from governance.policy_coverage import dangling_after, thresholds
from governance.policy_file import Section


def section(**values: Any) -> Section:
    return Section("lineage.toml", "", values)


@pytest.mark.parametrize(
    ("files", "least"),
    [
        ([{}], {}),
        ([{"coverage": {"nodes": 1, "edges_by_reads": 0.8}}], {"nodes": 1.0, "edges_by_reads": 0.8}),
        ([{"coverage": {"nodes": 0.5, "edges": 0.1}}, {"coverage": {"nodes": 0.9}}], {"nodes": 0.9, "edges": 0.1}),
    ],
)
def test_thresholds_of_a_later_file_stand(files: list[dict[str, Any]], least: Mapping[str, float]) -> None:
    assert thresholds(tuple(section(**file) for file in files)) == least


@pytest.mark.parametrize("value", [90, -0.1, "0.9", True])
def test_a_threshold_is_a_share(value: object) -> None:
    with pytest.raises(PolicyError, match=r"coverage\.nodes: .* is no share; write nodes = 0\.9 for 90 %"):
        thresholds((section(coverage={"nodes": value}),))


def test_only_measures_have_thresholds() -> None:
    with pytest.raises(PolicyError, match=r"coverage\.tables: unknown key; the keys here are nodes, columns, edges"):
        thresholds((section(coverage={"tables": 0.9}),))


def test_how_long_a_run_may_go_without_end() -> None:
    assert dangling_after((section(),)) is None
    assert dangling_after((section(dangling_after="6 hours"), section())) == timedelta(hours=6)
    assert dangling_after((section(dangling_after="6 hours"), section(dangling_after="1 day"))) == timedelta(days=1)
    with pytest.raises(PolicyError, match="dangling_after: 'long' is no span of time"):
        dangling_after((section(dangling_after="long"),))
