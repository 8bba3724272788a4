"""Processes that follow one store at once, beside writers and compaction, and one that is killed as it writes."""

import subprocess
import sys
import time
from os import utime
from pathlib import Path
from signal import SIGKILL

import pytest

from governance.errors import EventStoreError
from governance.heard import heard_of
from governance.past.follow import FILE
from tests.history.world import World, require_same

FOLLOW = """
import sys
from datetime import datetime
from pathlib import Path
from governance.heard import heard_of

events, state, now, times = sys.argv[1:]
for _ in range(int(times)):
    heard_of(Path(events), Path(state), datetime.fromisoformat(now), {}, {}).graph.edges
"""
KILLED = """
import os, signal
from pathlib import Path

Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""

NO_PANDAS = """
import sys
from importlib.abc import MetaPathFinder

class Refusing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        assert name != "pandas"

sys.meta_path.insert(0, Refusing())
"""


def following(world: World, times: int, before: str = "") -> subprocess.Popen[bytes]:
    where = [str(world.project.events), str(world.project.state), world.now.isoformat(), str(times)]
    root = Path(__file__).parents[2]
    return subprocess.Popen([sys.executable, "-c", before + FOLLOW, *where], cwd=root)  # our own modules


def test_killed_as_it_writes_it_leaves_what_was_there(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.append(20)
    require_same(world)
    before = (world.project.state / FILE).read_bytes()
    world.append(20)

    assert following(world, 1, KILLED).wait(60) == -SIGKILL

    assert (world.project.state / FILE).read_bytes() == before
    require_same(world)


def test_what_a_killed_process_left_goes_in_time(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    world.append(5)
    require_same(world)
    left, written = (world.project.state / f"{FILE}.{name}.new" for name in ("1.1", "2.2"))
    for file in (left, written):
        file.write_bytes(b"torn")
    utime(left, (time.time() - 7200,) * 2)

    world.append(5)
    require_same(world)

    assert not left.exists()
    assert written.exists()


def test_many_follow_while_events_are_appended_and_compacted(tmp_path: Path) -> None:
    world = World(tmp_path, 2)
    world.append(30)
    others = [following(world, 12) for _ in range(2)]

    for _ in range(4):
        world.append(10)
        world.compact()
        require_same(world)
        world.day += 1

    assert [it.wait(90) for it in others] == [0, 0]
    require_same(world)


def test_an_older_day_that_was_edited_is_read_anew(tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    world.append(20)
    edited = next(world.project.events.glob("*.ndjson"))
    world.day += 2
    world.append(5)
    require_same(world)

    edited.write_bytes(edited.read_bytes().replace(b'"FAIL"', b'"ABORT"').replace(b'"s.t0"', b'"s.t3"'))
    require_same(world)
    edited.write_bytes(b"".join(edited.read_bytes().splitlines(keepends=True)[:10]))
    require_same(world)
    edited.unlink()
    require_same(world)


def test_a_line_without_its_end_counts_as_where_all_is_read(tmp_path: Path) -> None:
    world = World(tmp_path, 4)
    world.append(10)
    require_same(world)
    file = next(world.project.events.glob("*.ndjson"))

    file.write_bytes(file.read_bytes().removesuffix(b"\n"))
    require_same(world)
    file.write_bytes(file.read_bytes() + b"\n")
    require_same(world)


@pytest.mark.parametrize("ends", [".parquet", ".edges.parquet"])
def test_what_a_store_lost_is_not_hidden_by_what_was_kept(tmp_path: Path, ends: str) -> None:
    world = World(tmp_path, 7)
    world.append(20)
    world.day += 2
    world.compact()
    require_same(world)
    lost = min(world.project.events.glob(f"compacted/*{ends}"), key=lambda it: len(it.name))
    whole = lost.read_bytes()

    for harm in (lambda: lost.write_bytes(whole[: len(whole) // 2]), lost.unlink):
        harm()
        with pytest.raises(EventStoreError, match=lost.name):
            heard_of(world.project.events, world.project.state, world.now, {}, {})
    lost.write_bytes(whole)
    require_same(world)


def test_another_store_in_its_place_is_read_anew(tmp_path: Path) -> None:
    world, other = World(tmp_path / "one", 5), World(tmp_path / "other", 6)
    for it in (world, other):
        it.append(20)
        require_same(it)
    (other.project.state / FILE).write_bytes((world.project.state / FILE).read_bytes())

    require_same(other)


def test_a_question_with_nothing_new_starts_no_pandas(tmp_path: Path) -> None:
    world = World(tmp_path, 8)
    world.append(20)
    world.day += 2
    world.compact()
    world.append(5)
    require_same(world)

    assert following(world, 1, NO_PANDAS).wait(60) == 0
