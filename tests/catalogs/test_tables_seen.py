"""What is remembered of tables is what a look at all of them anew finds, and spares loading what did not change."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import StringType

from platform_assets.iceberg.catalog import RUN_ID, Catalog, inventory
from platform_assets.iceberg.tables_seen import FILE, TableSeen, TablesSeen, tables_seen
from platform_assets.iceberg.warehouse import local_path

ROWS = pa.table({"a": [1, 2]})
NAMES = ("w.one", "w.two", "w.three", "w.four")

Step = Callable[[Catalog, str, Random, Path], None]


@pytest.fixture
def local(tmp_path: Path) -> SqlCatalog:
    made = SqlCatalog("t", uri=f"sqlite:///{tmp_path / 'c.db'}", warehouse=str(tmp_path / "w"))
    made.create_namespace("w")
    return made


def append(catalog: Catalog, name: str, random: Random, state: Path) -> None:
    assert state
    rows = pa.table({"a": [1]})
    catalog.load_table(name).append(rows, snapshot_properties={RUN_ID: f"r{random.random()}"})


def evolve(catalog: Catalog, name: str, random: Random, state: Path) -> None:
    assert state
    with catalog.load_table(name).update_schema() as change:
        change.add_column(f"c{random.randrange(10**6)}", StringType())


def drop(catalog: Catalog, name: str, random: Random, state: Path) -> None:
    assert random
    assert state
    catalog.drop_table(name)


def lose(catalog: Catalog, name: str, random: Random, state: Path) -> None:
    assert random
    assert state
    location = catalog.load_table(name).metadata_location
    Path(local_path(location)).unlink()


def damage(catalog: Catalog, name: str, random: Random, state: Path) -> None:
    assert catalog
    assert name
    file = state / FILE
    if file.exists():
        data = bytearray(file.read_bytes())
        data[random.randrange(len(data))] ^= 0x40
        file.write_bytes(data)


def found(catalog: Catalog, state: Path) -> Mapping[str, TableSeen]:
    return looked(catalog, state).tables


def looked(catalog: Catalog, state: Path) -> TablesSeen:
    return tables_seen(catalog, inventory(catalog), state)


def require_same(catalog: Catalog, state: Path, fresh: Path) -> None:
    (fresh / FILE).unlink(missing_ok=True)
    one, other = looked(catalog, state), looked(catalog, fresh)
    assert one.tables == other.tables
    assert list(one.tables) == list(other.tables)
    assert [*map(str, one.damaged.values())] == [*map(str, other.damaged.values())]
    assert not one.tables.keys() & one.damaged.keys()
    assert one.tables.keys() | one.damaged.keys() == set(inventory(catalog))


@pytest.mark.parametrize("seed", range(2))
def test_what_is_remembered_is_what_a_look_anew_finds(local: SqlCatalog, tmp_path: Path, seed: int) -> None:
    random, state, lost = Random(seed), tmp_path / "state", set[str]()  # noqa: S311  # a test draws
    steps: tuple[Step, ...] = (append, append, append, evolve, drop, lose, damage)
    for _ in range(20):
        name, step = random.choice(NAMES), random.choice(steps)
        if name not in inventory(local):
            local.create_table(name, ROWS.schema)
        if name not in lost:
            step(local, name, random, state)
            lost |= {name} if step is lose else set()
        require_same(local, state, tmp_path / "fresh")


def test_only_what_changed_is_loaded_again(local: SqlCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        local.create_table(name, ROWS.schema).append(ROWS)
    found(local, tmp_path)
    local.load_table("w.two").append(ROWS)
    loaded: list[Any] = []
    load = local.load_table

    def spied(name: Any) -> Table:
        loaded.append(name)
        return load(name)

    monkeypatch.setattr(local, "load_table", spied)

    found(local, tmp_path)
    found(local, tmp_path)

    assert loaded == ["w.two"]


def test_a_metadata_file_whose_name_may_come_again_is_not_trusted(local: SqlCatalog, tmp_path: Path) -> None:
    made = local.create_table("w.one", ROWS.schema)
    plain = Path(local_path(made.metadata_location))
    text = plain.read_text()
    numbered = plain.with_name("v1.metadata.json")
    local.drop_table("w.one")
    numbered.write_text(text)
    local.register_table("w.one", str(numbered))
    assert found(local, tmp_path)["w.one"].columns == ("a",)

    numbered.write_text(text.replace('"name":"a"', '"name":"b"'))

    assert found(local, tmp_path)["w.one"].columns == ("b",)


def test_each_kind_of_catalog_is_remembered_rightly(catalog: Catalog, tmp_path: Path) -> None:
    catalog.create_namespace("w")
    for name in NAMES:
        catalog.create_table(name, ROWS.schema).append(ROWS, snapshot_properties={RUN_ID: name})
    require_same(catalog, tmp_path / "state", tmp_path / "fresh")
    catalog.drop_table("w.one")
    evolve(catalog, "w.two", Random(1), tmp_path)  # noqa: S311  # a test draws
    catalog.load_table("w.three").append(ROWS)

    require_same(catalog, tmp_path / "state", tmp_path / "fresh")

    seen = found(catalog, tmp_path / "state")
    assert sorted(seen) == ["w.four", "w.three", "w.two"]
    assert len(seen["w.two"].columns) == 2
