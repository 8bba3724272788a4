"""`headwater diff` on a git repository: revisions, exit codes, forms, and what git cannot give."""

import json
from pathlib import Path

import pytest

from tests.ship.conftest import Repository


def kinds(repository: Repository, *arguments: str) -> list[tuple[str, str, list[str]]]:
    said = repository.run("diff", *arguments, "--format", "json")
    assert said.exit_code == 0, said.output
    return [(it["kind"], it["pipeline"], it["fields"]) for it in json.loads(said.stdout)["changes"]]


def test_the_working_tree_is_compared_with_a_revision(repository: Repository) -> None:
    assert kinds(repository, "HEAD") == []
    repository.edit("mart/list", "p.email", "lower(p.email) as email")
    assert kinds(repository, "HEAD") == [("value", "mart.list", ["email"])]


def test_two_revisions_are_compared_whatever_the_working_tree_says(repository: Repository) -> None:
    repository.edit("mart/list", "where p.active", "where not p.active")
    repository.commit()
    repository.edit("mart/spend", "sum(o.amount)", "avg(o.amount)")
    assert kinds(repository, "HEAD~1", "HEAD") == [("population", "mart.list", ["id", "email", "country"])]
    assert kinds(repository, "main", "HEAD") == []


def test_the_checkout_is_not_touched(repository: Repository) -> None:
    repository.edit("mart/list", "p.email", "lower(p.email) as email")
    before = repository.git("status", "--porcelain")
    kinds(repository, "HEAD")
    assert repository.git("status", "--porcelain") == before
    assert repository.git("stash", "list") == ""


@pytest.mark.parametrize(
    ("edit", "fails_on"),
    [
        (("mart/list", "p.email, ", ""), {"breaking", "unreadable"}),
        (("mart/list", "where p.active", "where not p.active"), {"population"}),
        (("mart/list", "p.country", "upper(p.country) as country"), {"value"}),
        (("mart/list", "p.country\n", "p.country, p.active\n"), set[str]()),
        (("mart/list", "from crm", "-- why\nfrom crm"), set[str]()),
    ],
)
def test_exit_codes_are_as_asked(repository: Repository, edit: tuple[str, str, str], fails_on: set[str]) -> None:
    repository.edit(*edit)
    assert repository.run("diff", "HEAD").exit_code == 0
    failing = {
        it
        for it in ("breaking", "population", "value", "understated", "unreadable")
        if repository.run("diff", "HEAD", "--fail-on", it).exit_code
    }
    assert failing == fails_on


def test_a_column_that_is_declared_too_low_by_the_change_fails(repository: Repository) -> None:
    metadata = repository.root / "governance" / "metadata.toml"
    metadata.write_text(
        metadata.read_text().replace(
            '["mart.list"]\nowner = "team:mart"\ncolumns.email = { classification = "personal" }',
            '["mart.list"]\nowner = "team:mart"\ncolumns.email = { classification = "public" }',
        )
    )
    said = repository.run("diff", "HEAD", "--fail-on", "understated")
    assert said.exit_code == 1
    assert "mart.list.email" in said.output


def test_readers_without_any_event_are_told_by_the_text(repository: Repository) -> None:
    repository.edit("mart/list", "p.country", "upper(p.country) as country")
    document = json.loads(repository.run("diff", "HEAD", "--format", "json").stdout)
    (change,) = document["changes"]
    assert [(it["dataset"], it["arrives"], it["owner"]) for it in change["reaches"]] == [
        ("mart.spend", "value", "team:mart")
    ]
    assert list(document["owners"]) == ["team:mart"]


def test_each_form_is_what_its_reader_takes(repository: Repository) -> None:
    repository.edit("mart/list", "p.email, ", "")
    assert repository.run("diff", "HEAD", "--format", "md").stdout.startswith("<!-- headwater diff -->")
    assert (
        "::error file=platform_assets/pipelines/mart/list.sql"
        in repository.run("diff", "HEAD", "--format", "github").stdout
    )
    assert json.loads(repository.run("diff", "HEAD", "--format", "sarif").stdout)["version"] == "2.1.0"


@pytest.mark.parametrize("name", ["nope", "--help-me", "HEAD:governance", "-x", "a b", "$(touch x)", ""])
def test_a_revision_that_git_does_not_know_is_an_error(repository: Repository, name: str) -> None:
    said = repository.run("diff", "--", name)
    assert said.exit_code == 1
    assert f"git knows no revision {name}" in said.output


def test_outside_a_checkout_it_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.root / ".git").rename(repository.root / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.root.parent))
    said = repository.run("diff", "HEAD")
    assert said.exit_code == 1
    assert "is no git checkout" in said.output


def test_a_project_in_a_folder_of_its_repository(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = repository.root / "platform"
    inner.mkdir()
    for name in ("governance", "platform_assets"):
        (repository.root / name).rename(inner / name)
    repository.commit()
    monkeypatch.setenv("HEADWATER_ROOT", str(inner))
    path = inner / "platform_assets" / "pipelines" / "mart" / "list.sql"
    path.write_text(path.read_text().replace("where p.active", "where not p.active"))
    assert kinds(repository, "HEAD") == [("population", "mart.list", ["id", "email", "country"])]


def test_a_link_in_a_revision_leads_nowhere(repository: Repository, tmp_path: Path) -> None:
    secret = tmp_path / "secret.sql"
    secret.write_text("create table mart.link as select 1 as a")
    repository.pipeline("mart/link").symlink_to(secret)
    repository.commit()
    repository.pipeline("mart/link").unlink()
    assert kinds(repository, "HEAD") == []


def test_odd_file_names_come_out_as_they_are(repository: Repository) -> None:
    odd = repository.root / "platform_assets" / "pipelines" / "mart" / "größe.txt"
    odd.write_text("no pipeline")
    repository.commit()
    assert kinds(repository, "HEAD") == []


def test_two_event_files_are_compared_by_what_they_tell(repository: Repository, tmp_path: Path) -> None:
    def export(name: str) -> str:
        said = repository.run(
            "lineage",
            *(str(repository.pipeline(it)) for it in ("mart/list", "mart/spend", "mail/sent")),
            "--format",
            "openlineage",
        )
        assert said.exit_code == 0, said.output
        (tmp_path / name).write_text(said.stdout)
        return str(tmp_path / name)

    before = export("before.ndjson")
    repository.edit("mart/list", "p.email, ", "")
    repository.edit("mail/sent", "l.email", "l.country")
    repository.edit("mart/spend", "o.status = 'paid'", "o.id > 0")
    found = kinds(repository, before, export("after.ndjson"))
    assert ("population", "mart.spend") in [(kind, pipeline) for kind, pipeline, _ in found]
    assert ("value", "mart.list", ["email"]) in found
    assert kinds(repository, before, before) == []


def test_a_revision_whose_files_cannot_be_read_is_named(repository: Repository) -> None:
    policy = repository.root / "governance" / "lineage.toml"
    right = policy.read_text()
    policy.write_text(right.replace("order", "odrer"))
    repository.commit()
    policy.write_text(right)
    said = repository.run("diff", "HEAD")
    assert said.exit_code == 1
    assert "in revision HEAD: governance/lineage.toml" in said.output


def test_a_revision_from_before_the_first_pipeline_has_none(repository: Repository) -> None:
    pipelines = {name: repository.pipeline(name).read_text() for name in ("mart/list", "mart/spend", "mail/sent")}
    for name in pipelines:
        repository.pipeline(name).unlink()
    repository.commit()
    for name, text in pipelines.items():
        repository.pipeline(name).parent.mkdir(parents=True, exist_ok=True)
        repository.pipeline(name).write_text(text)
    assert {(kind, pipeline) for kind, pipeline, _ in kinds(repository, "HEAD")} == {
        ("additive", it) for it in ("mart.list", "mart.spend", "mail.sent")
    }


@pytest.mark.parametrize("arguments", [("events.ndjson",), ("events.ndjson", "HEAD"), ("HEAD", "events.ndjson")])
def test_one_file_of_events_is_compared_with_nothing_else(
    repository: Repository, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository.root / "events.ndjson").write_text("{}")
    monkeypatch.chdir(repository.root)
    said = repository.run("diff", *arguments)
    assert said.exit_code == 1
    assert "events.ndjson is a file of events" in said.output
