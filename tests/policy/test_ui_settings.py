"""``[ui]`` of lineage.toml, and the links that are made from it."""

from pathlib import Path

import pytest

from governance.errors import HeadwaterError, PolicyError
from governance.page.address import page_address
from governance.policy import Policy, load_policy
from governance.policy_ui import UiPolicy
from governance.project import find_project, project_at

LINEAGE = """
order = ["public", "internal"]
propagate_through = ["DIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"
"""


def policy(root: Path, ui: str, overlay: str | None = None) -> Policy:
    project = project_at(root)
    for folder, text in zip(project.policy, (ui, overlay), strict=True):
        if text is not None:
            folder.mkdir(parents=True)
            (folder / "lineage.toml").write_text(f"{LINEAGE}{text}")
            (folder / "metadata.toml").write_text("")
    return load_policy(project)


def test_without_a_word_the_page_and_dagster_are_on_this_machine(tmp_path: Path) -> None:
    assert policy(tmp_path, "").ui == UiPolicy("http://127.0.0.1:3001", "http://127.0.0.1:3000", 50)


def test_a_later_folder_replaces_what_it_sets(tmp_path: Path) -> None:
    found = policy(
        tmp_path,
        '[ui]\npage = "https://lineage.example.com/"\nreports = 7\n',
        '[ui]\ndagster = "https://dagster.example.com/prod"\n',
    )
    assert found.ui == UiPolicy("https://lineage.example.com", "https://dagster.example.com/prod", 7)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('page = "lineage.example.com"', "ui.page"),
        ('page = "javascript:alert(1)"', "ui.page"),
        ('page = "https://"', "ui.page"),
        ('page = "https://a.example.com/#x"', "ui.page"),
        ('page = "https://me:secret@a.example.com"', "ui.page"),
        ('page = "https://a.example.com:99999"', "ui.page"),
        ("page = 3001", "ui.page"),
        ('dagster = "http://[::1"', "ui.dagster"),
        ("reports = 0", "ui.reports"),
        ("reports = true", "ui.reports"),
        ('reports = "all"', "ui.reports"),
        ('pages = "https://a.example.com"', "ui.pages"),
    ],
)
def test_what_is_no_setting_is_an_error_that_says_where(tmp_path: Path, line: str, key: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy(tmp_path, f"[ui]\n{line}\n")
    assert (caught.value.file, caught.value.key) == ("governance/lineage.toml", key)
    assert caught.value.fix


def test_links_lead_to_a_table_or_column_whatever_its_name(tmp_path: Path) -> None:
    found = policy(tmp_path, "")
    assert page_address(found, "marketing.audience") == "http://127.0.0.1:3001/#marketing.audience"
    assert page_address(found, "crm.learners", "email") == "http://127.0.0.1:3001/#crm.learners.email"
    assert page_address(found, "a.a", "<b c>?&#%)") == "http://127.0.0.1:3001/#a.a.%3Cb%20c%3E%3F%26%23%25%29"


def test_what_listens_elsewhere_than_the_files_say_is_linked_there(tmp_path: Path) -> None:
    (tmp_path / "platform_assets").mkdir()
    policy(tmp_path, '[ui]\npage = "https://lineage.example.com"\ndagster = "http://127.0.0.1:3000"\n')
    env = {"HEADWATER_ROOT": str(tmp_path), "HEADWATER_DAGSTER": "http://127.0.0.1:3561/"}
    assert load_policy(find_project(env)).ui == UiPolicy("https://lineage.example.com", "http://127.0.0.1:3561")


def test_a_variable_that_is_no_address_is_refused(tmp_path: Path) -> None:
    (tmp_path / "platform_assets").mkdir()
    policy(tmp_path, "")
    with pytest.raises(HeadwaterError, match=r"HEADWATER_PAGE: .* is no address") as caught:
        load_policy(find_project({"HEADWATER_ROOT": str(tmp_path), "HEADWATER_PAGE": "javascript:alert(1)"}))
    assert caught.value.fix == "set HEADWATER_PAGE=http://127.0.0.1:3001"
