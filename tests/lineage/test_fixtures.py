"""Every fixture's whole edge set, exactly; and the fixtures themselves, tried on DuckDB."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from governance import errors
from governance.lineage import column_lineage
from tests.lineage.cases import Case, read_cases
from tests.lineage.forms import as_expected, told
from tests.lineage.law.verdict import try_law
from tests.lineage.law.worlds import CHANGES, Worlds

FOLDER = Path(__file__).parent.parent / "fixtures" / "lineage"
CASES = [case for path in sorted(FOLDER.glob("*.sql")) for case in read_cases(path)]
READ = [case for case in CASES if case.raises is None]
REFUSED = [case for case in CASES if case.raises is not None]


def named(case: Case) -> str:
    return f"{case.place} {case.title}"


@pytest.mark.parametrize("case", READ, ids=named)
def test_edges(case: Case) -> None:
    found = column_lineage(case.sql, case.schema, dialect=case.dialect, default_schema=case.default_schema)
    right = "\n".join(map(told, case.expected))
    text = "\n".join(told(as_expected(one)) for one in found)
    if case.dialect == "duckdb":
        assert text == right, case.sql
    else:  # a dialect may fold an unquoted output's name
        assert text.casefold() == right.casefold(), case.sql


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_refused_by_name(case: Case) -> None:
    with pytest.raises(errors.LineageError) as refused:
        column_lineage(case.sql, case.schema, dialect=case.dialect, default_schema=case.default_schema)
    assert type(refused.value).__name__ == case.raises


def executable(case: Case) -> bool:
    return case.dialect == "duckdb" and case.duckdb is None and len(case.expected) == 1


EXECUTABLE = [case for case in READ if executable(case)]
QUICK = CHANGES[:3]


@pytest.fixture(scope="module")
def worlds_of() -> Iterator[Callable[[Case], Worlds]]:
    made: dict[str, Worlds] = {}

    def worlds(case: Case) -> Worlds:
        key = repr(case.schema)
        if key not in made:
            made[key] = Worlds(case.schema, seed=3, changes=QUICK)
        return made[key]

    yield worlds
    for one in made.values():
        one.close()


def check(case: Case, worlds: Worlds) -> None:
    trial = try_law(worlds, case.sql, case.expected[0])
    assert not trial.failed
    assert not trial.misses, "; ".join(map(str, trial.misses))
    assert list(trial.names) == [name for name, _ in case.expected[0].fields]


@pytest.mark.parametrize("case", EXECUTABLE, ids=named)
def test_fixture_holds_on_duckdb(case: Case, worlds_of: Callable[[Case], Worlds]) -> None:
    check(case, worlds_of(case))


@pytest.mark.prove
def test_prove_every_fixture_whatever_changes() -> None:
    """The long run: all changes of every column."""
    schemas = {repr(case.schema): case.schema for case in EXECUTABLE}
    for key, schema in schemas.items():
        worlds = Worlds(schema, seed=3)
        for case in EXECUTABLE:
            if repr(case.schema) == key:
                check(case, worlds)
        worlds.close()
