"""Followed step by step or read anew, a store tells rules the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from governance.past.follow import FILE
from tests.history.world import World, require_same

Step = Callable[[World], None]


def later(world: World) -> None:
    world.day += world.random.choice([1, 1, 2, 33])


def append(world: World) -> None:
    world.append(world.random.choice([1, 5, 20]))


def forget(world: World) -> None:
    (world.project.state / FILE).unlink(missing_ok=True)


def damage(world: World) -> None:
    file = world.project.state / FILE
    if file.exists():
        data = bytearray(file.read_bytes())
        data[world.random.randrange(len(data))] ^= 0x40
        file.write_bytes(data)


STEPS: tuple[tuple[Step, int], ...] = ((append, 6), (later, 3), (World.compact, 2), (forget, 1), (damage, 1))


def follow(root: Path, seed: int, *, odd: bool, steps: int) -> None:
    world = World(root, seed, odd=odd)
    kinds, weights = zip(*STEPS, strict=True)
    for step in world.random.choices(kinds, weights, k=steps):
        step(world)
        require_same(world)


@pytest.mark.parametrize("seed", range(3))
def test_a_store_that_is_followed_answers_as_one_that_is_read_anew(tmp_path: Path, seed: int) -> None:
    follow(tmp_path, seed, odd=False, steps=14)


@pytest.mark.parametrize("seed", range(3))
def test_so_does_one_in_which_names_are_odd(tmp_path: Path, seed: int) -> None:
    follow(tmp_path, seed, odd=True, steps=10)


@pytest.mark.prove
@pytest.mark.parametrize("seed", range(100, 130))
def test_long_histories(tmp_path: Path, seed: int) -> None:
    follow(tmp_path, seed, odd=seed % 4 == 0, steps=40)
