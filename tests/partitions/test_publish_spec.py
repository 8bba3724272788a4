"""How a table is parted: the header changes, columns change, and partition fields have names of their own."""

from datetime import date, datetime

import pyarrow as pa
import pytest
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.transforms import DayTransform

from governance.errors import CatalogError
from platform_assets.iceberg.catalog import Catalog
from tests.partitions.conftest import files, payments
from tests.partitions.tables import held, put


def test_the_header_changes_and_goes_and_old_snapshots_stay_readable(catalog: Catalog) -> None:
    sizes: list[tuple[Snapshot | None, int]] = []
    for terms in ("day(paid_at)", "month(paid_at), bucket(2, id)", "country", "", "day(paid_at)"):
        put(catalog, payments(*range(1, len(sizes) + 2)), terms)
        table = catalog.load_table("s.t")
        assert (
            ", ".join(str(it.transform) for it in table.spec().fields)
            == {
                "day(paid_at)": "day",
                "month(paid_at), bucket(2, id)": "month, bucket[2]",
                "country": "identity",
                "": "",
            }[terms]
        )
        sizes.append((table.current_snapshot(), table.scan().to_arrow().num_rows))
    for snapshot, rows in sizes:
        assert snapshot is not None
        assert len(held(catalog, snapshot.snapshot_id)) == rows


def test_the_spec_changes_in_the_transaction_that_writes(catalog: Catalog) -> None:
    put(catalog, payments(1), "day(paid_at)")
    before = catalog.load_table("s.t")
    put(catalog, payments(1), "country")
    after = catalog.load_table("s.t")
    assert len(after.metadata.metadata_log) == len(before.metadata.metadata_log) + 1


def test_what_somebody_else_parted_stays_so_where_no_header_speaks(catalog: Catalog) -> None:
    put(catalog, payments(1))
    with catalog.load_table("s.t").update_spec() as update:
        update.add_field("paid_at", DayTransform())
    put(catalog, payments(1, 2))
    assert len(catalog.load_table("s.t").spec().fields) == 1
    assert len(files(catalog, "s.t")) == 3


def test_a_column_that_parts_the_table_may_change_its_type(catalog: Catalog) -> None:
    put(catalog, payments(1, 2), "day(paid_at)")
    old = catalog.load_table("s.t").current_snapshot()
    data = payments(3)
    whole = data.set_column(2, "paid_at", data["paid_at"].cast(pa.date32()))
    put(catalog, whole, "day(paid_at)")
    put(catalog, whole, "day(paid_at)")
    assert held(catalog) == sorted(data["id"].to_pylist())
    assert old is not None
    assert len(held(catalog, old.snapshot_id)) == 7


D = pa.table({"id": [1, 2], "d": pa.array([date(2026, 1, 1), date(2026, 1, 2)])})
STAMPED = D.set_column(1, "d", D["d"].cast(pa.timestamp("us")))


@pytest.mark.parametrize("terms", ["d", "", "day(d)", "id, d"])
@pytest.mark.parametrize("between", [None, D.select(["id"])], ids=["retyped", "gone"])
def test_a_column_whose_values_part_the_table_may_come_back_with_another_type(
    catalog: Catalog, terms: str, between: pa.Table | None
) -> None:
    put(catalog, D, "d")
    old = catalog.load_table("s.t").current_snapshot()
    if between is not None:
        put(catalog, between)
    for _ in range(2):
        put(catalog, STAMPED, terms)
    table = catalog.load_table("s.t")
    assert table.scan().to_arrow().sort_by("id").to_pylist() == STAMPED.to_pylist()
    assert len(table.spec().fields) == len(terms.split(", ") if terms else [])
    assert old is not None
    assert table.scan(snapshot_id=old.snapshot_id).to_arrow().sort_by("id").to_pylist() == D.to_pylist()


@pytest.mark.parametrize("terms", ["day(at)", "", "id"])
def test_a_new_column_with_the_name_of_a_partition_field_is_told_and_the_fix_works(
    catalog: Catalog, terms: str
) -> None:
    data = pa.table({"at": pa.array([datetime(2026, 1, 1)]), "id": [1]})  # noqa: DTZ001
    put(catalog, data, "day(at)")
    with pytest.raises(CatalogError) as told:
        put(catalog, data.append_column("at_day", [["x"]]), terms)
    assert told.value.problem.startswith("s.t parts its files by a field at_day, or did so once")
    assert told.value.fix.startswith("call the column otherwise than at_day; or drop the table")
    put(catalog, data.append_column("day_at", [["x"]]), terms)
    catalog.drop_table("s.t")
    put(catalog, data.append_column("at_day", [["x"]]), terms)


def test_a_table_whose_partition_field_has_its_columns_name_is_written_as_ever(catalog: Catalog) -> None:
    """So did earlier versions name it, and so do other programs."""
    put(catalog, D)
    with catalog.load_table("s.t").update_spec() as update:
        update.add_identity("d")
    put(catalog, D, "d")
    assert [it.name for it in catalog.load_table("s.t").spec().fields] == ["d"]
    with pytest.raises(CatalogError, match="call the column otherwise than d; or drop the table"):
        put(catalog, STAMPED, "d")
    put(catalog, STAMPED.rename_columns(["id", "at"]), "at")


def test_a_partition_fields_name_gives_way_to_a_columns(catalog: Catalog) -> None:
    data = pa.table({"at": pa.array([datetime(2026, 1, 1)]), "at_day": ["x"], "id": [1]})  # noqa: DTZ001
    put(catalog, data, "day(at)")
    assert [it.name for it in catalog.load_table("s.t").spec().fields] == ["at_day_"]
    assert catalog.load_table("s.t").scan().to_arrow().to_pylist() == data.to_pylist()


def test_a_term_that_does_not_fit_what_the_query_gave_is_told(catalog: Catalog) -> None:
    with pytest.raises(CatalogError, match=r"s.t is not parted by day\(id\): id is a bigint"):
        put(catalog, payments(1), "day(id)")
    assert not catalog.table_exists("s.t")
