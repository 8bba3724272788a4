"""Damaged SQL gives an answer or a LineageError, nothing else."""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from governance.errors import LineageError
from governance.lineage import column_lineage
from tests.lineage.cases import Case, read_cases

FOLDER = Path(__file__).parent.parent / "fixtures" / "lineage"
SEEDS = [case for path in sorted(FOLDER.glob("*.sql")) for case in read_cases(path)]
WORDS = [word for case in SEEDS for word in re.findall(r"\w+|[^\w\s]+", case.sql)]
DIALECTS = sorted({case.dialect for case in SEEDS})


def damaged(rng: random.Random, sql: str) -> str:
    """The text with one to three words or letters lost, doubled, swapped or put in from elsewhere."""
    for _ in range(rng.randint(1, 3)):
        words = re.split(r"(\s+|\b)", sql)
        at = rng.randrange(len(words))
        other = rng.randrange(len(words))
        change = rng.randrange(7)
        if change == 0:
            del words[at]
        elif change == 1:
            words.insert(at, words[other])
        elif change == 2:
            words[at], words[other] = words[other], words[at]
        elif change == 3:
            words[at] = rng.choice(WORDS)
        elif change == 4:
            words.insert(
                at, rng.choice(("(", ")", ",", "'", '"', "*", ".", ";", "::", "-- ", "/*", "[", "]", "{", "}"))
            )
        elif change == 5:
            words[at] = "".join(rng.choices(string.printable, k=3))
        else:
            words = words[: max(1, at)]
        sql = "".join(words)
    return sql


def mutants(count: int, seed: int) -> Iterator[tuple[Case, str, str]]:
    rng = random.Random(seed)  # noqa: S311  # test data
    for _ in range(count):
        case = rng.choice(SEEDS)
        dialect = rng.choice(DIALECTS) if rng.random() < 0.2 else case.dialect
        yield case, damaged(rng, case.sql), dialect


def check(count: int, seed: int) -> int:
    """How many of the mutants are read; raises where one gives anything but an answer or a LineageError."""
    read = 0
    for case, sql, dialect in mutants(count, seed):
        try:
            column_lineage(sql, case.schema, dialect=dialect, default_schema=case.default_schema)
            read += 1
        except LineageError as refused:
            if "report it" in str(refused):
                pytest.fail(f"caught by the last net: {refused}\n{dialect}: {sql}")
        except Exception as error:  # noqa: BLE001  # whatever else comes is the finding
            pytest.fail(f"{type(error).__name__}: {error}\n{dialect}: {sql}")
    return read


def test_damaged_sql_is_answered_or_refused() -> None:
    count = 4000
    assert 0.1 * count < check(count, seed=1) < 0.9 * count


@pytest.mark.prove
@pytest.mark.timeout(0)
def test_prove_more() -> None:
    for seed in range(2, 40):
        check(4000, seed)


@pytest.mark.parametrize(
    "text", ["", ";", ";;", "--", "/* */", "'", "(", "\x00", "SELECT", "SELECT ;", "WITH", "é" * 40]
)
def test_next_to_nothing(text: str) -> None:
    with pytest.raises(LineageError):
        column_lineage(text, {"s.t": {"a": "int"}})
