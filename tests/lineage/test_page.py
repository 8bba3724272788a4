"""The page on the edges says what the engine does: every row of its tables is run."""

import re
from pathlib import Path

import pytest

from governance.lineage import column_lineage
from tests.lineage.cases import read_cases, read_schema
from tests.lineage.forms import as_expected, told

PAGE = (Path(__file__).parents[2] / "docs" / "lineage.md").read_text(encoding="utf-8")
SCHEMA = read_schema(", ".join(re.findall(r"^\w+\(.+\)$", PAGE, flags=re.MULTILINE)))
EXAMPLES = re.findall(r"^\| `([^`]+)` \| (`.+`) \|$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize(("sql", "edges"), EXAMPLES, ids=[sql[:60] for sql, _ in EXAMPLES])
def test_the_page_shows_what_the_engine_says(sql: str, edges: str, tmp_path: Path) -> None:
    lines = [f"--> {edge}" for edge in re.findall(r"`([^`]+)`", edges)]
    written = tmp_path / "example.sql"
    written.write_text("\n".join(["-- title: example", f"{sql};", *lines]), encoding="utf-8")
    (case,) = read_cases(written)
    found = "\n".join(told(as_expected(one)) for one in column_lineage(case.sql, SCHEMA))
    assert found == "\n".join(map(told, case.expected))


def test_the_page_has_examples() -> None:
    assert set(SCHEMA) == {"orders", "customers", "refunds"}
    assert len(EXAMPLES) == sum(line.startswith("| `") for line in PAGE.splitlines()) > 40
