from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from governance.errors import PolicyError
from governance.policy import ColumnPolicy, ExternalJob, Policy, Source, TablePolicy, Waiver, load_policy, load_sources
from governance.project import Project, project_at

LINEAGE = """
order = ["public", "internal", "personal", "sensitive"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = ["Pseudonym"]
namespace = "iceberg://platform"
job_namespace = "headwater"
"""
METADATA = """
["crm.learners"]
owner = "team:crm"
description = "Accounts."
columns.email = { classification = "personal", description = "Address." }
columns."odd name" = { classification = "internal" }
"""
WAIVERS = """
[[waiver]]
rule = "undeclared_metadata"
table = "ai.review_corpus"
column = "body"
reason = "Under review."
who = "dpo@example.com"
until = 2026-12-31
"""
Write = Callable[..., Project]


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


def put(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def refused(project: Project, load: Callable[[Project], object] = load_policy) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        load(project)
    assert caught.value.fix
    return caught.value


def test_the_files_are_read_whole(project: Write) -> None:
    policy = load_policy(project())
    assert policy.tables == {
        "crm.learners": TablePolicy(
            "team:crm",
            "Accounts.",
            {"email": ColumnPolicy("personal", "Address."), "odd name": ColumnPolicy("internal", None)},
        )
    }
    assert policy.lineage.order == ("public", "internal", "personal", "sensitive")
    assert policy.lineage.propagate_through == {"DIRECT", "INDIRECT"}
    assert policy.lineage.masking_functions == {"pseudonym"}
    assert (policy.lineage.namespace, policy.lineage.job_namespace) == ("iceberg://platform", "headwater")
    assert policy.waivers == (
        Waiver(
            "undeclared_metadata",
            "ai.review_corpus",
            "body",
            "Under review.",
            "dpo@example.com",
            date(2026, 12, 31),
        ),
    )


def test_a_column_nobody_declared_has_an_empty_declaration(project: Write) -> None:
    policy = load_policy(project())
    assert policy.column("crm.learners", "email").classification == "personal"
    assert policy.column("crm.learners", "country") == ColumnPolicy() == policy.column("no.table", "x")


def test_declared_tables_cannot_be_changed(project: Write) -> None:
    tables = load_policy(project()).tables
    with pytest.raises(TypeError):
        tables["x.y"] = TablePolicy()  # type: ignore[index]  # that it cannot be is the point


def test_jobs_that_run_elsewhere_are_read(project: Write) -> None:
    text = """
[jobs."crm.export"]
cadence = "1 day"
owner = "team:crm"
namespace = "airflow"
[jobs.backup]
cadence = "6 hours"
"""
    assert load_policy(project(lineage=LINEAGE + text)).external_jobs == (
        ExternalJob("headwater", "backup", timedelta(hours=6)),
        ExternalJob("airflow", "crm.export", timedelta(days=1), "team:crm"),
    )


def test_an_overlay_replaces_by_name_and_adds_waivers(project: Write) -> None:
    made = project()
    overlay = {
        "metadata.toml": '["marketing.list"]\nowner = "team:m"\n["crm.learners"]\ncolumns.x.classification = "strict"',
        "lineage.toml": 'order = ["public", "internal", "personal", "strict"]',
        "waivers.toml": WAIVERS.replace("body", "rating"),
    }
    put(made.policy[1], overlay)
    policy = load_policy(made)
    assert policy.tables["crm.learners"] == TablePolicy(None, None, {"x": ColumnPolicy("strict")})
    assert policy.tables["marketing.list"].owner == "team:m"
    assert policy.lineage.order[-1] == "strict"
    assert policy.lineage.namespace == "iceberg://platform"
    assert [waiver.column for waiver in policy.waivers] == ["body", "rating"]


def test_an_overlays_error_names_the_overlays_file(project: Write) -> None:
    made = project()
    put(made.policy[1], {"lineage.toml": "namespace = 3"})
    assert refused(made).where() == ".headwater/scenario/governance/lineage.toml: namespace"


@pytest.mark.parametrize(
    ("metadata", "key", "says"),
    [
        ('["crm.learners"\n', "", "not TOML"),
        ('["crm.learners"]\nowner = "x@y.z"\nowner = "x@y.z"', "", "not TOML"),
        ('["crm.learners"]\nclass = "personal"', '"crm.learners".class', "unknown key"),
        ('["crm.learners"]\nowner = 3', '"crm.learners".owner', "a text is expected, not 3"),
        ('["crm.learners"]\nowner = " "', '"crm.learners".owner', "a text is expected, not ' '"),
        ('["crm.learners"]\nowner = "CRM"', '"crm.learners".owner', "'CRM' is no owner"),
        ('["crm.learners"]\ncolumns = ["email"]', '"crm.learners".columns', "a table is expected"),
        ('["crm.learners"]\ncolumns.email = "personal"', '"crm.learners".columns.email', "a table is expected"),
        (
            '["crm.learners"]\ncolumns.email.classification = "secret"',
            '"crm.learners".columns.email.classification',
            "unknown class 'secret'",
        ),
        ('["crm.learners"]\ncolumns.email.tag = "x"', '"crm.learners".columns.email.tag', "unknown key"),
        ('[crm.learners]\nowner = "team:crm"', "crm", "one pair of quotes"),
        ('["CRM.Learners"]\nowner = "team:crm"', '"CRM.Learners"', "one pair of quotes"),
        ('version = "1"', "version", "a table is expected"),
    ],
)
def test_bad_metadata_is_refused_by_file_table_and_key(project: Write, metadata: str, key: str, says: str) -> None:
    error = refused(project(metadata=metadata))
    assert (error.file, error.key) == ("governance/metadata.toml", key)
    assert says in error.problem


def test_an_unquoted_table_name_gets_its_own_fix(project: Write) -> None:
    assert '["crm.learners"]' in refused(project(metadata='[crm.learners]\nowner = "team:crm"')).fix


def test_an_unknown_class_lists_the_known_ones(project: Write) -> None:
    error = refused(project(metadata='["a.b"]\ncolumns.x.classification = "secret"'))
    assert "public, internal, personal, sensitive" in error.fix


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('order = ["public", "internal", "personal", "sensitive"]', "", "order", "it is missing"),
        ('order = ["public", "internal", "personal", "sensitive"]', "order = []", "order", "names no class"),
        ('"internal", "personal"', '"internal", "internal"', "order", "stands twice"),
        ('["DIRECT", "INDIRECT"]', '"DIRECT"', "propagate_through", "a list of texts is expected"),
        ('["DIRECT", "INDIRECT"]', '["DIRECT", "ALL"]', "propagate_through", "'ALL'"),
        ('["DIRECT", "INDIRECT"]', "[]", "propagate_through", "names no transformation type"),
        ('["Pseudonym"]', "[1]", "masking_functions", "a list of texts is expected"),
        ("job_namespace", "jobs_namespace", "jobs_namespace", "unknown key"),
        ('namespace = "iceberg://platform"', "", "namespace", "it is missing"),
        ('namespace = "headwater"', 'namespace = "h"\njobs.x.cadence = "daily"', "jobs.x.cadence", "no span of time"),
        ('namespace = "headwater"', 'namespace = "h"\njobs.x.owner = "team:x"', "jobs.x.cadence", "it is missing"),
        ('namespace = "headwater"', 'namespace = "h"\njobs.x = "daily"', "jobs.x", "a table is expected"),
        (
            'namespace = "headwater"',
            'namespace = "h"\njobs.x = { cadence = "1 day", owner = "x" }',
            "jobs.x.owner",
            "no owner",
        ),
    ],
)
def test_bad_lineage_settings_are_refused(project: Write, old: str, new: str, key: str, says: str) -> None:
    error = refused(project(lineage=LINEAGE.replace(old, new, 1)))
    assert (error.file, error.key) == ("governance/lineage.toml", key)
    assert says in error.problem


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ('who = "dpo@example.com"\n', "", "waiver 1.who", "it is missing"),
        ('reason = "Under review."\n', "", "waiver 1.reason", "it is missing"),
        ("until = 2026-12-31\n", "", "waiver 1.until", "it is missing"),
        ("until = 2026-12-31", 'until = "31.12.2026"', "waiver 1.until", "a day is expected, not '31.12.2026'"),
        ("until = 2026-12-31", "until = 2026-12-31T00:00:00", "waiver 1.until", "a day is expected"),
        ("until = 2026-12-31", "until = 2026", "waiver 1.until", "a day is expected, not 2026"),
        ("rule =", "rules =", "waiver 1.rules", "unknown key"),
        ("[[waiver]]", "[waiver]", "waiver", "[[waiver]] tables are expected"),
        ("[[waiver]]", "[[waivers]]", "waivers", "unknown key"),
    ],
)
def test_bad_waivers_are_refused(project: Write, old: str, new: str, key: str, says: str) -> None:
    error = refused(project(waivers=WAIVERS.replace(old, new)))
    assert (error.file, error.key) == ("governance/waivers.toml", key)
    assert says in error.problem


def test_a_day_may_be_written_as_text(project: Write) -> None:
    policy = load_policy(project(waivers=WAIVERS.replace("2026-12-31", '"2026-12-31"')))
    assert policy.waivers[0].until == date(2026, 12, 31)


def test_a_waiver_for_a_whole_table_names_no_column(project: Write) -> None:
    assert load_policy(project(waivers=WAIVERS.replace('column = "body"\n', ""))).waivers[0].column is None


@pytest.mark.parametrize("name", ["metadata.toml", "lineage.toml"])
def test_a_missing_file_is_named(project: Write, name: str) -> None:
    made = project()
    (made.policy[0] / name).unlink()
    error = refused(made)
    assert error.where() == f"governance/{name}"
    assert "no such file" in error.problem


def test_no_waivers_file_waives_nothing(project: Write) -> None:
    made = project()
    (made.policy[0] / "waivers.toml").unlink()
    assert load_policy(made).waivers == ()


def test_text_that_is_not_utf8_and_a_folder_are_named(project: Write) -> None:
    made = project()
    (made.policy[0] / "waivers.toml").write_bytes(b"# caf\xe9")
    assert "not UTF-8" in refused(made).problem
    (made.policy[0] / "waivers.toml").unlink()
    (made.policy[0] / "waivers.toml").mkdir()
    assert "cannot be read" in refused(made).problem


def test_sources_keep_the_tables_column_order(project: Write) -> None:
    text = """
["crm.learners"]
description = "Accounts."
columns.learner_id = "BIGINT"
columns.email = "text"
columns.credit = "numeric(10,2)"
["a.b"]
columns.x = "timestamp with time zone"
"""
    assert load_sources(project(sources=text)) == (
        Source("a.b", (("x", "timestamptz"),)),
        Source(
            "crm.learners",
            (("learner_id", "bigint"), ("email", "varchar"), ("credit", "decimal(10, 2)")),
            "Accounts.",
        ),
    )


@pytest.mark.parametrize(
    ("sources", "key", "says"),
    [
        ('["crm.learners"]\n', '"crm.learners".columns', "names no column"),
        ('["crm.learners"]\ncolumns.x = "money"', '"crm.learners".columns.x', "'money' is no type"),
        ('["crm.learners"]\ncolumns.x = "decimal(50, 2)"', '"crm.learners".columns.x', "is no type"),
        ('["crm.learners"]\ncolumns.x = 1', '"crm.learners".columns.x', "a text is expected"),
        ('["crm.learners"]\nowner = "team:crm"', '"crm.learners".owner', "unknown key"),
        ('[learners]\ncolumns.x = "date"', "learners", "schema and table"),
    ],
)
def test_bad_sources_are_refused(project: Write, sources: str, key: str, says: str) -> None:
    error = refused(project(sources=sources), load_sources)
    assert (error.file, error.key) == ("platform_assets/sources.toml", key)
    assert says in error.problem


def test_the_platforms_own_files_are_right() -> None:
    project = project_at(Path(__file__).parents[2])
    policy = load_policy(project)
    assert isinstance(policy, Policy)
    for source in load_sources(project):
        assert tuple(policy.tables[source.table].columns) == tuple(name for name, _ in source.columns)
        assert all(column.classification for column in policy.tables[source.table].columns.values())
