"""Values of DuckDB's SQL as Spark writes them: what is not listed here is refused."""

import re
from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from governance.statement.spark.kinds import (
    BIGINT,
    BOOLEAN,
    DATE,
    DATED,
    INTEGER,
    NESTED,
    NULL,
    OTHER,
    PASSING,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNKNOWN,
    VARCHAR,
    Kind,
    castable,
    common,
    held_alike,
    kind_of,
)
from governance.statement.spark.model import Scope, Value, called, only, refused, text

INT_MAX, LONG_MAX = 2**31 - 1, 2**63 - 1
INLINED = 20_000
"""Characters that an alias may stand for: aliases of aliases double."""

ISO = {
    DATE: re.compile(r"\d{4}-\d\d-\d\d"),
    TIMESTAMP: re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?"),
    TIMESTAMPTZ: re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00:00"),
}
COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}

FURTHER: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Column: ("table", "db"),
    exp.Literal: ("is_string",),
    exp.Between: ("low", "high"),
    exp.Cast: ("to",),
    exp.Case: ("ifs", "default"),
    exp.If: ("true", "false"),
    exp.In: ("query",),
    exp.Like: ("negate",),
    exp.Is: ("negate",),
    exp.Count: ("big_int",),
    exp.Greatest: ("ignore_nulls",),
    exp.Least: ("ignore_nulls",),
    exp.DPipe: ("safe",),
    exp.DateTrunc: ("unit", "input_type_preserved"),
    exp.TimestampTrunc: ("unit", "input_type_preserved"),
    exp.Lag: ("offset",),
    exp.Lead: ("offset",),
    exp.Window: ("partition_by", "order", "over"),
}
"""What is read of each beside the usual; anything else that the parser finds is refused, not lost."""

Write = Callable[[exp.Expr, Scope], Value]


def value(it: exp.Expr, scope: Scope) -> Value:
    """Return ``it`` as Spark writes it, with the kind that DuckDB gives it.

    Raises:
        UnreadConstruct: it may mean something else there.
    """
    from governance.statement.spark.table import WRITERS  # noqa: PLC0415  # values hold calls, and calls hold values

    write = WRITERS.get(type(it))
    if write is None:
        raise refused(it, called(it))
    only(it, "this", "expression", "expressions", *FURTHER.get(type(it), ()))
    return write(it, scope)


def column(it: exp.Expr, scope: Scope) -> Value:
    """Return a column: DuckDB takes a source's own before an alias of the select list."""
    found = _in_sources(it, scope)
    if found is not None:
        return found
    if not it.args.get("table") and (alias := scope.aliases.get(it.name.lower())):
        if len(alias.sql) > INLINED:
            raise refused(it, f"an alias as long as {it.name}")
        return Value(f"({alias.sql})", alias.kind)
    if scope.parent is not None:
        return column(it, scope.parent)
    raise refused(it, f"the name {it.sql('duckdb')}")


def _in_sources(it: exp.Expr, scope: Scope) -> Value | None:
    wanted, table = it.name.lower(), it.text("table").lower()
    if it.args.get("db"):
        raise refused(it, f"the name {it.sql('duckdb')}")
    if not table and wanted in scope.merged:
        table = scope.merged[wanted]
    having = [key for key, columns in scope.sources.items() if wanted in columns and table in {"", key}]
    if len(having) > 1:
        raise refused(it, f"the name {it.name}, which several tables have,")
    if not having:
        return None
    found = scope.value(having[0], wanted)
    if found.kind == OTHER:
        raise refused(it, f"the type of {it.name}, which Spark lacks,")
    return found


def literal(it: exp.Expr, _scope: Scope) -> Value:
    """Return a text or a number."""
    if it.args["is_string"]:
        return Value(text(it.name), VARCHAR)
    if it.name.isdigit():
        if int(it.name) > LONG_MAX:
            raise refused(it, f"the number {it.name}")
        return Value(it.name, INTEGER) if int(it.name) <= INT_MAX else Value(f"{it.name}L", BIGINT)
    whole, point, places = it.name.partition(".")
    if not point or not (whole + places).isdigit():
        raise refused(it, f"the number {it.name}")
    kind = Kind("decimal", max(len(whole), 1) + len(places), len(places))
    return Value(f"cast({text(it.name)} as {kind.spark})", kind)


def null(_it: exp.Expr, _scope: Scope) -> Value:
    """Return NULL."""
    return Value("null", NULL)


def boolean(it: exp.Expr, _scope: Scope) -> Value:
    """Return TRUE or FALSE."""
    return Value("true" if it.this else "false", BOOLEAN)


def paren(it: exp.Expr, scope: Scope) -> Value:
    """Return what stands in parentheses."""
    inner = value(it.this, scope)
    return Value(f"({inner.sql})", inner.kind)


def truth(it: exp.Expr, scope: Scope) -> Value:
    """Return a condition; a number is none on Spark."""
    found = value(it, scope)
    if found.kind not in {BOOLEAN, NULL, UNKNOWN}:
        raise refused(it, f"a {found.kind.said} as a condition")
    return found


def connected(it: exp.Expr, scope: Scope) -> Value:
    """Return AND or OR."""
    word = "and" if isinstance(it, exp.And) else "or"
    return Value(f"({truth(it.this, scope).sql} {word} {truth(it.expression, scope).sql})", BOOLEAN)


def negated(it: exp.Expr, scope: Scope) -> Value:
    """Return NOT."""
    return Value(f"(not {truth(it.this, scope).sql})", BOOLEAN)


def together(at: exp.Expr, values: Iterable[Value]) -> tuple[list[Value], Kind]:
    """Return the values as of one kind, a date's text as the date that it is."""
    given = list(values)
    dated = next((it.kind for it in given if it.kind in DATED), None)
    given = [_dated(it, dated) for it in given]
    kind = common(it.kind for it in given)
    if kind is None:
        said = " and ".join(dict.fromkeys(it.kind.said for it in given))
        raise refused(at, f"{said} together")
    return [it if it.kind == NULL else it.cast(kind) for it in given], kind


def _dated(it: Value, kind: Kind | None) -> Value:
    """Return a literal beside a date as a date, where it is written as one."""
    form = ISO.get(kind) if kind else None
    if kind and form and it.kind == VARCHAR and form.fullmatch(it.sql[1:-1]):
        return Value(f"cast({it.sql} as {kind.spark})", kind)
    return it


def compared(it: exp.Expr, scope: Scope) -> Value:
    """Return a comparison of values of one kind."""
    (left, right), kind = together(it, (value(it.this, scope), value(it.expression, scope)))
    if kind.name in PASSING:
        raise refused(it, f"a comparison of {kind.said} values")
    return Value(f"({left.ranked.sql} {COMPARED[type(it)]} {right.ranked.sql})", BOOLEAN)


def identical(it: exp.Expr, scope: Scope) -> Value:
    """Return IS NOT DISTINCT FROM, for which NULL is like NULL, or IS DISTINCT FROM."""
    (left, right), kind = together(it, (value(it.this, scope), value(it.expression, scope)))
    if kind.name in PASSING:
        raise refused(it, f"a comparison of {kind.said} values")
    same = f"({left.ranked.sql} <=> {right.ranked.sql})"
    return Value(same if isinstance(it, exp.NullSafeEQ) else f"(not {same})", BOOLEAN)


def between(it: exp.Expr, scope: Scope) -> Value:
    """Return BETWEEN."""
    ends = (value(it.this, scope), value(it.args["low"], scope), value(it.args["high"], scope))
    (inner, low, high), _ = together(it, ends)
    return Value(f"({inner.ranked.sql} between {low.ranked.sql} and {high.ranked.sql})", BOOLEAN)


def is_null(it: exp.Expr, scope: Scope) -> Value:
    """Return IS NULL, IS TRUE or IS FALSE."""
    word = "not " if it.args.get("negate") else ""
    if isinstance(it.expression, exp.Null):
        return Value(f"({value(it.this, scope).sql} is {word}null)", BOOLEAN)
    if isinstance(it.expression, exp.Boolean):
        return Value(f"({truth(it.this, scope).sql} is {word}{boolean(it.expression, scope).sql})", BOOLEAN)
    raise refused(it, "IS")


def like(it: exp.Expr, scope: Scope) -> Value:
    """Return LIKE with a pattern that escapes nothing: Spark has an escape by default, DuckDB has none."""
    pattern = it.expression
    if not (isinstance(pattern, exp.Literal) and pattern.is_string) or "\\" in pattern.name:
        raise refused(it, "LIKE with a pattern that is no plain text")
    subject = value(it.this, scope)
    if subject.kind not in {VARCHAR, UNKNOWN}:
        raise refused(it, f"LIKE of a {subject.kind.said}")
    word = "not like" if it.args.get("negate") else "like"
    return Value(f"({subject.sql} {word} {text(pattern.name)})", BOOLEAN)


def cast(it: exp.Expr, scope: Scope) -> Value:
    """Return a cast that is exact, or an error, on both engines."""
    wanted = kind_of(written := it.args["to"].sql("duckdb").lower())
    if isinstance(it.this, exp.Literal) and it.this.is_string:
        form = ISO.get(wanted)
        if wanted != VARCHAR and not (form and form.fullmatch(it.this.name)):
            raise refused(it, f"the text {it.this.name!r} as a {wanted.said}")
        return Value(f"cast({text(it.this.name)} as {wanted.spark})", wanted)
    inner = value(it.this, scope)
    if wanted in {OTHER, Kind(NESTED)} or not castable(inner.kind, wanted):
        raise refused(it, f"a cast of {inner.kind.said} to {written}")
    return inner.cast(wanted) if wanted.of is not None else Value(f"cast({inner.sql} as {wanted.spark})", wanted)


def case(it: exp.Expr, scope: Scope) -> Value:
    """Return CASE, or IF."""
    branches = it.args["ifs"] if isinstance(it, exp.Case) else [it]
    subject = value(it.this, scope) if isinstance(it, exp.Case) and it.this is not None else None
    otherwise = it.args.get("default") or it.args.get("false")
    results = [value(branch.args["true"], scope) for branch in branches]
    results.append(value(otherwise, scope) if otherwise is not None else Value("null", NULL))
    held = held_alike(one.kind for one in results)
    given, kind = (results, held) if held is not None and held.of is not None else together(it, results)
    whens = [_when(it, branch.this, subject, scope) for branch in branches]
    steps = " ".join(f"when {when} then {result.sql}" for when, result in zip(whens, given, strict=False))
    return Value(f"(case {steps} else {given[-1].sql} end)", kind)


def _when(it: exp.Expr, condition: exp.Expr, subject: Value | None, scope: Scope) -> str:
    if subject is None:
        return truth(condition, scope).sql
    (left, right), _ = together(it, (subject, value(condition, scope)))
    return f"({left.ranked.sql} = {right.ranked.sql})"


def parts(it: exp.Expr, scope: Scope) -> list[Value]:
    """Return the arguments of a call, in order."""
    args: Mapping[str, exp.Expr | list[exp.Expr]] = {k: v for k, v in it.args.items() if isinstance(v, exp.Expr | list)}
    given = (one for arg in args.values() for one in (arg if isinstance(arg, list) else [arg]))
    return [value(one, scope) for one in given]
