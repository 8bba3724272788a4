"""Lineage as few bytes and back: each dataset is named once."""

from collections.abc import Iterable

import msgspec

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation

KINDS = tuple(Transformation)
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
Used = tuple[int, str, int, bool]
"""An input field: number of its dataset, name, number of its kind, masking."""


class _Lineage(msgspec.Struct, array_like=True):
    output: str | None
    datasets: list[str]
    fields: list[tuple[str, bool, list[Used]]]
    rows: list[Used]
    inputs: list[str]


_DECODER = msgspec.msgpack.Decoder(_Lineage)


def packed(lineage: ColumnLineage) -> bytes:
    """Return ``lineage`` as bytes."""
    places: dict[str, int] = {}
    fields = [(out.name, out.known, _used(out.inputs, places)) for out in lineage.fields]
    rows = _used(lineage.dataset, places)
    return msgspec.msgpack.encode(_Lineage(lineage.output, [*places], fields, rows, [*lineage.inputs]))


def unpacked(data: bytes | msgspec.Raw) -> ColumnLineage:
    """Return the lineage that ``packed`` made ``data`` of.

    Raises:
        msgspec.DecodeError, IndexError: it made no such bytes.
    """
    it = _DECODER.decode(data)
    fields = tuple(OutputField(name, _inputs(used, it.datasets), known) for name, known, used in it.fields)
    return ColumnLineage(it.output, fields, _inputs(it.rows, it.datasets), tuple(it.inputs))


def _used(inputs: Iterable[InputField], places: dict[str, int]) -> list[Used]:
    """Return ``inputs``, and give each dataset that is not among ``places`` the next one."""
    return [
        (places.setdefault(it.dataset, len(places)), it.field, NUMBERS[it.transformation], it.masking) for it in inputs
    ]


def _inputs(used: Iterable[Used], datasets: list[str]) -> tuple[InputField, ...]:
    return tuple(InputField(datasets[place], name, KINDS[kind], masking) for place, name, kind, masking in used)
