"""JSON → lists, structs and maps in SQL: what a value is worth, what is wrong with it, and which members it has."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from governance.landing.model import FileColumn
from governance.sql_type import ELEMENT, KEY, LIST, MAP, STRUCT, VALUE, SqlType, parsed
from platform_assets.engines.landing import value
from platform_assets.engines.landing.option import listed
from platform_assets.engines.landing.value import Fault, Formats, Value
from platform_assets.engines.sql import literal, quoted

ROOT = "$"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands.

    base:    SQL of the JSON that has it
    path:    DuckDB's path from there
    shown:   what people call it: names with dots between them
    depth:   lambdas around it, each of which names its value apart
    column:  the column that it is in
    """

    base: str
    path: str
    shown: str
    depth: int
    column: FileColumn

    @property
    def type(self) -> str:
        """SQL of what is there, ``NULL`` too where nothing is."""
        return f"coalesce(json_type({self.base}, {literal(self.path)}), 'NULL')"

    @property
    def keys(self) -> str:
        return f"json_keys({self.base}, {literal(self.path)})"

    def within(self, name: str) -> "_Place":
        return replace(self, path=f"{self.path}.{_step(name)}", shown=f"{self.shown}.{name}")

    def each(self, steps: str, make: str) -> str:
        """Return SQL of a list of what ``make`` makes of each value under ``steps``, which it calls ``item``."""
        items = f"json_extract({self.base}, {literal(self.path + steps)})"
        return f"list_transform({items}, lambda {self.item.base}: {make})"

    def each_key(self, make: str) -> str:
        return f"list_transform({self.keys}, lambda {self.key}: {make})"

    @property
    def item(self) -> "_Place":
        return replace(self, base=f"item_{self.depth}", path=ROOT, depth=self.depth + 1)

    @property
    def key(self) -> str:
        return f"key_{self.depth}"


def value_of(column: FileColumn, text: str, formats: Formats) -> Value:
    """Return the value of ``column``, whose type is nested, where the SQL expression ``text`` gives JSON or NULL."""
    kind, place = _kind(column), _at(column, text)
    reason = _reason(kind, place, formats)
    sql = f"cast({_value(kind, place, formats)} as {column.type})"
    return Value(column.name, sql, Fault(column.name, f"({reason}) is not null", f"({reason})"))


def members_in(column: FileColumn, text: str) -> str:
    """Return SQL of the dotted paths in the JSON ``text``, a list: of structs, a dot at their end, and of keys."""
    return _members(_kind(column), _at(column, text))


def members_of(column: FileColumn) -> tuple[str, ...]:
    """Return the dotted paths of the members of structs that are declared in ``column``."""
    return tuple(_declared(_kind(column), column.name))


def _kind(column: FileColumn) -> SqlType:
    kind = parsed(column.type)
    if kind is None or not kind.members:
        raise AssertionError(f"{column.name} is {column.type}, which is not nested")
    return kind


def _at(column: FileColumn, text: str) -> _Place:
    return _Place(text, ROOT, column.name, 1, column)


def _step(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _leaf(kind: SqlType, text: str, place: _Place, formats: Formats) -> Value:
    return value.value_of(replace(place.column, type=kind.name), text, formats)


def _value(kind: SqlType, place: _Place, formats: Formats) -> str:
    members = dict(kind.members)
    if kind.name == STRUCT:
        packed = (f"{quoted(name)} := {_value(it, place.within(name), formats)}" for name, it in kind.members)
        return f"case {place.type} when 'OBJECT' then struct_pack({', '.join(packed)}) end"
    if kind.name == LIST:
        made = place.each("[*]", _value(members[ELEMENT], place.item, formats))
        return f"case {place.type} when 'ARRAY' then {made} end"
    if kind.name == MAP:
        keys = place.each_key(_leaf(members[KEY], place.key, place, formats).sql)
        values = place.each(".*", _value(members[VALUE], place.item, formats))
        # a map cannot be made of keys that are NULL, or that are there twice
        return f"case when {place.type} = 'OBJECT' and {_distinct(keys)} then map({keys}, {values}) end"
    return _leaf(kind, _text(place), place, formats).sql


def _reason(kind: SqlType, place: _Place, formats: Formats) -> str:
    """Return SQL of what is wrong, NULL where nothing is."""
    members = dict(kind.members)
    if kind.name == STRUCT:
        own = [_reason(it, place.within(name), formats) for name, it in kind.members]
        return _unlike(place, "OBJECT", f"coalesce({_alien_key(kind, place)}, {', '.join(own)})")
    if kind.name == LIST:
        return _unlike(place, "ARRAY", _first(place.each("[*]", _reason(members[ELEMENT], place.item, formats))))
    if kind.name == MAP:
        keys = place.each_key(_leaf(members[KEY], place.key, place, formats).sql)
        wrong = _told(_leaf(members[KEY], place.key, place, formats), place)
        twice = f"case when not {_distinct(keys)} then {literal(f'a key of {place.shown} is there more than once')} end"
        values = place.each(".*", _reason(members[VALUE], place.item, formats))
        return _unlike(place, "OBJECT", f"coalesce({_first(place.each_key(wrong))}, {twice}, {_first(values)})")
    return _told(_leaf(kind, _text(place), place, formats), place)


def _alien_key(kind: SqlType, place: _Place) -> str:
    known = listed(name for name, _ in kind.members)
    unknown = f"array_to_string(list_filter({place.keys}, lambda {place.key}: {place.key} not in {known}), ', ')"
    alien = f"{literal('no member is declared for ')} || {unknown} || {literal(f' in {place.shown}')}"
    twice = literal(f"a key of {place.shown} is there more than once")
    found = f"not list_has_all({known}, {place.keys})"
    return f"case when {found} then {alien} when not {_distinct(place.keys)} then {twice} end"


def _members(kind: SqlType, place: _Place) -> str:
    members = dict(kind.members)
    if kind.name == STRUCT:
        keys = place.each_key(f"{literal(place.shown + '.')} || {place.key}")
        found = [
            f"[{literal(place.shown + '.')}]",
            keys,
            *(_members(it, place.within(name)) for name, it in kind.members),
        ]
        return _where(place, "OBJECT", f"list_concat({', '.join(it for it in found if it != NONE)})")
    if kind.name == LIST and (each := _members(members[ELEMENT], place.item)) != NONE:
        return _where(place, "ARRAY", f"flatten({place.each('[*]', each)})")
    if kind.name == MAP and (each := _members(members[VALUE], place.item)) != NONE:
        return _where(place, "OBJECT", f"flatten({place.each('.*', each)})")
    return NONE


NONE = "[]::varchar[]"


def _declared(kind: SqlType, shown: str) -> Iterator[str]:
    for name, it in kind.members:
        own = f"{shown}.{name}" if kind.name == STRUCT else shown
        if kind.name == STRUCT:
            yield own
        yield from _declared(it, own)


def _where(place: _Place, wanted: str, then: str) -> str:
    return f"case {place.type} when {literal(wanted)} then {then} else {NONE} end"


def _text(place: _Place) -> str:
    return f"json_extract_string({place.base}, {literal(place.path)})"


def _told(leaf: Value, place: _Place) -> str:
    if leaf.fault is None:
        return "null::varchar"
    return f"case when {leaf.fault.found} then {literal(place.shown + ': ')} || {leaf.fault.reason} end"


def _unlike(place: _Place, wanted: str, otherwise: str) -> str:
    noun = "an object" if wanted == "OBJECT" else "an array"
    said = f"{literal(f'{place.shown} is not {noun} but ')} || {place.type}"
    return f"case {place.type} when 'NULL' then null when {literal(wanted)} then {otherwise} else {said} end"


def _first(reasons: str) -> str:
    return f"list_filter({reasons}, lambda why: why is not null)[1]"


def _distinct(items: str) -> str:
    return f"(len({items}) = len(list_distinct({items})))"
