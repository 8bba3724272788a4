"""The functions that a text calls: of DuckDB, or macros of its blocks; any other is refused by name."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from sqlglot import exp

from governance.errors import LineageError, UnknownFunction
from governance.statement.blocks import GRAMMAR
from governance.statement.parts import Parts
from governance.statement.text import Text

FILE = Path(__file__).with_name("duckdb_functions.txt")
"""The names of DuckDB's own functions, one a line, with ``table`` behind one that stands in FROM; a test writes it."""

SPELT = re.compile(r'"?(\w+)')

UNLISTED = GRAMMAR | {"grouping_id", "ifnull", "try"}
"""What DuckDB reads as a function and does not list as one."""


IN_FROM = (exp.Table, exp.Lateral)

LIKE = 0.8
"""How alike, of 1, a name is to one that is proposed in its place."""


@cache
def built_in() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names, in lower case, of DuckDB's functions that make values, and of those that make rows."""
    lines = [line.split() for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    values = frozenset(name for name, *kind in lines if not kind)
    return values | UNLISTED, frozenset(name for name, *kind in lines if kind) | {"unnest"}


def require_functions(text: Text, parts: Parts, macros: Collection[str], near: Collection[str] = ()) -> None:
    """Check that each function in ``parts`` is one of DuckDB's or of ``macros``; ``near`` are others to propose.

    Raises:
        UnknownFunction: there is no such function.
    """
    values, rows = built_in()
    for call in parts:
        if not isinstance(call, exp.Func):
            continue
        in_from = isinstance(call.parent, IN_FROM) and call.arg_key == "this"
        # what sqlglot has a class for is a function of some SQL: DuckDB tells where it is none of its own
        if (in_from and "start" in call.meta) or isinstance(call, exp.Anonymous):
            name = _spelt(text, call)
            known = rows if in_from else values
            if name not in known and name not in macros:
                raise _unknown(text, call, name, in_from=in_from, near=[*macros, *near, *known])


def _spelt(text: Text, call: exp.Func) -> str:
    """Return the function's name as it is written, in lower case: sqlglot has one class for several names."""
    found = SPELT.match(text.pipeline.sql, call.meta["start"]) if "start" in call.meta else None
    return (found[1] if found else call.name).lower()


def _unknown(text: Text, call: exp.Func, name: str, *, in_from: bool, near: Collection[str]) -> LineageError:
    what = "table function" if in_from else "function"
    close = get_close_matches(name, list(dict.fromkeys(near)), 1, LIKE)
    fix = f"did you mean {close[0]}?" if close else "correct the name, or create a macro in platform_assets/blocks"
    problem = f"{name} is no {what} of DuckDB and no macro of a block"
    return text.wrong(UnknownFunction, call.meta.get("start", 0), problem, fix=fix, clause=name)
