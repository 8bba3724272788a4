"""A table of the catalog that cannot be read: the rules say so, and pass it over in no silence."""

from governance.errors import CatalogError
from governance.rules.finding import Severity
from tests.coverage.test_rules import Tell, found, known, written

__all__ = ["known"]


def test_a_table_that_cannot_be_read_is_found_as_that(known: Tell) -> None:
    lost = CatalogError("w.t cannot be read: its metadata file is gone", fix="bring that file back")

    (finding,) = found("stale_lineage", known(events=(written(),), damaged={"w.t": lost}))

    assert (finding.table, finding.severity, finding.fix) == ("w.t", Severity.ERROR, "bring that file back")
    assert "cannot be told: w.t cannot be read" in finding.message
