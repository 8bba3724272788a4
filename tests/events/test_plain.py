"""Events as plain values are what the client's own serde makes of them."""

from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID

import pytest
from openlineage.client.event_v2 import RunState
from openlineage.client.facet_v2 import DatasetFacet
from openlineage.client.serde import Serde

from governance.events.facets import Naming
from governance.events.plain import plain, to_json
from governance.events.static import declared_events, static_events
from governance.project import project_at
from platform_assets.changes.static import static_jobs
from platform_assets.side import side_of_project

ROOT = Path(__file__).parents[2]
AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("root", [ROOT, ROOT / "examples" / "orders"], ids=["demo", "orders"])
def test_every_event_of_a_project_is_as_the_client_has_it(root: Path, tmp_path: Path) -> None:
    project = project_at(root, tmp_path)
    side = side_of_project(project)
    naming = Naming("iceberg://x", "x", side.policy.lineage.files)
    jobs = [*static_jobs(project, side)]
    events = [event for job in jobs for make in (static_events, declared_events) for event in make(job, naming, AT)]
    assert len(events) > len(side.pipelines)
    for event in events:
        assert plain(event) == Serde.to_dict(event)
        assert to_json(event) == Serde.to_json(event)


def test_what_is_rare_is_as_the_client_has_it() -> None:
    odd = {
        "nothing": None,
        "empty": {},
        "list": [None, {}, [], {"a": None}, 1, (2, None), {"day": date(2026, 1, 1)}],
        "state": RunState.COMPLETE,
        "id": UUID(int=7),
        "at": AT,
        "number": 1.5,
        "é": "ü",
        "thing": object,
    }
    facet = DatasetFacet().with_additional_properties(**odd)
    assert plain(facet) == Serde.to_dict(facet)
    assert to_json(facet) == Serde.to_json(facet)
