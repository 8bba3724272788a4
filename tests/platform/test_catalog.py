"""Which catalog is opened, what its types are called, and tables that other programs made."""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestampNanoType

from governance.errors import CatalogError, HeadwaterError
from governance.project import Project, project_at
from platform_assets.assets.instance import dagster_home
from platform_assets.engines.engine import Engine, Files, Query
from platform_assets.iceberg.catalog import (
    Catalog,
    columns,
    inventory,
    kind_of,
    load,
    load_known,
    open_catalog,
    plan,
    schema_of,
    sql_type,
)
from platform_assets.iceberg.publish import replace, target


def test_without_configuration_the_catalog_lies_in_the_state_folder(project: Project, catalog: Catalog) -> None:
    replace(catalog, target("s.t", None), pa.table({"a": [1]}).to_reader(), {}, {})
    assert (project.state / "catalog.db").is_file()
    assert load(catalog, "s.t").location().startswith(str(project.state / "warehouse"))
    assert (kind_of(catalog), catalog.name) == ("sql", "default")


def test_the_catalog_is_the_one_that_pyicebergs_settings_name(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYICEBERG_DEFAULT_CATALOG", "prod")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__URI", f"sqlite:///{tmp_path}/prod.db")
    monkeypatch.setenv("PYICEBERG_CATALOG__PROD__WAREHOUSE", str(tmp_path / "elsewhere"))
    with open_catalog(project) as catalog:
        assert catalog.name == "prod"
        replace(catalog, target("s.t", None), pa.table({"a": [1]}).to_reader(), {}, {})
    assert (tmp_path / "prod.db").is_file()
    assert (tmp_path / "elsewhere").is_dir()
    assert not (project.state / "catalog.db").exists()


def test_a_configuration_that_cannot_be_used_says_where_to_mend_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", "carrier-pigeon://roof")
    with pytest.raises(CatalogError, match="PYICEBERG_CATALOG__DEFAULT"):
        open_catalog(project)


def test_a_catalog_error_holds_no_password(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", "odd://user:hunter2hunter2@roof")
    with pytest.raises(CatalogError) as caught:
        open_catalog(project)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("postgresql+psycopg2://ada:lovelace1@db/lake", "psycopg2.*pip install"),
        ("sqlite:////nowhere/lake.db", "sqlite:////nowhere/lake.db.*unable to open database file"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9.*Connection refused"),
    ],
)
def test_a_catalog_that_cannot_be_reached_says_what_where_and_what_to_do(
    project: Project, monkeypatch: pytest.MonkeyPatch, uri: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg2", None)  # as where the extra is not installed
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", uri)
    with pytest.raises(CatalogError, match=said) as caught:
        open_catalog(project)
    assert caught.value.fix
    assert "lovelace1" not in str(caught.value)


def test_a_catalog_that_breaks_after_it_was_opened_is_an_error_wherever_it_is_asked(
    project: Project, catalog: Catalog
) -> None:
    (project.state / "catalog.db").write_bytes(b"no database " * 1000)
    data = pa.table({"a": [1]})
    asked: tuple[Callable[[], object], ...] = (
        lambda: inventory(catalog),
        lambda: load(catalog, "s.t"),
        lambda: load_known(catalog, ["s.t"]),
        lambda: replace(catalog, target("s.t", None), data.to_reader(), {}, {}),
    )
    for ask in asked:
        with pytest.raises(CatalogError, match="cannot be used"):
            ask()


def test_a_state_folder_that_cannot_be_written_names_its_setting(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", "utf-8")
    project = project_at(tmp_path, tmp_path / "taken")
    with pytest.raises(CatalogError, match="HEADWATER_STATE"):
        open_catalog(project)
    with pytest.raises(HeadwaterError, match="HEADWATER_STATE"):
        dagster_home(project)


def test_a_table_that_is_not_there_is_named(catalog: Catalog) -> None:
    with pytest.raises(CatalogError, match=r"s\.nothing"):
        load(catalog, "s.nothing")
    assert load_known(catalog, ["s.nothing", "nothing"]) == {}


def test_nested_namespaces_are_in_the_inventory(catalog: Catalog) -> None:
    catalog.create_namespace("a")
    catalog.create_namespace("a.b")
    catalog.create_table("a.b.t", Schema(NestedField(1, "x", LongType())))
    assert inventory(catalog) == {"a.b.t"}


def test_nested_columns_keep_their_members(catalog: Catalog, engine: Engine) -> None:
    with engine.open(
        Query("select {'x y': 1, 'z': [date '2026-10-01']} as s, map {'k': 2.5::decimal(4, 1)} as m", ""), {}
    ) as it:
        replace(catalog, target("s.t", None), it, {}, {"s": "a struct"})
    struct, mapping = columns(load(catalog, "s.t"))
    assert (struct.type, struct.doc) == ('struct("x y" integer, "z" date[])', "a struct")
    assert [(it.name, it.type) for it in struct.fields] == [("x y", "integer"), ("z", "date[]")]
    assert [(it.name, it.type) for it in struct.fields[1].fields] == [("_element", "date")]
    assert [(it.name, it.type) for it in mapping.fields] == [("_key", "varchar"), ("_value", "decimal(4, 1)")]
    planned = plan("s.t", load(catalog, "s.t"))
    query = Query("select s.z[1] as d from s.t", "")
    with engine.open(query, {"s.t": planned.relation}) as result, result.batches() as reader:
        assert reader.read_all().to_pylist() == [{"d": date(2026, 10, 1)}]


def test_a_type_without_a_name_is_refused() -> None:
    with pytest.raises(CatalogError, match="timestamp_ns"):
        sql_type(TimestampNanoType())


def test_a_partitioned_table_is_read_and_replaced(catalog: Catalog, engine: Engine) -> None:
    schema = Schema(NestedField(1, "land", StringType()), NestedField(2, "n", LongType()))
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "land"))
    catalog.create_namespace("s")
    catalog.create_table("s.t", schema, partition_spec=spec)
    for factor in (1, 10):
        data = pa.table({"land": ["x", "y"], "n": [factor, 2 * factor]})
        commit = replace(catalog, target("s.t", load(catalog, "s.t")), data.to_reader(), {}, {})
        assert (commit.rows, commit.files, commit.total_rows) == (2, 2, 2)
    planned = plan("s.t", load(catalog, "s.t"))
    assert isinstance(planned.relation, Files)
    query = Query("select sum(n) as n from s.t where land = 'y'", "")
    with engine.open(query, {"s.t": planned.relation}) as result, result.batches() as reader:
        assert reader.read_all().to_pylist() == [{"n": 20}]
    assert schema_of(load(catalog, "s.t")) == {"land": "varchar", "n": "bigint"}
