"""Tables as the tests of publishing write and read them."""

from typing import Any

import pyarrow as pa

from governance.partition import parse_terms
from platform_assets.iceberg.catalog import Catalog
from platform_assets.iceberg.publish import Commit, replace, target

DAY = parse_terms("day(paid_at)")


def put(catalog: Catalog, data: pa.Table, terms: str = "", name: str = "s.t") -> Commit:
    known = catalog.load_table(name) if catalog.table_exists(name) else None
    return replace(catalog, target(name, known, parse_terms(terms) if terms else ()), data.to_reader(), {}, {})


def held(catalog: Catalog, snapshot: int | None = None) -> list[Any]:
    return sorted(catalog.load_table("s.t").scan(snapshot_id=snapshot).to_arrow()["id"].to_pylist())
