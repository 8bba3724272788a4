"""One event's JSON → Event, where a facet that was seen before costs a hash and no parse.

A job that runs again says the same of its columns again: most of an event's bytes are facets that an earlier event had,
byte for byte. Parts are immutable, so both events then hold the same one.
"""

import hashlib
from operator import attrgetter
from typing import Any

import msgspec

from governance.events.model import DatasetFacetsPart, DatasetPart, Event, Part

REMEMBERED = ("schema", "column_lineage", "lineage", "expressions")
"""The facets that are large and repeat; to hash a small one costs more than to read it."""


def _with_fields(part: type[Part], changed: dict[str, tuple[Any, Any]]) -> type[msgspec.Struct]:
    """The struct ``part`` with another (type, default) for some fields; a field that is added to it is here as well."""
    fields = [
        (field.name, *changed.get(field.name, (field.type, _default(field)))) for field in msgspec.structs.fields(part)
    ]
    names = {field.name: field.encode_name for field in msgspec.structs.fields(part)}
    return msgspec.defstruct(f"Unread{part.__name__}", fields, rename=names, frozen=True, gc=False)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.field() if field.default is msgspec.NODEFAULT else field.default


_TYPES = {field.name: field.type for field in msgspec.structs.fields(DatasetFacetsPart)}
_DECODERS = {name: msgspec.json.Decoder(_TYPES[name]) for name in REMEMBERED}
_FACETS = _with_fields(DatasetFacetsPart, dict.fromkeys(REMEMBERED, (msgspec.Raw, msgspec.Raw())))
_DATASET = _with_fields(DatasetPart, {"facets": (_FACETS, _FACETS())})
_DATASETS = (tuple[_DATASET, ...], ())  # type: ignore[valid-type]  # a type made at run time
_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    _with_fields(Event, {"inputs": _DATASETS, "outputs": _DATASETS})
)


_EVENT_FIELDS = attrgetter(*Event.__struct_fields__)
_DATASET_FIELDS = attrgetter(*DatasetPart.__struct_fields__)
_FACET_FIELDS = attrgetter(*DatasetFacetsPart.__struct_fields__)
_SIDES = tuple(Event.__struct_fields__.index(side) for side in ("inputs", "outputs"))
_OWN = DatasetPart.__struct_fields__.index("facets")
_PLACES = tuple((name, DatasetFacetsPart.__struct_fields__.index(name)) for name in REMEMBERED)


class Decoder:
    """Decodes events and remembers their facets for as long as it lives: one reading."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[tuple[str, bytes], Any] = {}

    def __call__(self, raw: bytes) -> Event:
        """Return the event that ``raw`` is.

        Raises:
            msgspec.DecodeError: it is not JSON, or not an event as OpenLineage has it.
        """
        values = list(_EVENT_FIELDS(_DECODER.decode(raw)))
        for side in _SIDES:
            values[side] = tuple(map(self._dataset, values[side]))
        try:
            return Event(*values)
        except ValueError as error:
            raise msgspec.ValidationError(str(error)) from error

    def _dataset(self, unread: Any) -> DatasetPart:
        values = list(_DATASET_FIELDS(unread))
        facets = list(_FACET_FIELDS(values[_OWN]))
        for name, place in _PLACES:
            facets[place] = self._facet(name, facets[place])
        values[_OWN] = DatasetFacetsPart(*facets)
        return DatasetPart(*values)

    def _facet(self, name: str, raw: msgspec.Raw) -> Any:
        view = memoryview(raw)
        if not view:
            return None
        key = name, hashlib.sha256(view).digest()
        if key not in self._seen:
            self._seen[key] = _DECODERS[name].decode(view)
        return self._seen[key]
