"""Whatever is wrong with a template's SQL, the error names the template's file and a line that has what it names."""

import pytest

from governance.errors import HeadwaterError, LineageError, PipelineError
from governance.load import load_pipelines
from governance.page.state import state_of
from governance.policy import load_sources
from governance.project import Project
from governance.statement import read_program
from tests.template.conftest import write

FILE = "platform_assets/pipelines/silver/people.sql.j2"

CASES = {
    "a loop": (
        (
            "select\n  {%- for c in ['person_id', 'amount'] %}\n  {{ c }}, emial_{{ c }},\n  {%- endfor %}\n"
            "  1 as x\nfrom crm.people"
        ),
        "emial_",
    ),
    "after a loop": (
        "select\n  {% for c in ['person_id', 'amount'] %}\n  {{ c }},\n  {% endfor %}\n  emial\nfrom crm.people",
        "emial",
    ),
    "within a line that a loop joins": (
        "select\n  person_id\n  {%- for c in ['amount'] -%}\n  , {{ c }}, emial\n  {%- endfor %}\nfrom crm.people",
        "emial",
    ),
    "an if": (
        (
            "{% set wide = true %}\nselect\n{% if wide %}\n  emial,\n{% else %}\n  email,\n{% endif %}\n  amount\n"
            "from crm.people"
        ),
        "emial",
    ),
    "an else": (
        "select\n{%- if false %}\n  email,\n{%- else %}\n  emial,\n{%- endif %}\n  amount\nfrom crm.people",
        "emial",
    ),
    "a macro's argument": ("select\n  person_id,\n  {{ cents('amuont') }} as cents\nfrom crm.people", "amuont"),
    "an argument some lines down": (
        "select\n  person_id,\n  {{ cents(\n    'amuont'\n  ) }} as cents\nfrom crm.people",
        "amuont",
    ),
    "after an expression of several lines": (
        "select\n  {{ cents(\n    'amount'\n  ) }} as cents, emial\nfrom crm.people",
        "emial",
    ),
    "white space taken": (
        "{%- set x = 1 -%}\n\n\nselect\n  person_id,\n\n  {#- of old -#}\n  emial\nfrom crm.people",
        "emial",
    ),
    "a comment of many lines": ("{# one\ntwo\nthree #}select\n  emial -- {{ 'why' }}\nfrom crm.people", "emial"),
    "windows' line ends": (
        "{% set x = 1 %}\r\nselect\r\n  {% if x %}\r\n  emial\r\n  {% endif %}\r\nfrom crm.people\r\n",
        "emial",
    ),
    "an include": ("select {% include 'part.j2' %}\nfrom crm.people", "part.j2"),
    "below an include": ("select {% include 'part.j2' %}\n, emial\nfrom crm.people", ", emial"),
    "a block that is set": (
        "{% set columns %}\n  person_id,\n  emial\n{% endset %}\nselect\n  {{ columns }}\nfrom crm.people",
        "{{ columns }}",
    ),
    "a filter block": ("select\n{% filter lower %}\n  PERSON_ID,\n  EMIAL\n{% endfilter %}\nfrom crm.people", "EMIAL"),
    "an own macro": ("{% macro own() %}\n  emial\n{% endmacro %}\nselect\n  {{ own() }}\nfrom crm.people", "own()"),
    "a call block": (
        (
            "{% macro within() %}{{ caller() }}{% endmacro %}\nselect\n{% call within() %}\n  emial\n"
            "{% endcall %}\nfrom crm.people"
        ),
        "emial",
    ),
    "a table that is not there": (
        "select 1 as a\nfrom crm.people\n{% if true %}\njoin crm.peple using (person_id)\n{% endif %}",
        "crm.peple",
    ),
    "an ambiguous column": ("{# a #}\nselect\n  person_id\nfrom crm.people a,\n{#\n#}\n  crm.people b", "person_id"),
    "no SQL": (
        "{{ config(owner='team:x') }}\n\nselect\n  {% for c in [1] %}\n  a b c d,\n  {% endfor %}\nfrom crm.people",
        "a b c d",
    ),
    "another table": ("{# a\n#}\ncreate table gold.people as\nselect 1 as a", "gold.people"),
    "a second statement": (
        "{# a\n#}\ncreate table silver.people as\nselect 1 as a;\n{# b\n#}\ncreate table x as select 2",
        "create table x",
    ),
    "a statement that is not read": ("{# a\n#}\n\ndelete from silver.people", "delete"),
    "a header word": ("{# a\n#}\n-- ownr: team:x\nselect 1 as a", "ownr"),
    "a header word's value": ("{# a\n#}\n-- owner: x\nselect 1 as a", "owner"),
    "a grain in the header": ("{# a\n#}\n-- grain: emial\nselect email from crm.people", "emial"),
    "a grain in config": (
        "{# a\n#}\n{{ config(\n  owner='team:x',\n  grain='emial'\n) }}\nselect email from crm.people",
        "emial",
    ),
    "a config's value": ("{# a\n#}\n{{ config(\n  owner='x'\n) }}\nselect email from crm.people", "owner"),
    "said twice": ("-- owner: team:y\n{{ config(\n  owner='team:x'\n) }}\nselect email from crm.people", "team:x"),
    "an unknown name": ("select\n  {{ cents(\n    amuont\n  ) }} as cents\nfrom crm.people", "amuont"),
    "an unknown table": ("select 1 as a\nfrom {{ ref('gold.x') }}", "gold.x"),
    "Jinja without end": ("select\n  1 as a\n{% if true %}\nfrom crm.people", "{% if"),
    "Jinja's syntax": ("select\n  1 as a,\n  {{ 1 + }}\nfrom crm.people", "{{ 1 +"),
}


@pytest.mark.parametrize(("text", "named"), CASES.values(), ids=CASES.keys())
def test_an_error_points_at_what_it_names(project: Project, text: str, named: str) -> None:
    write(project, "platform_assets/blocks/part.j2", "person_id,\nemial" if "\n, emial" not in text else "person_id\n")
    write(project, FILE, text)
    error = _error(project)
    assert isinstance(error, LineageError | PipelineError)
    assert error.where().startswith(f"{FILE}:")
    assert error.line is not None
    line = text.split("\n")[error.line - 1]
    assert named in line
    assert error.fix


def test_a_column_is_told_where_the_line_is_the_templates_own(project: Project) -> None:
    write(project, FILE, "{# a\n#}\nselect\n  person_id, emial\nfrom {{ source('crm', 'people') }}")
    assert _error(project).where() == f"{FILE}:4:14"


def test_two_files_of_one_table_are_an_error_of_that_table_alone(project: Project) -> None:
    write(project, "platform_assets/pipelines/silver/people.sql", "select 1")
    write(project, FILE, "select 1")
    write(project, "platform_assets/pipelines/silver/other.sql", "create table silver.other as select 1 as a")
    people = {it.table: it for it in load_pipelines(project)}
    assert str(people["silver.people"].problem) == (
        f"{FILE}: platform_assets/pipelines/silver/people.sql gives the same table; keep one of the two"
    )
    assert people["silver.other"].problem is None


def test_config_says_what_the_header_says(project: Project) -> None:
    write(
        project,
        FILE,
        "{{ config(owner='team:x', tags=['a', 'b'], grain='email', freshness='1 day', automation='eager',\n"
        " description='Who') }}\nselect email from {{ source('crm', 'people') }}",
    )
    (people,) = load_pipelines(project)
    assert people.problem is None
    told = people.owner, people.tags, people.grain, people.freshness, people.automation, people.description
    assert told == ("team:x", ("a", "b"), ("email",), "1 day", "eager", "Who")


def test_files_with_marks_are_templates_and_others_are_not(project: Project) -> None:
    write(project, "platform_assets/pipelines/silver/a.sql", "select email from {{ source('crm', 'people') }}")
    write(project, "platform_assets/pipelines/silver/b.sql", "create table silver.b as select {'a': {'b': 1}} as s")
    first, second = load_pipelines(project)
    assert first.sql == "create table silver.a as select email from crm.people"
    assert first.origin == (1,)
    assert (second.origin, second.template) == ((), None)


def test_a_later_folders_template_replaces_an_earlier_ones_file(project: Project) -> None:
    write(project, "platform_assets/pipelines/silver/people.sql", "create table silver.people as select 1 as a")
    write(project, ".headwater/scenario/pipelines/silver/people.sql.j2", "select {{ var('least') }} as a")
    (people,) = load_pipelines(project)
    assert people.sql == "create table silver.people as select 3 as a"


def test_a_later_folders_variable_replaces_an_earlier_ones(project: Project) -> None:
    write(project, ".headwater/scenario/governance/lineage.toml", "[vars]\nleast = 7")
    write(project, FILE, "select {{ var('least') }} as a, {{ var('strict') }} as b")
    assert load_pipelines(project)[0].sql.endswith("select 7 as a, true as b")


def test_a_ref_makes_an_order(project: Project) -> None:
    write(project, FILE, "select person_id, {{ cents('amount') }} as cents from {{ source('crm', 'people') }}")
    write(project, "platform_assets/pipelines/gold/sums.sql", "select sum(cents) as cents from {{ ref('people') }}")
    program = read_program(load_pipelines(project), load_sources(project))
    assert [it.pipeline.table for it in program.statements] == ["silver.people", "gold.sums"]
    (cents,) = program.lineages["gold.sums"].fields
    assert [it.field for it in cents.inputs] == ["cents"]


def _error(project: Project) -> HeadwaterError:
    program = read_program(load_pipelines(project), load_sources(project))
    return program.unreadable["silver.people"]


def test_an_included_templates_error_points_into_that_template(project: Project) -> None:
    write(
        project,
        FILE,
        "{# a\n#}\nselect\n{%- for c in ['email'] %}\n  {{ c }},\n{%- endfor %}\n  emial\nfrom crm.people",
    )
    write(
        project,
        "platform_assets/pipelines/gold/all.sql",
        "-- include: silver.people\nselect {{ var('least') }} as a\nfrom silver.people",
    )
    program = read_program(load_pipelines(project), load_sources(project))
    assert program.unreadable["gold.all"].where().startswith(f"{FILE}:7")


def test_a_changed_macro_is_a_changed_project(project: Project) -> None:
    before = state_of(project)
    write(project, "platform_assets/blocks/money.j2", "{% macro cents(c) %}{{ c }}{% endmacro %}")
    assert state_of(project) != before
