"""A run over a large file that DuckDB reads in parts."""

import pytest

from governance.project import Project
from platform_assets.engines.engine import Engine
from platform_assets.iceberg.catalog import Catalog
from tests.platform.running import Landing, landing_project


@pytest.fixture
def landing(project: Project, catalog: Catalog, engine: Engine) -> Landing:
    return landing_project(project, catalog, engine)


def test_rows_that_the_engine_left_out_in_parts_are_read_in_one_piece(landing: Landing) -> None:
    amount = "0" * 16 + "1.00"
    numbers = [*(f"{n:09}" for n in range(5000)), *(f"x{n:08}" for n in range(10)), *(f"{n:09}" for n in range(120))]
    landing.land("orders/1.csv", "id,amount\n" + "".join(f"{number},{amount}\n" for number in numbers))
    sql = "create table bronze.t as from read_csv('landing/orders/*.csv', buffer_size = 20000, max_line_size = 1000)"
    landing.pipeline("bronze.t", sql)
    landing.run("bronze.t")
    assert len(landing.rows("bronze.t")) == 5120
    assert landing.statistics == (5130, 5120, 10)
    assert landing.kinds == ["START", "COMPLETE"]
