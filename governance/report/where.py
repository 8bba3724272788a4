"""Where in the project's files a finding is to be shown."""

from collections.abc import Mapping

from governance.rules.finding import Finding

POLICY = ".toml"
"""How the evidence of a finding ends that is about a line of policy."""


def place_of(finding: Finding, files: Mapping[str, str]) -> tuple[str, int] | None:
    """Return file and line of ``finding``: of the evidence where that is a place in the table's file, else its top.

    What a policy file itself has wrong is shown there, as that is to be edited. None where no file builds the table.
    """
    if finding.decided_by.endswith(POLICY):
        return finding.decided_by, 1
    file = files.get(finding.table)
    if file is None:
        return None
    evidence, _, rest = finding.decided_by.partition(f"{file}:")
    line = rest.partition(":")[0]
    return file, int(line) if not evidence and line.isdecimal() else 1


def named(finding: Finding) -> str:
    """Return ``table.column``, or the table alone."""
    return f"{finding.table}.{finding.column}" if finding.column else finding.table
