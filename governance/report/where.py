"""Where in the project's files a finding is to be shown."""

from collections.abc import Mapping

from governance.rules.finding import Finding


def place_of(finding: Finding, files: Mapping[str, str]) -> tuple[str, int] | None:
    """Return file and line of ``finding``: of the evidence where that is a place in the table's file, else its top.

    None where no file builds the table.
    """
    file = files.get(finding.table)
    if file is None:
        return None
    evidence, _, rest = finding.decided_by.partition(f"{file}:")
    line = rest.partition(":")[0]
    return file, int(line) if not evidence and line.isdecimal() else 1


def named(finding: Finding) -> str:
    """Return ``table.column``, or the table alone."""
    return f"{finding.table}.{finding.column}" if finding.column else finding.table
