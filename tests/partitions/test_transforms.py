"""The transforms of partitions, of many values at once."""

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
)

from platform_assets.iceberg.transforms import transformed

MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001
OF_TIME: list[Transform[Any, Any]] = [YearTransform(), MonthTransform(), DayTransform()]
KINDS: list[tuple[IcebergType, pa.DataType, st.SearchStrategy[Any], list[Transform[Any, Any]]]] = [
    (LongType(), pa.int64(), st.integers(-(2**62), 2**62), [BucketTransform(7), TruncateTransform(10)]),
    (IntegerType(), pa.int32(), st.integers(-(2**30), 2**30), [BucketTransform(16), TruncateTransform(3)]),
    (StringType(), pa.string(), st.text(), [BucketTransform(5), TruncateTransform(2), IdentityTransform()]),
    (BinaryType(), pa.large_binary(), st.binary(), [BucketTransform(5), TruncateTransform(2)]),
    (TimestampType(), pa.timestamp("us"), MOMENTS, [*OF_TIME, HourTransform(), BucketTransform(9)]),
    (DateType(), pa.date32(), st.dates(date(1900, 1, 1), date(2200, 1, 1)), [*OF_TIME, BucketTransform(9)]),
    (
        DecimalType(12, 3),
        pa.decimal128(12, 3),
        st.decimals(-(10**8), 10**8, places=3),
        [BucketTransform(11), TruncateTransform(50), IdentityTransform()],
    ),
]


@pytest.mark.parametrize(
    ("kind", "arrow", "values", "transforms"), KINDS, ids=lambda it: str(it) if isinstance(it, IcebergType) else ""
)
@given(data=st.data())
@settings(max_examples=12, deadline=None, database=None)
def test_a_transform_of_many_values_is_pyicebergs_of_each(
    data: st.DataObject,
    kind: IcebergType,
    arrow: pa.DataType,
    values: st.SearchStrategy[Any],
    transforms: list[Transform[Any, Any]],
) -> None:
    given_ = data.draw(st.lists(st.none() | values, max_size=12))
    for transform in transforms:
        one = transform.transform(kind)
        assert transformed(transform, kind, pa.array(given_, arrow)).to_pylist() == [one(it) for it in given_]
