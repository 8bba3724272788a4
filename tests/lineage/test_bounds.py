"""Hostile SQL gets an answer or a named limit, soon, in bounded memory, and the process lives."""

# ruff: noqa: S608  no database is near: the texts are the test

import subprocess
import sys
import textwrap

import pytest

from governance.errors import LimitExceeded, LineageError
from governance.lineage import column_lineage

SCHEMA = {
    "s.t": dict.fromkeys("abcde", "INT"),
    "s.w": {f"c{n}": "INT" for n in range(1000)},
    "s.l": {"arr": "INT[]"},
}


def doubling(count: int) -> str:
    return "SELECT a AS c0" + "".join(f", c{n} + c{n} AS c{n + 1}" for n in range(count)) + " FROM s.t"


def diamond(depth: int) -> str:
    ctes = ["c0 AS (SELECT a FROM s.t)"]
    ctes += [f"c{n} AS (SELECT l.a + r.a AS a FROM c{n - 1} l JOIN c{n - 1} r ON l.a = r.a)" for n in range(1, depth)]
    return f"WITH {', '.join(ctes)} SELECT a FROM c{depth - 1}"


def rotating(width: int) -> str:
    columns = ", ".join(f"c{n}" for n in range(width))
    moved = ", ".join(f"c{(n + 1) % width}" for n in range(width))
    return f"WITH RECURSIVE r AS (SELECT {columns} FROM s.w UNION ALL SELECT {moved} FROM r) SELECT * FROM r"


def chained(count: int) -> str:
    columns = ", ".join(f"c{n} + 1 AS c{n}" for n in range(30))
    ctes = [f"q{n} AS (SELECT {columns} FROM {'s.w' if n == 0 else f'q{n - 1}'} WHERE c1 > {n})" for n in range(count)]
    return f"WITH {', '.join(ctes)} SELECT * FROM q{count - 1}"


ANSWERED = {
    "18 doubling lateral aliases": doubling(18),
    "2,000 doubling lateral aliases": doubling(2000),
    "self-join diamonds 16 deep": diamond(17),
    "100 chained CTEs of 30 columns": chained(100),
    "1,000 columns": "SELECT " + ", ".join(f"c{n} + 1 AS d{n}" for n in range(1000)) + " FROM s.w",
    "100 branches": " UNION ".join(["SELECT a, b FROM s.t WHERE c > 1"] * 100),
    "5,000 branches": " UNION ALL ".join(["SELECT a FROM s.t"] * 5000),
    "subqueries 40 deep": "SELECT * FROM (" * 40 + "SELECT a FROM s.t" + ") x" * 40,
    "20,000 terms": "SELECT a" + " + a" * 20_000 + " AS x FROM s.t",
    "20,000 unnamed terms": "SELECT a" + " + a" * 20_000 + " FROM s.t",
    "20,000 conditions": "SELECT a FROM s.t WHERE a = 1" + " AND a = 1" * 20_000,
    "a list of 100,000": "SELECT a IN (" + "1, " * 100_000 + "1) AS x FROM s.t",
    "CASE tower of 100": "SELECT " + "CASE WHEN a > 1 THEN " * 100 + "1" + " END" * 100 + " AS x FROM s.t",
    "a recursive CTE that turns 200 columns": rotating(200),
    "aggregates nested by ORDER BY": "SELECT "
    + "array_agg(a ORDER BY (SELECT " * 30
    + "1"
    + "))" * 30
    + " AS x FROM s.t",
}

LIMITED = {
    "10,000 parentheses": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "CASE tower of 5,000": "SELECT " + "CASE WHEN a > 1 THEN " * 5000 + "1" + " END" * 5000 + " FROM s.t",
    "10,000 NOT": "SELECT " + "NOT " * 10_000 + "a FROM s.t",
    "10,000 minus signs": "SELECT " + "- " * 10_000 + "a FROM s.t",
    "10,000 subscripts": "SELECT arr" + "[1]" * 10_000 + " FROM s.l",
    "3,000 nested types": "SELECT CAST(a AS " + "STRUCT(a " * 3000 + "INT" + ")" * 3000 + ") FROM s.t",
    "3,000 nested WITH": "WITH x AS (" * 3000 + "SELECT 1" + ") SELECT 2" * 3000,
    "2,000 stars over 1,000 columns": "SELECT " + ", ".join("*" * 2000) + " FROM s.w",
    "a cross join to 1,000,000 columns": "SELECT * FROM " + ", ".join(f"s.w w{n}" for n in range(1000)),
    "a PIVOT to 27,000,000 columns": "SELECT * FROM s.t PIVOT (sum(a) "
    + " ".join(f"{'FOR ' if column == 'b' else ''}{column} IN ({', '.join(map(str, range(300)))})" for column in "bcd")
    + ")",
    "3 million characters": "SELECT '" + "x" * 3_000_000 + "'",
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sql", ANSWERED.values(), ids=ANSWERED)
def test_large_sql_is_answered(sql: str) -> None:
    assert len(column_lineage(sql, SCHEMA)) == 1


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sql", LIMITED.values(), ids=LIMITED)
def test_hostile_sql_meets_a_named_limit(sql: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        column_lineage(sql, SCHEMA)
    assert caught.value.fix


def test_doubling_aliases_come_from_the_one_column() -> None:
    (lineage,) = column_lineage(doubling(18), SCHEMA)
    assert lineage.as_dict()["fields"]["c18"] == [["s.t", "a", "DIRECT", "TRANSFORMATION", False]]


def test_a_script_of_thousands_of_lines() -> None:
    script = ";\n".join(f"CREATE TABLE m.t{n} AS\nSELECT a,\n  b + c AS d\nFROM s.t\nWHERE e > {n}" for n in range(450))
    assert len(column_lineage(script, SCHEMA)) == 450


def test_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.lineage.trace.MAX_SECONDS", -1.0)
    with pytest.raises(LimitExceeded, match="took longer"):
        column_lineage("SELECT a FROM s.t", SCHEMA)


@pytest.mark.parametrize("depth", [60, 100, 148])
def test_a_deep_caller_is_not_brought_down(depth: int) -> None:
    """Whoever calls from deep down gets an answer or a LineageError, never a RecursionError."""

    def descend(left: int) -> object:
        return descend(left - 1) if left else column_lineage(sql, SCHEMA)

    sql = "SELECT * FROM (" * depth + "SELECT a FROM s.t" + ") x" * depth
    try:
        assert descend(500)
    except LineageError as error:
        assert isinstance(error, LimitExceeded)  # noqa: PT017  either is right, see above


def test_fifty_megabytes_stay_within_a_gigabyte() -> None:
    program = """
        from pathlib import Path
        from governance.errors import LimitExceeded
        from governance.lineage import column_lineage
        try:
            column_lineage("SELECT 1 IN (" + "1," * 25_000_000 + "1)", {})
        except LimitExceeded as error:
            # of this program alone: getrusage would tell the peak of the process that it was forked from
            peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
            print(int(peak) // 1024, error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True, timeout=30
    )
    megabytes, _, message = run.stdout.partition(" ")
    assert int(megabytes) < 1024
    assert "50,000,015 characters" in message


def macros(count: int) -> str:
    made = [f"CREATE MACRO f{n}(x) AS f{n - 1}(x) + f{n - 1}(x)" for n in range(1, count)]
    return ";\n".join(["CREATE MACRO f0(x) AS x + x", *made, f"SELECT f{count - 1}(a) AS y FROM s.t"])


def test_macros_that_double_meet_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("governance.lineage.trace.MAX_SECONDS", 0.3)
    with pytest.raises(LimitExceeded, match="took longer"):
        column_lineage(macros(40), SCHEMA)


def test_a_few_macros_of_macros_are_inlined() -> None:
    (lineage,) = column_lineage(macros(6), SCHEMA)
    assert lineage.as_dict()["fields"]["y"] == [["s.t", "a", "DIRECT", "TRANSFORMATION", False]]


@pytest.mark.parametrize("pattern", ["^((a*)*)*b$", "(a|aa)+b", "(a+){20}"])
def test_a_pattern_that_could_search_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(LimitExceeded, match="repeats a group"):
        column_lineage(f"SELECT COLUMNS('{pattern}') FROM s.t", {"s.t": {"a" * 60: "INT"}})
