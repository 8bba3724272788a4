"""What one call to the engine knows: the text, the dialect's rules, the schema, and what the script made so far."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlglot import exp

from governance.block import Block
from governance.errors import LimitExceeded, LineageError
from governance.lineage.columns import Column, Columns, Query
from governance.lineage.dialects import Rules
from governance.lineage.edges import Deps, Source
from governance.lineage.model import InputField
from governance.lineage.tables import Tables

Mark = Callable[[exp.Expr, Column], Column]
"""What notes the places of names: (the text that names a column, what it names) → the same column with its place."""

Show = Callable[[Deps], tuple[InputField, ...]]
"""What a result shows for the sources of one field, or of the rows."""

MAX_SECONDS = 8.0
MAX_COLUMNS = 20_000


@dataclass(frozen=True, slots=True)
class Macro:
    """A function or table macro of the script: its parameters (folded), its body, and its name as written."""

    parameters: tuple[str, ...]
    defaults: Mapping[str, exp.Expr]
    body: exp.Expr
    name: str


class Made(NamedTuple):
    """A relation that the script made; ``query`` where it is resolved away (temporary or a view), else it is stored."""

    name: str
    columns: Columns
    query: Query | None = None
    temporary: bool = False


class View(NamedTuple):
    """A block whose query stands for its name; ``number`` counts the blocks before it, which are all that it sees."""

    block: Block
    query: exp.Expr
    number: int


@dataclass(frozen=True, slots=True)
class Session:
    """The state of one call. ``made``, ``macros`` and ``variables`` change from statement to statement, all else stays.

    read:       (query tree, session, environment, enclosing scope) → Query; expressions hold queries and queries hold
                expressions, so whoever reads expressions is handed the reader of queries
    bind:       (macro, scope, arguments) → the scope in which the macro's body is read
    constructs: kinds of expression that have a rule of their own
    masking:    the user's masking functions, lower case
    deadline:   in seconds of ``time.monotonic``
    folded:     whether the schema shows that the catalog spells unquoted names in the dialect's case
    chooses:    whether COLUMNS(…) occurs at all
    used:       names in ``made`` that some statement has read
    mark:       None where lineage is not explained
    solved:     what the unknowns of recursive CTEs turned out to hold
    show:       what makes inputs of sources
    views:      the blocks before the script that are views, by name; ``seen`` says how many blocks are in sight, and
                ``viewed`` keeps what they yield
    callers:    the scopes in which calls of macros stand, by number
    """

    sql: str
    rules: Rules
    tables: Tables
    show: Show
    read: Callable[..., Query]
    bind: Callable[..., Any]
    constructs: Mapping[type, Callable[..., None]]
    masking: frozenset[str]
    deadline: float
    folded: bool = False
    chooses: bool = False
    made: dict[str, Made] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    variables: dict[str, Column] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    mark: Mark | None = None
    solved: dict[Source, Deps] = field(default_factory=dict)
    views: Mapping[str, View] = field(default_factory=dict)
    viewed: dict[str, Query] = field(default_factory=dict)
    seen: int = 0
    callers: dict[int, Any] = field(default_factory=dict)

    def tick(self) -> None:
        """Stop a statement that takes too long.

        Raises:
            LimitExceeded: the call is past its deadline.
        """
        if time.monotonic() > self.deadline:
            raise LimitExceeded(f"lineage took longer than {MAX_SECONDS:.0f} seconds", fix="split the statement")

    def noted(self, at: exp.Expr, column: Column) -> Column:
        """Return ``column``, which the text ``at`` names; where lineage is explained the place goes with it."""
        return column if self.mark is None else self.mark(at, column)

    def key(self, identifier: exp.Expr) -> str:
        """Return the folded name of an identifier."""
        args = identifier.args
        text = args.get("this")
        return self.rules.fold(text if text.__class__ is str else identifier.name, args.get("quoted"))

    def error(
        self, kind: type[LineageError], problem: str, at: exp.Expr | None = None, *, fix: str = "", clause: str = ""
    ) -> LineageError:
        """Return an error of ``kind`` that points at the first name in ``at``, in a block's file where it is there."""
        file, line, column = self._place(at)
        return kind(problem, fix=fix, pipeline=file, line=line, column=column, clause=clause)

    def _place(self, at: exp.Expr | None) -> tuple[str, int | None, int | None]:
        """Return the file of a block, "" for the text itself, and the 1-based line and column where ``at`` begins."""
        metas = [] if at is None else [part.meta for part in at.walk()]
        starts = [meta["start"] for meta in metas if "start" in meta]
        if starts:
            start = min(starts)
            return "", self.sql.count("\n", 0, start) + 1, start - self.sql.rfind("\n", 0, start)
        return min((meta[PLACE] for meta in metas if PLACE in meta), default=("", None, None))


PLACE = "place"
"""What the trees of a block's macro keep of a name's place: file, line and column."""
