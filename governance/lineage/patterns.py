"""Patterns over column names: LIKE, ILIKE, GLOB, SIMILAR TO."""

import re
import warnings
from collections.abc import Callable
from fnmatch import translate

from sqlglot import exp

from governance.errors import LimitExceeded, UnreadConstruct

Match = Callable[[str], object]


_NESTED = re.compile(r"\([^()]*[*+}|][^()]*\)[*+{]")
"""A repeated group that itself repeats or chooses: what makes a backtracking search exponential."""


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return ``pattern`` as a regular expression.

    Raises:
        UnreadConstruct: it is none.
        LimitExceeded: Python could search for ever, where DuckDB's engine is linear.
    """
    if _NESTED.search(pattern):
        raise LimitExceeded(
            f"the pattern {pattern!r} repeats a group that repeats or chooses", fix="write it without nested repetition"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return re.compile(pattern, flags)
        except re.error as error:
            problem = f"{pattern!r} is no regular expression: {error}"
            raise UnreadConstruct(problem, fix="correct the pattern of COLUMNS or of the star") from error


def _like(pattern: str, flags: int) -> Match:
    parts = ("." if char == "_" else ".*" if char == "%" else re.escape(char) for char in pattern)
    return compiled("".join(parts), flags | re.DOTALL).fullmatch


def like(pattern: str) -> Match:
    """Return the test of ``name LIKE pattern``."""
    return _like(pattern, 0)


def ilike(pattern: str) -> Match:
    """Return the test of ``name ILIKE pattern``."""
    return _like(pattern, re.IGNORECASE)


def glob(pattern: str) -> Match:
    """Return the test of ``name GLOB pattern``."""
    return compiled(translate(pattern)).match


def similar(pattern: str) -> Match:
    """Return the test of ``name SIMILAR TO pattern``, a regular expression in DuckDB."""
    return compiled(pattern).fullmatch


PATTERNS: dict[type, Callable[[str], Match]] = {
    exp.Like: like,
    exp.ILike: ilike,
    exp.Glob: glob,
    exp.SimilarTo: similar,
    exp.RegexpLike: similar,
}


def test_of(tree: exp.Expr) -> Match | None:
    """Return the test of names that ``x [NOT] LIKE pattern``, ILIKE and the like make; None where ``tree`` is none."""
    if tree.__class__ in {exp.Not, exp.Paren}:
        inner = test_of(tree.args["this"])
        if inner is None or tree.__class__ is exp.Paren:
            return inner
        return lambda name: not inner(name)
    reader = PATTERNS.get(tree.__class__)
    if reader is None:
        return None
    matches = reader(tree.args["expression"].name)
    return (lambda name: not matches(name)) if tree.args.get("negate") else matches
