"""What a MERGE may not hold where it acts on single rows, and what its SELECT could not say again."""

from collections.abc import Iterator

from sqlglot import exp

from governance.errors import UnreadConstruct
from governance.lineage.rows import aggregates
from governance.statement.parts import parts_of
from governance.statement.reads import named_in
from governance.statement.text import Text
from governance.statement.through import functions_of, reached, read_block

VOLATILE = frozenset({
    "random", "setseed", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "nextval", "currval", "setval", "sleep_ms",
    "stats", "vector_type", "write_log",
})  # fmt: skip
"""Functions that give another value each time; ON is asked three times."""

ANY: tuple[type[exp.Expr], ...] = (exp.AnyValue, exp.First, exp.Last)
"""Aggregates that take one of several values, each time another perhaps."""

COMPUTE = "compute it in the source: using (select …) as s"


def require_mergeable(text: Text, tree: exp.Merge, start: int) -> None:
    """Check the ON, the conditions and the values of a MERGE; ``start`` is where errors without a place point.

    Raises:
        UnreadConstruct: one is no expression over single rows, or cannot be told apart from a row of the table.
    """
    for part in _parts(tree):
        for it in part.walk(prune=lambda it: isinstance(it, exp.Query)):
            if problem := _problem(it):
                raise _wrong(text, it, start, problem, COMPUTE)
            if isinstance(it, exp.Column) and it.args.get("db"):
                fix = f"write {tree.this.alias_or_name}.{it.name}"
                raise _wrong(text, it, start, f"{it.sql('duckdb')} names schema and table", fix)
    for condition in _conditions(tree):
        _require_steady(text, condition, start)
    on = tree.args.get("on")
    if isinstance(on, exp.Expr) and (one := on.find(*ANY)):
        problem = f"{one.sql_name().lower()} may give another value each time it is asked, and ON is asked three times"  # type: ignore[attr-defined]
        raise _wrong(text, one, start, problem, COMPUTE)


def _require_steady(text: Text, condition: exp.Expr, start: int) -> None:
    """Check that ``condition`` is the same for a row however often it is asked, the macros and views in it too."""
    for it in condition.walk():
        if called := _volatile(it):
            raise _wrong(text, it, start, f"{called} gives another value each time it is asked", COMPUTE)
    blocks = text.pipeline.blocks
    functions = functions_of(blocks)
    for block in reached(named_in(text, parts_of(condition), (), start), blocks).blocks:
        if called := next(filter(None, map(_volatile, read_block(block, functions).body.walk())), ""):
            problem = f"{block.name} ({block.file}:{block.line}) asks {called}"
            raise _wrong(text, condition, start, f"{problem}, which gives another value each time", COMPUTE)


def _volatile(it: exp.Expr) -> str:
    """Return what of ``it`` gives another value each time, empty for what does not."""
    if isinstance(it, exp.TableSample):
        return "a sample"
    if not isinstance(it, exp.Func):
        return ""
    if isinstance(it, exp.Rand):
        return "random"
    called = (it.name if isinstance(it, exp.Anonymous) else it.sql_name()).lower()
    return called if called in VOLATILE else ""


def _parts(tree: exp.Merge) -> Iterator[exp.Expr]:
    """Yield ON, and the condition and the action of each WHEN."""
    yield from _conditions(tree)
    for when in tree.args["whens"].expressions:
        yield from when.args["then"].iter_expressions() if isinstance(when.args["then"], exp.Expr) else ()


def _conditions(tree: exp.Merge) -> Iterator[exp.Expr]:
    on = tree.args.get("on")
    if isinstance(on, exp.Expr):
        yield on
    for when in tree.args["whens"].expressions:
        if isinstance(condition := when.args.get("condition"), exp.Expr):
            yield condition


def _problem(it: exp.Expr) -> str:
    if isinstance(it, exp.Window) or (isinstance(it, exp.Func) and aggregates(it)):
        return f"{it.sql('duckdb')[:60]} is of many rows, and a MERGE acts on each by itself"
    if isinstance(it, exp.Unnest | exp.Explode | exp.Columns) or (isinstance(it, exp.Star) and _is_value(it)):
        return f"{it.sql('duckdb')[:60]} is more than one value"
    return ""


def _is_value(star: exp.Star) -> bool:
    """Whether this is no whole ``UPDATE SET *`` or ``INSERT *``."""
    return not isinstance(star.parent, exp.Update | exp.Insert)


def _wrong(text: Text, it: exp.Expr, start: int, problem: str, fix: str) -> Exception:
    # the star of a query that begins with FROM is written nowhere, and stands at 0, where a MERGE has none of its parts
    place = next((at for part in it.walk() if (at := part.meta.get("start"))), start)
    return text.wrong(UnreadConstruct, place, problem, fix=fix, clause="merge")
