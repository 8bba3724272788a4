"""Guards that need no expectation: no column that the text names is passed over, none that is read is lost.

They watch the engine at work over every fixture and over random queries.
"""

from collections.abc import Iterator

import pytest
from sqlglot import exp

from governance.errors import LineageError
from governance.lineage import script, select, trace
from governance.lineage.columns import Column
from governance.lineage.scope import Scope
from governance.lineage.session import Session
from tests.lineage.law.queries import sample
from tests.lineage.law.relations import TABLES
from tests.lineage.test_fixtures import READ

Text = tuple[str, dict[str, dict[str, str]], str, str | None]
FIXTURES: list[Text] = [(case.sql, dict(case.schema), case.dialect, case.default_schema) for case in READ]
SAMPLES = range(70_000, 70_400)

NO_VALUES = (
    exp.Star, exp.Partition, exp.SetItem, exp.ReadParquet, exp.ReadCSV, exp.AlterSession, exp.RenameColumn,
    exp.UnpivotColumns, exp.CopyParameter, exp.Returning,
)  # fmt: skip
"""What names columns or settings without reading them: EXCLUDE, partitions, options, and what only shows rows."""


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> "Watch":
    watch = Watch()
    column, parse, projection, inline = Scope.column, trace.parse, select.projection, script.inlined

    def seen(scope: Scope, tree: exp.Expr) -> Column:
        found = column(scope, tree)
        watch.read[id(tree)] = bool(found.deps)
        return found

    def parsed(*arguments: object) -> list[exp.Expr]:
        watch.trees = parse(*arguments)  # type: ignore[arg-type]  # whatever it takes
        return watch.trees

    def projected(scope: Scope, tree: exp.Expr) -> Column:
        found = projection(scope, tree)
        if not found.deps:
            watch.lost += [part.sql() for part in tree.find_all(exp.Column) if watch.read.get(id(part))]
        return found

    def inlined(tree: exp.Expr, session: Session) -> exp.Expr:
        found = inline(tree, session)
        watch.trees = [found if it is tree else it for it in watch.trees]
        return found

    monkeypatch.setattr(script, "inlined", inlined)
    monkeypatch.setattr(Scope, "column", seen)
    monkeypatch.setattr(trace, "parse", parsed)
    monkeypatch.setattr(select, "projection", projected)
    return watch


class Watch:
    """What one call to the engine read: by the id of each reference, whether it came from a source field."""

    def __init__(self) -> None:
        self.read: dict[int, bool] = {}
        self.trees: list[exp.Expr] = []
        self.lost: list[str] = []

    def over(self, texts: list[Text]) -> Iterator[str]:
        for sql, schema, dialect, default in texts:
            self.read, self.lost = {}, []
            try:
                trace.column_lineage(sql, schema, dialect=dialect, default_schema=default)
            except LineageError:  # a random query that DuckDB refuses as well
                continue
            yield sql

    def passed_over(self) -> Iterator[str]:
        for tree in self.trees:
            if isinstance(tree.this, exp.UserDefinedFunction):  # read where it is called
                continue
            for part in tree.find_all(exp.Column):
                if id(part) not in self.read and not names_only(part):
                    yield part.sql()


def names_only(tree: exp.Column) -> bool:
    """Whether a column's name stands where its value is not read: assigned to, listed, excluded."""
    place: exp.Expr = tree.parent if isinstance(tree.parent, exp.Bracket) else tree  # SET list[2] = …
    parent = place.parent
    if isinstance(tree.this, exp.Star) or parent is None or tree.find_ancestor(*NO_VALUES):
        return True
    if tree.name == "DEFAULT":
        return True
    window = tree.find_ancestor(exp.Window, exp.Query)
    if window is not None and window.arg_key == "windows":  # perhaps one that nothing uses
        return True
    if isinstance(parent, exp.Tuple | exp.Ordered):
        parent = parent.parent
        if isinstance(parent, exp.Insert | exp.OnConflict):
            return True
    assigned = isinstance(parent, exp.EQ) and isinstance(parent.parent, exp.Update | exp.OnConflict | exp.Insert)
    return assigned and (parent.this is place or parent.this is place.parent)


def generated() -> list[Text]:
    return [(sample(seed=seed).sql, TABLES, "duckdb", None) for seed in SAMPLES]


VARIABLES = "@m"
"""What is read into a variable is parsed anew."""


def test_every_column_that_a_text_names_is_read(watched: Watch) -> None:
    plain = [text for text in generated() if "WITH" not in text[0]]  # a CTE that nothing uses may be wrong
    for sql in watched.over(FIXTURES + plain):
        if VARIABLES not in sql:
            assert list(watched.passed_over()) == [], sql


def test_no_column_that_is_read_is_lost(watched: Watch) -> None:
    tried = 0
    for sql in watched.over(FIXTURES + generated()):
        tried += 1
        assert watched.lost == [], sql
    assert tried > 900


def test_the_guard_sees_a_loss(watched: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(scope: Scope, tree: exp.Expr) -> dict[int, int]:
        scope.column(tree.this)
        return {}

    monkeypatch.setattr(select, "value_of", lossy)
    assert len(list(watched.over([("SELECT -a AS n FROM s.t", {"s.t": {"a": "INT"}}, "duckdb", None)]))) == 1
    assert watched.lost == ["a"]
