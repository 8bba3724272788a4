"""Policy files that are right, to write as they are or with a mistake, and the mistake that is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from governance.errors import PolicyError
from governance.policy import load_policy
from governance.project import Project

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


def put(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def refused(project: Project, load: Callable[[Project], object] = load_policy) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        load(project)
    assert caught.value.fix
    return caught.value
