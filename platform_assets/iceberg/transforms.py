"""Iceberg's partition transforms on Arrow arrays (https://iceberg.apache.org/spec/#partition-transforms).

pyiceberg has them value by value only, without a package of its own in Rust. What comes out are values as Iceberg's
metadata holds them: dates, times and timestamps as the whole numbers that they are counted in.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.transforms import BucketTransform, Transform, TruncateTransform, VoidTransform
from pyiceberg.types import IcebergType

Whole = npt.NDArray[np.int64]

UNITS: Mapping[str, str] = {"year": "Y", "month": "M", "day": "D", "hour": "h"}
"""numpy's units of the transforms of times: each counts from 1970 on, as Iceberg does."""

INT = pa.int32()


def transformed(transform: Transform[Any, Any], kind: IcebergType, values: pa.Array) -> pa.Array:
    """Return ``values`` of a column of the type ``kind`` as ``transform`` parts them; NULL stays NULL.

    Raises:
        OverflowError: a time so far off that its partition has no number.
        ValueError: the transform parts no such type.
    """
    if isinstance(transform, VoidTransform):
        return pa.nulls(len(values), INT)
    plain = _plain(values)
    if str(transform) in UNITS:
        return _of_time(UNITS[str(transform)], values, plain)
    if isinstance(transform, BucketTransform):
        return _bucket(transform, kind, values, plain)
    if isinstance(transform, TruncateTransform):
        return _truncated(transform, kind, plain)
    return plain


def _plain(values: pa.Array) -> pa.Array:
    """Return dates, times and timestamps as whole numbers, and UUIDs as bytes."""
    if isinstance(values, pa.ExtensionArray):
        return values.storage
    if pa.types.is_date32(values.type):
        return values.view(INT)
    return values.view(pa.int64()) if pa.types.is_temporal(values.type) else values


def _of_time(unit: str, values: pa.Array, plain: pa.Array) -> pa.Array:
    counted = "D" if pa.types.is_date32(values.type) else "us"
    instants = _numbers(plain).astype(f"datetime64[{counted}]")
    numbers = instants.astype(f"datetime64[{unit}]").astype(np.int64)
    if np.any(np.abs(numbers) > np.iinfo(np.int32).max):
        raise OverflowError("a time is too far off for a partition of its own")
    return _with_nulls(numbers.astype(np.int32), values)


def _bucket(transform: BucketTransform[Any], kind: IcebergType, values: pa.Array, plain: pa.Array) -> pa.Array:
    if pa.types.is_integer(plain.type):
        buckets = (_murmur3(_numbers(plain)) & np.int32(np.iinfo(np.int32).max)) % transform.num_buckets
        return _with_nulls(buckets.astype(np.int32), values)
    return _each(transform.transform(kind), plain, INT)


def _truncated(transform: TruncateTransform[Any], kind: IcebergType, plain: pa.Array) -> pa.Array:
    if pa.types.is_integer(plain.type):
        numbers = _numbers(plain)
        return _with_nulls(numbers - numbers % transform.width, plain).cast(plain.type)
    if pa.types.is_string(plain.type) or pa.types.is_large_string(plain.type):
        return pc.utf8_slice_codeunits(plain, 0, transform.width)
    return _each(transform.transform(kind), plain, plain.type)


def _numbers(plain: pa.Array) -> Whole:
    return np.asarray(pc.fill_null(plain, 0).cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)


def _with_nulls(numbers: npt.NDArray[Any], like: pa.Array) -> pa.Array:
    return pa.array(numbers, mask=like.is_null().to_numpy(zero_copy_only=False))


def _each(of: Callable[[Any], Any], plain: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return what ``of`` makes of each value, asked once for each that there is."""
    told = plain.dictionary_encode()
    made = pa.array([of(value) for value in told.dictionary.to_pylist()], kind)
    return made.take(told.indices)


def _murmur3(numbers: Whole) -> npt.NDArray[np.int32]:
    """Return the 32-bit Murmur3 hash, seed 0, of each number's eight bytes, low byte first."""
    words = np.ascontiguousarray(numbers, dtype="<i8").view("<u4").reshape(-1, 2)
    found = np.zeros(len(numbers), dtype=np.uint32)
    for place in (0, 1):
        mixed = _rotated(words[:, place] * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        found = _rotated(found ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    found ^= np.uint32(8)
    found = (found ^ (found >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    found = (found ^ (found >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (found ^ (found >> np.uint32(16))).view(np.int32)


def _rotated(words: npt.NDArray[np.uint32], left: int) -> npt.NDArray[np.uint32]:
    return (words << np.uint32(left)) | (words >> np.uint32(32 - left))
