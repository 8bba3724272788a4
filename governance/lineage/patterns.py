"""Patterns over column names: LIKE, ILIKE, GLOB, SIMILAR TO."""

import re
from collections.abc import Callable
from fnmatch import translate

from sqlglot import exp

Match = Callable[[str], object]


def _like(pattern: str, flags: int) -> Match:
    parts = ("." if char == "_" else ".*" if char == "%" else re.escape(char) for char in pattern)
    return re.compile("".join(parts), flags | re.DOTALL).fullmatch


def like(pattern: str) -> Match:
    """Return the test of ``name LIKE pattern``."""
    return _like(pattern, 0)


def ilike(pattern: str) -> Match:
    """Return the test of ``name ILIKE pattern``."""
    return _like(pattern, re.IGNORECASE)


def glob(pattern: str) -> Match:
    """Return the test of ``name GLOB pattern``."""
    return re.compile(translate(pattern)).match


def similar(pattern: str) -> Match:
    """Return the test of ``name SIMILAR TO pattern``, a regular expression in DuckDB."""
    return re.compile(pattern).fullmatch


PATTERNS: dict[type, Callable[[str], Match]] = {
    exp.Like: like,
    exp.ILike: ilike,
    exp.Glob: glob,
    exp.SimilarTo: similar,
    exp.RegexpLike: similar,
}
