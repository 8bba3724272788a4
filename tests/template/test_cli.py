import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from governance.project import Project
from platform_assets.cli import main
from tests.template.conftest import write

FILE = "platform_assets/pipelines/silver/people.sql.j2"
TEXT = """{# who #}
select
  {%- for c in ['person_id', 'email'] %}
  {{ c }},
  {%- endfor %}
  {{ cents('amount') }} as cents
from {{ source('crm', 'people') }}
"""
SQL = """
create table silver.people as select
  person_id,
  email,
  (amount * 100) as cents
from crm.people
"""


@pytest.fixture
def people(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADWATER_ROOT", str(project.root))
    return write(project, FILE, TEXT)


def asked(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


def test_render_shows_what_a_table_is_built_by(people: Path) -> None:
    assert asked("render", "silver.people") == (0, SQL)
    assert asked("render", str(people)) == (0, SQL)


def test_render_shows_a_plain_file_as_it_is(project: Project, people: Path) -> None:
    assert people.exists()
    write(project, "platform_assets/pipelines/silver/plain.sql", "create table silver.plain as select {'a': 1} as s")
    assert asked("render", "silver.plain") == (0, "create table silver.plain as select {'a': 1} as s\n")


def test_render_of_a_file_elsewhere_leaves_its_query_alone(project: Project, people: Path) -> None:
    assert people.exists()
    other = write(project, "notes/look.sql", "select email from {{ ref('people') }}")
    assert asked("render", str(other)) == (0, "select email from silver.people\n")


def test_render_says_what_there_is(people: Path) -> None:
    assert people.exists()
    code, said = asked("render", "silver.peple")
    assert code == 1
    assert said == "Error: no pipeline builds silver.peple, and there is no such file; name one of silver.people\n"


def test_render_says_what_is_wrong_where_it_is(people: Path) -> None:
    people.write_text(TEXT.replace("cents('", "cent('"))
    code, said = asked("render", "silver.people")
    assert (code, said) == (1, f"Error: {FILE}:6: there is no name cent; did you mean cents?\n")


def test_lineage_of_a_template_says_its_lines(people: Path) -> None:
    code, said = asked("lineage", "--explain", str(people))
    assert code == 0
    assert "silver.people" in said
    assert "          4  email" in said
    assert "          6  (amount * 100) as cents" in said
    assert asked("lineage", "--all", "--explain") == (0, said)


def test_lineage_of_a_template_that_is_wrong_shows_the_templates_line(people: Path) -> None:
    people.write_text(TEXT.replace("cents('amount')", "cents('amuont')"))
    code, said = asked("lineage", str(people))
    assert code == 1
    assert said == (
        f"Error: {people}:6: crm.people has no column amuont; did you mean amount?\n"
        "  {{ cents('amuont') }} as cents\n"
    )


def test_lineage_of_a_template_that_cannot_be_rendered_says_why(people: Path) -> None:
    people.write_text("select {{ x }}")
    code, said = asked("lineage", str(people))
    assert code == 1
    assert said.startswith(f"Error: {people}:1: there is no name x")


def test_events_tell_the_templates_line_beside_the_texts(people: Path) -> None:
    assert people.exists()
    code, said = asked("lineage", "--all", "--format", "openlineage")
    assert code == 0
    facets = [out["facets"] for it in map(json.loads, said.splitlines()) for out in it.get("outputs", ())]
    pieces = [piece for it in facets for piece in it.get("headwater_expressions", {}).get("expressions", ())]
    assert {(it["text"], it["line"], it["templateLine"]) for it in pieces} >= {("(amount * 100) as cents", 5, 6)}
