"""The files for a build server: the workflow's own commands, run on a scratch repository with real kinds of change."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from jsonschema import Draft4Validator

from tests.ship.conftest import Repository

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "lineage.yml").read_text())
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["lineage"]["steps"]
RUN = {step["name"]: step["run"] for step in STEPS if "run" in step}
SARIF = Draft4Validator(json.loads((ROOT / "tests" / "fixtures" / "sarif" / "sarif-2.1.0.json").read_text()))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def arguments(step: str, form: str) -> list[str]:
    """The words of the step's ``headwater diff`` in that form, as the shell would give them."""
    (line,) = (it for it in RUN[step].splitlines() if f"--format {form}" in it)
    words = shlex.split(line.partition(" > ")[0].replace("$GITHUB_BASE_REF", "main"))
    assert words[:2] == ["headwater", "diff"]
    return words[2:]


@pytest.fixture
def pull(repository: Repository) -> Repository:
    """A repository whose base branch is that of its remote."""
    repository.git("update-ref", "refs/remotes/origin/main", "main")
    return repository


def edit_file(repository: Repository, file: str, old: str, new: str) -> None:
    path = repository.root / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


LIST, SPEND = "platform_assets/pipelines/mart/list.sql", "platform_assets/pipelines/mart/spend.sql"
SENT, SOURCES = "platform_assets/pipelines/mail/sent.sql", "platform_assets/sources.toml"
METADATA = "governance/metadata.toml"

PERSONAL = '["mart.list"]\nowner = "team:mart"\ncolumns.email = { classification = "personal" }'
HEADER = "-- owner: team:mart"


class Case(NamedTuple):
    """Edits as (file, old, new), the changes that they make as (kind, pipeline), and whether the last step fails."""

    edits: list[tuple[str, str, str]]
    changes: set[tuple[str, str]]
    fails: bool = False


CASES = {
    "a column renamed": Case(
        [(LIST, "p.email", "p.email as address")], {("breaking", "mart.list"), ("breaking", "mail.sent")}, fails=True
    ),
    "a column renamed and its reader along": Case(
        [(LIST, "p.email", "p.email as address"), (SENT, "l.email", "l.address as email")],
        {("value", "mart.list"), ("cosmetic", "mail.sent")},
    ),
    "a column dropped": Case([(SPEND, ", count(*) as orders", "")], {("value", "mart.spend")}),
    "a column dropped that is read": Case(
        [(LIST, "p.email, ", "")], {("breaking", "mart.list"), ("breaking", "mail.sent")}, fails=True
    ),
    "a column retyped": Case(
        [(LIST, "select p.id", "select p.id::varchar as id")], {("breaking", "mart.list")}, fails=True
    ),
    "a filter": Case([(LIST, "p.active", "p.active and p.country = 'DE'")], {("population", "mart.list")}),
    "the kind of a join": Case([(SPEND, "join shop", "left join shop")], {("population", "mart.spend")}),
    "a grouping": Case([(SPEND, "group by l.country", "group by all")], {("cosmetic", "mart.spend")}),
    "another grouping": Case(
        [(SPEND, "group by l.country", "group by l.country, o.status")], {("population", "mart.spend")}
    ),
    "an expression": Case([(SPEND, "sum(o.amount)", "avg(o.amount)")], {("value", "mart.spend")}),
    "a new column": Case([(LIST, "p.country\n", "p.country, p.active\n")], {("additive", "mart.list")}),
    "a comment": Case([(LIST, "from crm", "-- everybody\nfrom crm")], {("cosmetic", "mart.list")}),
    "layout": Case([(SPEND, "\njoin", "\n    INNER JOIN")], {("cosmetic", "mart.spend")}),
    "an alias": Case([(SPEND, "mart.list l\n", "mart.list ll\n"), (SPEND, "l.", "ll.")], {("cosmetic", "mart.spend")}),
    "a CTE": Case(
        [
            (
                SENT,
                "as\nselect l.email from mart.list l",
                "as\nwith w as (select * from mart.list)\nselect w.email from w",
            )
        ],
        {("cosmetic", "mail.sent")},
    ),
    "a class lowered": Case([(METADATA, PERSONAL, PERSONAL.replace("personal", "public"))], set(), fails=True),
    "SQL that cannot be read": Case([(LIST, "select p.id", "selekt p.id")], {("breaking", "mart.list")}, fails=True),
    "a source's column gone": Case(
        [(SOURCES, 'status = "varchar"', 'state = "varchar"')],
        {("breaking", "shop.orders"), ("breaking", "mart.spend")},
        fails=True,
    ),
    "the header": Case(
        [(LIST, HEADER, f"-- description: Who is there.\n-- tags: daily\n{HEADER}")], {("cosmetic", "mart.list")}
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_is_judged_annotated_and_told(pull: Repository, name: str) -> None:
    edits, wanted, fails = CASES[name]
    for file, old, new in edits:
        edit_file(pull, file, old, new)
    pull.commit()
    told = pull.run("diff", "origin/main", "--format", "json")
    assert {(it["kind"], it["pipeline"]) for it in json.loads(told.stdout)["changes"]} == wanted

    judged = pull.run("diff", *arguments("judge", "github"))
    assert judged.exit_code == int(fails), judged.output
    annotated = re.findall(r"^::(error|warning) file=([^,]+),line=(\d+),title=(\w+)", judged.stdout, re.MULTILINE)
    found = {kind for kind, _ in wanted} & {"breaking", "population", "value"}
    assert {it[3] for it in annotated} == (found or ({"understated"} if fails else set()))
    assert all((pull.root / it[1]).is_file() for it in annotated)

    comment = pull.run("diff", *arguments("compare with the base", "md")).stdout
    assert comment.startswith("<!-- headwater diff -->\n## Lineage of this change\n")
    for kind, pipeline in wanted:
        assert re.search(rf"\| {kind} +\| {re.escape(pipeline)} ", comment), comment
    sarif = json.loads(pull.run("diff", *arguments("compare with the base", "sarif")).stdout)
    assert list(SARIF.iter_errors(sarif)) == []
    assert len(sarif["runs"][0]["results"]) == len(annotated)


def test_pipelines_that_come_and_go(pull: Repository) -> None:
    pull.pipeline("mart/more").write_text("create table mart.more as select id from crm.people")
    pull.pipeline("mail/sent").unlink()
    pull.commit()
    told = json.loads(pull.run("diff", "origin/main", "--format", "json").stdout)["changes"]
    assert [(it["kind"], it["pipeline"]) for it in told] == [("value", "mail.sent"), ("additive", "mart.more")]
    assert pull.run("diff", *arguments("judge", "github")).exit_code == 0


def test_every_command_of_the_workflow_runs_on_a_clean_checkout(pull: Repository, tmp_path: Path) -> None:
    edit_file(pull, LIST, "p.email", "lower(p.email) as email")
    pull.commit()
    summary = tmp_path / "summary.md"
    done = {name: bash(pull, command, summary) for name, command in commands().items()}
    assert {name: it.returncode for name, it in done.items() if it.returncode} == {}, done
    made = {path.name for path in (pull.root / "lineage").iterdir()}
    assert made == {"events.ndjson", "lineage.html", "diff.md", "diff.sarif"}
    assert "| value | mart.list " in summary.read_text()
    assert "::warning file=platform_assets/pipelines/mart/list.sql" in done["judge"].stdout


def commands() -> dict[str, str]:
    """The workflow's own commands but for installing, and posting, which has a test of its own."""
    return {name: run for name, run in RUN.items() if name not in ("install", "find the command", "comment")}


def bash(pull: Repository, command: str, summary: Path) -> "subprocess.CompletedProcess[str]":
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    # as a runner starts it
    words = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command)
    return subprocess.run(words, cwd=pull.root, env=env, capture_output=True, text=True, check=False, timeout=600)


def test_the_workflow_is_pinned_asks_for_no_more_than_it_needs_and_has_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "lineage.yml").read_text()
    assert all(re.fullmatch(r"[\w/-]+@v\d+", step["uses"]) for step in STEPS if "uses" in step)
    assert WORKFLOW["permissions"] == {"contents": "read", "pull-requests": "write", "security-events": "write"}
    assert "secrets." not in text
    # what a pull request may name reaches no shell as text
    assert not any("${{" in run for run in RUN.values())
    assert RUN["install"] == "make sync"
    assert re.search(r"^sync:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    # YAML reads a bare `on` as true
    assert WORKFLOW[True] == {"pull_request": None}


GH = """#!{python}
import json, sys
from pathlib import Path
state = Path(__file__).with_name("comments.json")
comments = json.loads(state.read_text())
words = sys.argv[1:]
assert words.pop(0) == "api"
if "--paginate" in words:
    print(json.dumps([comments[:1], comments[1:]]))
else:
    body = Path(words[-1].removeprefix("body=@")).read_text()
    method, path = words[1], words[2]
    if method == "POST":
        assert path == "repos/o/r/issues/7/comments"
        comments.append({{"id": len(comments) + 1, "user": {{"login": "github-actions[bot]"}}, "body": body}})
    else:
        (one,) = [it for it in comments if path == f"repos/o/r/issues/comments/{{it['id']}}"]
        one["body"] = body
    state.write_text(json.dumps(comments))
"""


class Comments:
    """A ``gh`` that keeps the comments of one pull request in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "gh").write_text(GH.format(python=sys.executable))
        (folder / "gh").chmod(0o755)
        self.state = folder / "comments.json"
        self.state.write_text(json.dumps([{"id": 1, "user": {"login": "somebody"}, "body": "<!-- headwater diff -->"}]))

    def post(self, body: str) -> list[str]:
        """Post by the workflow's own command and return what is under the pull request then."""
        file = self.folder / "lineage" / "diff.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(body)
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "GITHUB_REPOSITORY": "o/r", "PULL_REQUEST": "7"}
        command = f"{ROOT}/{RUN['comment']}"
        subprocess.run(("bash", "-c", command), cwd=self.folder, env=env, check=True, timeout=600)
        return [it["body"] for it in json.loads(self.state.read_text())]


def test_the_comment_is_made_once_and_edited_then(tmp_path: Path) -> None:
    comments = Comments(tmp_path / "fake")
    mark = "<!-- headwater diff -->"
    assert comments.post(f"{mark}\n\nNothing changes.") == [mark]
    first = f"{mark}\n1 value\n$(echo no) `x` ümlaut"
    assert comments.post(first) == [mark, first]
    assert comments.post(f"{mark}\n2 value") == [mark, f"{mark}\n2 value"]
    assert comments.post(f"{mark}\n\nNothing changes.") == [mark, f"{mark}\n\nNothing changes."]


def test_each_hook_runs_in_the_project_that_it_is_in(pull: Repository) -> None:
    edit_file(pull, LIST, "p.email", "lower(p.email) as email")
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "pass_filenames"} <= hook.keys()
        _, root, command, *words = shlex.split(hook["entry"])
        assert (root, command) == ("HEADWATER_ROOT=.", "headwater")
        if words[0] in ("lineage", "diff"):
            assert pull.run(*words).exit_code == 0
        pattern = re.compile(hook.get("files", ""))
        assert pattern.search("platform_assets/pipelines/mart/list.sql")
    assert [hook["entry"].split()[3] for hook in HOOKS] == ["lineage", "check", "diff", "report"]


def test_a_hook_stops_what_cannot_be_read(pull: Repository) -> None:
    edit_file(pull, LIST, "p.email", "p.emial")
    for hook in HOOKS:
        words = shlex.split(hook["entry"])[3:]
        if words[0] in ("lineage", "diff"):
            said = pull.run(*words)
            assert said.exit_code == 1
            assert "did you mean email?" in said.output
