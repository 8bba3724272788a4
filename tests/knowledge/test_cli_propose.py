"""What `headwater propose --write` does to the policy file, and what it leaves as it was."""

import json
from pathlib import Path

from tests.knowledge.project import METADATA, Run


def test_proposals_are_written_for_review_once(run: Run, root: Path) -> None:
    shown = json.loads(run("propose", "--format", "json").output)
    assert [(it["field"], it["declared"], it["proposed"]) for it in shown] == [
        ("b.b.x", None, "personal"),
        ("c.c.y", None, "personal"),
    ]
    assert (root / "governance" / "metadata.toml").read_text() == METADATA

    answer = run("propose", "--write")

    assert "2 columns written to governance/metadata.toml" in answer.output
    text = (root / "governance" / "metadata.toml").read_text()
    assert text.startswith(METADATA.rstrip())
    assert 'columns.x = { classification = "personal" } # proposed from a.a.x (DIRECT IDENTITY)' in text
    assert "0 columns written" in run("propose", "--write").output
    assert (root / "governance" / "metadata.toml").read_text() == text


def test_a_policy_file_keeps_its_line_ends_its_mode_and_the_link_to_it(run: Run, root: Path) -> None:
    link, file = root / "governance" / "metadata.toml", root / "kept.toml"
    file.write_bytes(METADATA.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    link.unlink()
    link.symlink_to(file)

    run("propose", "--write")

    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    content = file.read_bytes()
    assert b"# proposed from a.a.x" in content
    assert content.count(b"\n") == content.count(b"\r\n")
    assert sorted(it.name for it in (root / "governance").iterdir()) == [
        "consumers.toml",
        "lineage.toml",
        "metadata.toml",
    ]
