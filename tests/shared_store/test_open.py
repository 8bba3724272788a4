"""Where a project's events are: a variable, a setting, the state folder."""

from pathlib import Path

import pytest

from governance.errors import HeadwaterError, PolicyError
from governance.events.open import event_store
from governance.events.shared.store import SharedEventStore
from governance.events.store import EventStore
from governance.project import Project, project_at


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "governance").mkdir()
    return project_at(tmp_path)


def settings(project: Project, text: str) -> None:
    (project.root / "governance/lineage.toml").write_text(text)


def test_without_a_setting_events_are_in_the_state_folder(project: Project) -> None:
    assert event_store(project, {}) == EventStore(project.events)
    settings(project, 'namespace = "x"\n')
    assert event_store(project, {"HEADWATER_EVENTS": ""}) == EventStore(project.events)


def test_the_setting_names_a_store_and_the_variable_another(project: Project) -> None:
    settings(project, '[events]\nstore = "s3://lake/lineage"\n')
    by_setting, by_variable = event_store(project, {}), event_store(project, {"HEADWATER_EVENTS": "s3://lake/other"})
    assert isinstance(by_setting, SharedEventStore)
    assert isinstance(by_variable, SharedEventStore)
    assert [it.bucket.url for it in (by_setting, by_variable)] == ["s3://lake/lineage", "s3://lake/other"]
    assert by_setting.folder.parent == by_variable.folder.parent == project.state / "shared"
    assert by_setting.folder != by_variable.folder
    assert by_setting == event_store(project, {})


@pytest.mark.parametrize(
    "text",
    ["lake", "s3://", "file:///shared", "s3://lake/?secret=x", "s3://user:pass@lake", "s3://lake/a b", "s3:///x"],
)
def test_what_is_no_address_is_refused(project: Project, text: str) -> None:
    with pytest.raises(HeadwaterError, match="is no address") as caught:
        event_store(project, {"HEADWATER_EVENTS": text})
    assert "s3://bucket/prefix" in caught.value.fix
    settings(project, f'[events]\nstore = "{text}"\n')
    with pytest.raises(PolicyError, match=r"governance/lineage.toml: events.store: .* is no address"):
        event_store(project, {})


def test_another_key_is_refused(project: Project) -> None:
    settings(project, '[events]\nfolder = "x"\n')
    with pytest.raises(PolicyError, match="unknown key"):
        event_store(project, {})


def test_a_store_without_its_account_says_so(project: Project) -> None:
    with pytest.raises(HeadwaterError, match="az://lake/x cannot be opened") as caught:
        event_store(project, {"HEADWATER_EVENTS": "az://lake/x"})
    assert caught.value.fix
