"""Settings of lineage.toml for single namespaces, partial orders and foreign tags; edges that people declassify."""

from datetime import date
from pathlib import Path

import pytest

from governance.errors import PolicyError
from governance.names import Spelling
from governance.policy import Declassified, NamespacePolicy, Policy, load_policy
from governance.project import project_at

LINEAGE = """
order = ["public < internal < personal < sensitive", "internal < billing < sensitive"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"

[namespaces."snowflake://acme"]
names = "exact"
propagate_through = ["DIRECT"]

[namespaces."bi://boards"]

[tags]
pii = "personal"
"sensitivity=high" = "sensitive"
"""
METADATA = '["a.a"]\ncolumns.iban = { classification = "billing" }\n'
WAIVERS = """
[[declassify]]
from = "a.a.mail"
to = "b.b.hash"
classification = "internal"
reason = "Salted."
who = "dpo@example.com"
until = 2026-12-31
"""


def policy(root: Path, lineage: str = LINEAGE, waivers: str = WAIVERS) -> Policy:
    folder = root / "governance"
    folder.mkdir()
    for name, text in (("lineage.toml", lineage), ("metadata.toml", METADATA), ("waivers.toml", waivers)):
        (folder / name).write_text(text)
    return load_policy(project_at(root))


def test_all_of_it_is_read(tmp_path: Path) -> None:
    found = policy(tmp_path)

    assert found.lineage.lattice.strictest(["personal", "billing"]) == "sensitive"
    assert found.column("a.a", "iban").classification == "billing"
    assert found.lineage.namespaces == {
        "snowflake://acme": NamespacePolicy(Spelling.EXACT, frozenset({"DIRECT"})),
        "bi://boards": NamespacePolicy(),
    }
    assert found.lineage.spellings == {"snowflake://acme": Spelling.EXACT}
    assert found.lineage.tags == {"pii": "personal", "sensitivity=high": "sensitive"}
    assert found.declassified == (
        Declassified("a.a.mail", "b.b.hash", "internal", "Salted.", "dpo@example.com", date(2026, 12, 31)),
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            '"internal < billing < sensitive"',
            '"internal < billing"',
            "order: personal and billing have no least class",
        ),
        ('"internal < billing < sensitive"', '"sensitive < public"', "order: .* are each below the other"),
        ('"internal < billing < sensitive"', '"internal < < sensitive"', "order: a class has no name"),
        ('names = "exact"', 'names = "loud"', r'namespaces\."snowflake://acme"\.names: unknown rule .loud.'),
        ('names = "exact"', "nmaes = 1", r'namespaces\."snowflake://acme"\.nmaes: unknown key'),
        ('= ["DIRECT"]', "= []", r'namespaces\."snowflake://acme"\.propagate_through: it names no'),
        ('pii = "personal"', 'pii = "secret"', r"tags\.pii: unknown class .secret."),
    ],
)
def test_what_is_wrong_is_said_by_file_and_key(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=rf"^governance/lineage\.toml: {problem}"):
        policy(tmp_path, lineage=LINEAGE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('who = "dpo@example.com"\n', "", r"declassify 1\.who: it is missing"),
        ("until = 2026-12-31", "until = 1", r"declassify 1\.until: a day is expected"),
        ('= "internal"', '= "secret"', r"declassify 1\.classification: unknown class .secret."),
        ("[[declassify]]", "[[declassfy]]", "declassfy: unknown key"),
    ],
)
def test_a_word_without_name_or_day_is_none(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(PolicyError, match=rf"^governance/waivers\.toml: {problem}"):
        policy(tmp_path, waivers=WAIVERS.replace(old, new))
