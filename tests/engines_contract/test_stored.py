"""Tables whose files lie in a store, read by either engine: what it gives of them, and what is left afterwards."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from governance.errors import CatalogError
from governance.project import project_at
from platform_assets.engines.engine import Engine, Files, Stored
from platform_assets.iceberg.catalog import open_catalog, plan
from platform_assets.iceberg.publish import replace, target
from tests.engines_contract.asking import GIVEN, ask, shown


class OnDisk:
    """A file of this machine, as a store would give it."""

    def __init__(self, path: str) -> None:
        self._file = Path(path.removeprefix("store://")).open("rb")  # noqa: SIM115  # the engine closes it

    def read_at(self, size: int, at: int) -> bytes:
        return os.pread(self._file.fileno(), size, at)

    def close(self) -> None:
        self._file.close()


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], OnDisk]], Stored]:
    """Give the demo's rows as a table of which somebody opens the files."""
    monkeypatch.setenv("PYICEBERG_HOME", str(tmp_path))
    with open_catalog(project_at(tmp_path)) as catalog:
        replace(catalog, target("s.t", None), GIVEN.to_reader(), {}, {})
        files = plan("s.t", catalog.load_table("s.t")).relation
    assert isinstance(files, Files)
    located = tuple((f"store://{path}", Path(path).stat().st_size) for path in files.paths)
    return lambda opener: Stored(located, files.columns, opener)


def test_a_table_in_a_store_has_its_rows(
    engine: Engine, stored: Callable[[Callable[[str], OnDisk]], Stored], tmp_path: Path
) -> None:
    tables = {"s.t": stored(OnDisk)}
    assert shown(ask(engine, "select * from s.t", tables)) == shown(GIVEN)
    joined = ask(engine, "select count(*) as n from s.t a join s.t b on a.id = b.id where a.word like '%a%'", tables)
    assert joined.to_pylist() == [{"n": 2}]
    assert not [it for it in tmp_path.glob("s*/run-*/**/*") if it.is_file()]


def test_a_store_that_gives_nothing_ends_the_query_with_its_own_error(
    engine: Engine, stored: Callable[[Callable[[str], OnDisk]], Stored], tmp_path: Path
) -> None:
    def refused(_: str) -> OnDisk:
        raise CatalogError("a data file of s.t cannot be read: ACCESS_DENIED", fix="ask for it")

    with pytest.raises(CatalogError, match=r"^a data file of s\.t cannot be read: ACCESS_DENIED; ask for it$"):
        ask(engine, "select * from s.t", {"s.t": stored(refused)})
    assert not [it for it in tmp_path.glob("s*/run-*/**/*") if it.is_file()]
