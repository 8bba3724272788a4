"""What policy files may not say: each mistake names its file and key, and what to write."""

import pytest

from governance.policy import load_sources
from tests.policy.writing import LINEAGE, WAIVERS, Write, put, refused


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


@pytest.mark.parametrize("name", ["metadata.toml", "lineage.toml"])
def test_a_missing_file_is_named(project: Write, name: str) -> None:
    made = project()
    (made.policy[0] / name).unlink()
    error = refused(made)
    assert error.where() == f"governance/{name}"
    assert "no such file" in error.problem


def test_text_that_is_not_utf8_and_a_folder_are_named(project: Write) -> None:
    made = project()
    (made.policy[0] / "waivers.toml").write_bytes(b"# caf\xe9")
    assert "not UTF-8" in refused(made).problem
    (made.policy[0] / "waivers.toml").unlink()
    (made.policy[0] / "waivers.toml").mkdir()
    assert "cannot be read" in refused(made).problem


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


def test_an_overlays_error_names_the_overlays_file(project: Write) -> None:
    made = project()
    put(made.policy[1], {"lineage.toml": "namespace = 3"})
    assert refused(made).where() == ".headwater/scenario/governance/lineage.toml: namespace"


def test_all_missing_settings_are_named_at_once(project: Write) -> None:
    error = refused(project(lineage='masking_functions = []\nnamespace = "n"'))
    assert (error.file, error.key) == ("governance/lineage.toml", "order")
    assert error.problem == "it is missing, as are propagate_through, job_namespace"
    lines = (
        "add the lines at its top",
        'order = ["public", "personal"]',
        'propagate_through = ["DIRECT"]',
        'job_namespace = "…"',
    )
    assert error.fix.splitlines() == list(lines)


def test_a_project_is_not_to_be_named_again(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    made = project()
    made.sources.unlink(missing_ok=True)
    monkeypatch.delenv("HEADWATER_ROOT", raising=False)
    assert refused(made, load_sources).fix == "make it, or name a project with --project"
    monkeypatch.setenv("HEADWATER_ROOT", str(made.root))
    assert refused(made, load_sources).fix == "make it"
