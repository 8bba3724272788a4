"""In which order ``*`` gives the columns of FROM, where USING and NATURAL make two columns one.

The SQL standard puts the merged columns of a join first, then the left side's others, then the right side's; DuckDB
(tried on 2.0.1) and SQLite leave them where they stand on the left.
"""

from collections.abc import Sequence
from typing import NamedTuple

from governance.lineage.columns import Column, Relation


class Merge(NamedTuple):
    """One join by USING or NATURAL: what it merged, and which relations of FROM its two sides are.

    The left side is from ``left`` to ``right``, the right side from there to ``stop``. ``turned`` where the right side
    comes before the left (MySQL reads a RIGHT join as the LEFT join of its sides, turned round).
    """

    columns: Sequence[Column]
    left: int
    right: int
    stop: int
    turned: bool = False


def laid_out(relations: Sequence[Relation], merges: Sequence[Merge], *, in_place: bool) -> list[Column]:
    """Return the columns of ``relations``, those that ``merges`` made one once; inner joins come before outer ones."""
    blocks = {number: list(relation.columns.all() or ()) for number, relation in enumerate(relations)}
    arrange = _in_place if in_place else _first
    for merge in merges:
        left = _taken(blocks, merge.left, merge.right)
        right = _taken(blocks, merge.right, merge.stop)
        blocks[merge.left] = arrange(merge, right, left) if merge.turned else arrange(merge, left, right)
    return [column for number in sorted(blocks) for column in blocks[number]]


def _taken(blocks: dict[int, list[Column]], start: int, stop: int) -> list[Column]:
    return [column for number in range(start, stop) for column in blocks.pop(number, ())]


def _first(merge: Merge, one: list[Column], other: list[Column]) -> list[Column]:
    merged = {column.key for column in merge.columns}
    return [*merge.columns, *(column for column in (*one, *other) if column.key not in merged)]


def _in_place(merge: Merge, one: list[Column], other: list[Column]) -> list[Column]:
    merged = {column.key: column for column in merge.columns}
    left = {column.key: number for number, column in reversed(list(enumerate(one)))}
    kept = [merged.get(c.key, c) for n, c in enumerate(one) if c.key not in merged or left[c.key] == n]
    return [*kept, *(column for column in other if column.key not in merged)]
