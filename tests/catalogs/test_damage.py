"""Tables whose metadata is damaged or gone: which table it is, which file, and what to do."""

import logging
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from governance.errors import CatalogError
from governance.partition import parse_terms
from governance.project import Project
from platform_assets.iceberg.catalog import Catalog, load, load_known, open_catalog, plan
from platform_assets.iceberg.orphans import orphans
from platform_assets.iceberg.publish import append, replace, target
from platform_assets.iceberg.warehouse import local_path

ROWS = pa.table({"a": [1, 2]})


@pytest.fixture
def local(project: Project) -> Iterator[Catalog]:
    with open_catalog(project) as opened:
        for name in ("s.t", "s.u"):
            put(opened, name)
        yield opened


def put(catalog: Catalog, name: str, rows: pa.Table = ROWS) -> None:
    append(catalog, target(name, load_known(catalog, [name]).get(name)), rows.to_reader(), {}, rows.schema)


def metadata_file(catalog: Catalog) -> Path:
    return Path(local_path(load(catalog, "s.t").metadata_location))


def manifest_list(catalog: Catalog) -> Path:
    snapshot = load(catalog, "s.t").current_snapshot()
    assert snapshot is not None
    return Path(local_path(snapshot.manifest_list))


def manifest(catalog: Catalog) -> Path:
    table = load(catalog, "s.t")
    snapshot = table.current_snapshot()
    assert snapshot is not None
    return Path(local_path(snapshot.manifests(table.io)[0].manifest_path))


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-50])


def scrambled(file: Path) -> None:
    file.write_bytes(bytes(byte ^ 0xA5 for byte in file.read_bytes()))


DONE: tuple[tuple[Callable[[Path], None], str], ...] = (
    (emptied, "is damaged ("),
    (cut, "is damaged ("),
    (scrambled, "is damaged ("),
    (Path.unlink, "is gone"),
)


def orphans_of_another(catalog: Catalog) -> object:
    (Path(local_path(load(catalog, "s.u").location())) / "data/left.parquet").write_bytes(b"left")
    return orphans(catalog, ["s.u"], {"s.u": datetime.now(UTC)})


ASKED: tuple[Callable[[Catalog], object], ...] = (
    lambda catalog: plan("s.t", load(catalog, "s.t")),
    orphans_of_another,
    lambda catalog: replace(catalog, target("s.t", load(catalog, "s.t")), ROWS.to_reader(), {}, {}),
)


# pyiceberg's compiled reader of Avro looks past the end of what is cut or scrambled, and may take the process along
HARMED = (
    *((metadata_file, harm, said) for harm, said in DONE),
    *(
        (which, harm, said)
        for which in (manifest_list, manifest)
        for harm, said in DONE
        if harm in (emptied, Path.unlink)
    ),
)


@pytest.mark.parametrize("ask", ASKED, ids=["reading", "orphans of another table", "writing"])
@pytest.mark.parametrize(
    ("which", "harm", "said"), HARMED, ids=[f"{it.__name__}-{harm.__name__}" for it, harm, _ in HARMED]
)
def test_the_table_and_its_file_are_named(
    local: Catalog,
    which: Callable[[Catalog], Path],
    harm: Callable[[Path], None],
    said: str,
    ask: Callable[[Catalog], object],
) -> None:
    file = which(local)
    what = which.__name__.replace("_", " ")
    harm(file)
    with pytest.raises(CatalogError) as caught:
        ask(local)
    told = str(caught.value)
    assert f"s.t cannot be read: its {what} " in told
    assert str(file) in told
    assert said in told
    assert "register_table" in caught.value.fix
    assert "\n" not in told


def test_an_error_of_the_rows_stays_one_of_the_rows(local: Catalog) -> None:
    with pytest.raises(CatalogError, match=r"s\.t does not take these rows"):
        put(local, "s.t", pa.table({"a": ["no number"]}))


def test_a_column_with_nan_is_written_without_a_warning(
    local: Catalog, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = pa.table({"k": [1, 2], "x": [math.nan, 1.0]})
    append(local, target("s.parted", None, parse_terms("k")), rows.to_reader(), {}, rows.schema)
    assert load(local, "s.parted").scan().to_arrow().num_rows == 2
    assert "statistics missing" not in caplog.text + "".join(capfd.readouterr())
    logging.getLogger("pyiceberg.io.pyarrow").warning("another one")
    assert "another one" in caplog.text
