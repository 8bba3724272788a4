"""A project whose policy files a test writes."""

from pathlib import Path

import pytest

from governance.project import Project, project_at
from tests.policy.writing import LINEAGE, METADATA, WAIVERS, Write, put


@pytest.fixture
def project(tmp_path: Path) -> Write:
    """Write policy files, right ones where a test gives none, and return their project."""

    def write(
        *, lineage: str = LINEAGE, metadata: str = METADATA, waivers: str = WAIVERS, sources: str = ""
    ) -> Project:
        project = project_at(tmp_path)
        texts = {"lineage.toml": lineage, "metadata.toml": metadata, "waivers.toml": waivers}
        put(project.policy[0], texts)
        put(project.sources.parent, {"sources.toml": sources})
        return project

    return write
