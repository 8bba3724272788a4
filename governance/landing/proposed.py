"""What a file itself says of its columns → the block of ``sources.toml`` that declares it."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from governance.errors import LandingError, PolicyError
from governance.landing.declared import ending_format
from governance.landing.model import FileSource, Location, Option
from governance.sql_type import MAP, STRUCT, VALUE, SqlType, parsed, sql_type
from governance.toml_key import quoted, toml_column, toml_key, toml_table

NUMBERS = frozenset({"decimal", "real", "double"})
WHOLE = (frozenset({"integer", "bigint"}), NUMBERS | {"integer", "bigint"})
FRACTIONS = (NUMBERS, NUMBERS)
DATES = (frozenset({"date", "timestamp"}), frozenset({"timestamp", "timestamptz"}))
"""Types as a file's values look, each with those that they may be meant as."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a file says of itself.

    name:    of the dataset: location and path
    format:  a word of ``FORMATS``
    options: that it must be read with, beyond those that its format means
    columns: (name, SQL type) in its own order
    """

    name: str
    format: str
    options: Mapping[str, Option]
    columns: tuple[tuple[str, str], ...]


def block(proposed: Proposed) -> str:
    """Return the lines that declare the file, the last one ended."""
    lines = [toml_table(proposed.name)]
    if proposed.format != ending_format(proposed.name):
        lines.append(f"format = {quoted(proposed.format)}")
    if proposed.options:
        options = ", ".join(f"{toml_key(name)} = {_toml(value)}" for name, value in proposed.options.items())
        lines.append(f"options = {{ {options} }}")
    lines += [f"{toml_column(name)} = {quoted(_plain(kind))}" for name, kind in proposed.columns]
    return "\n".join(lines) + "\n"


def differences(declared: FileSource, proposed: Proposed) -> tuple[str, ...]:
    """Return how the columns that the file has differ from those declared of it, one sentence each."""
    # of what lies deeper the file's own column is text
    said = {it.path.partition(".")[0] or it.name: "varchar" if "." in it.path else it.type for it in declared.columns}
    seen = dict(proposed.columns)
    found = [f"{name} is declared, and the file has no such column" for name in said if name not in seen]
    found += [
        f"the file has {name} ({_plain(kind)}), which is not declared"
        for name, kind in seen.items()
        if name not in said
    ]
    both = [name for name in seen if name in said]
    found += [_misfit(name, said[name], seen[name]) for name in both if not _fits(said[name], seen[name])]
    if not found and list(said) != list(seen):
        found.append(f"the columns are declared in another order than the file's: {', '.join(seen)}")
    return tuple(found)


def written(text: str, proposed: Proposed, file: str) -> str:
    """Return ``text``, the content of ``file``, with the block at its end; what people wrote stays to the byte.

    Raises:
        PolicyError: the file is not TOML, or declares the name already.
    """
    before = _parsed(text, file)
    if proposed.name in before:
        fix = "edit the block by hand, or take it out first"
        raise PolicyError(file, toml_key(proposed.name), "it is declared already", fix=fix)
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith(("\n\n", "\r\n\r\n")) else end if text.endswith("\n") else end * 2
    after = text + gap + block(proposed).replace("\n", end)
    if _parsed(after, file) != before | {proposed.name: tomllib.loads(block(proposed))[proposed.name]}:
        raise PolicyError(file, "", "the block cannot be added at its end", fix="paste it where it belongs")
    return after


def dataset_name(path: str, locations: Mapping[str, Location], root: Path) -> str:
    """Return what the files at ``path`` are called: a name below a declared location, or a path or URL that lies there.

    ``root`` is the project's.

    Raises:
        LandingError: no declared location has it.
    """
    if path.partition("/")[0] in locations:
        return path
    places = [(name, _place(it.at, root)) for name, it in locations.items()]
    for known in (os.path.abspath, os.path.realpath):  # as it is typed, then where its links lead
        at = path if "://" in path else known(path)
        for name, place in sorted(places, key=lambda it: -len(it[1])):
            below = at.removeprefix(place if "://" in place else known(place))
            if below != at and below.startswith("/"):
                return name + below
    known_ones = ", ".join(locations) or "none is declared"
    fix = 'add [locations.landing] with at = "…" to sources.toml, the folder or the URL of the prefix'
    raise LandingError(f"{path.rpartition('/')[2]}: it lies below no declared location ({known_ones})", fix=fix)


def _place(at: str, root: Path) -> str:
    return at if "://" in at else str(root / at)


def _fits(declared: str, seen: str) -> bool:
    """Whether values that look like the type ``seen`` may be meant as ``declared``: a file writes them as text."""
    mine, its = parsed(declared), parsed(seen)
    if mine and its and mine.members and its.members:
        return _nested_fits(mine, its)
    kinds = (WHOLE, FRACTIONS, DATES)
    wider = next((wider for narrow, wider in kinds if seen.partition("(")[0] in narrow), frozenset({seen}))
    return declared in {seen, "varchar"} or declared.partition("(")[0] in wider


def _nested_fits(declared: SqlType, seen: SqlType) -> bool:
    wanted = {name.lower(): kind.sql for name, kind in declared.members}
    if (declared.name, seen.name) == (MAP, STRUCT):
        # an object has members and looks like a struct, whatever its keys are
        return all(_fits(wanted[VALUE], kind.sql) for _, kind in seen.members)
    if declared.name != seen.name:
        return False
    return all(name.lower() in wanted and _fits(wanted[name.lower()], kind.sql) for name, kind in seen.members)


def _plain(kind: str) -> str:
    read = parsed(kind)
    return read.plain if read else kind


def _misfit(name: str, declared: str, seen: str) -> str:
    # one value that is none makes DuckDB take a column for text
    told = "which not every value in the file is" if seen == "varchar" else f"and the file's values are {_plain(seen)}"
    return f"{name} is declared {_plain(declared)}, {told}"


def _toml(value: Option) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(quoted, value))}]"
    return quoted(value) if isinstance(value, str) else str(value).lower()


def _parsed(text: str, file: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(file, "", f"it is not TOML: {error}", fix="mend the syntax at that place") from error


def storable(columns: tuple[tuple[str, str], ...], name: str) -> tuple[tuple[str, str], ...]:
    """Return the columns as they are declared.

    Raises:
        LandingError: one has a type that Iceberg does not store.
    """
    kept = tuple((column, sql_type(kind)) for column, kind in columns)
    wrong = next((column for column, kind in kept if kind is None), None)
    if wrong is not None:
        raise LandingError(f"{name}: Iceberg stores no values as {wrong} has them", fix="declare it as varchar")
    return tuple((column, kind) for column, kind in kept if kind is not None)
