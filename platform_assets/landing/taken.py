"""Which files a table has taken: an INSERT reads those that it has not.

A table's own properties keep them, one property a dataset of files, ``headwater.taken.landing/orders/*.csv``: a JSON
object of each file's name and record. They change in the commit that adds the rows and in no other, so that a run that
is killed takes nothing, two runs never take one file twice, and a table that is dropped or replaced has taken none.

What a person says of a file stands beside them, one property a file, ``headwater.corrected.…``: the record that it is
about, and what holds in its place. Runs write the one kind and people the other, so that neither overwrites what the
other commits meanwhile; a correction of a record that a run has replaced since means nothing any more.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from governance.errors import CatalogError, LandingError
from platform_assets.landing.landed import Landed

PREFIX = "headwater.taken."
CORRECTED = "headwater.corrected."

RECORD = re.compile(r"(?P<version>\S+)(?: (?P<digest>sha256:\S+))?(?: (?P<run>[0-9a-f-]{36}))?")


@dataclass(frozen=True, slots=True)
class Record:
    """A file as a table took it.

    version: its size in bytes and its time, as ``Landed.version`` has it
    digest:  of its content; None in what was written before there were any
    run:     the id of the run that took it, a UUIDv7; None likewise
    """

    version: str
    digest: str | None = None
    run: str | None = None

    @property
    def size(self) -> int | None:
        """In bytes, None where the version is one that somebody wrote."""
        size = self.version.partition("-")[0]
        return int(size) if size.isdecimal() else None

    @property
    def at(self) -> datetime | None:
        """When the run that took it began, None where that is not known."""
        # the first 48 bits of a UUIDv7 are milliseconds
        return datetime.fromtimestamp(int(self.run.replace("-", "")[:12], 16) / 1000, UTC) if self.run else None

    def __str__(self) -> str:
        """Return the record as the property has it."""
        return " ".join(filter(None, (self.version, self.digest, self.run)))


def record_of(text: str) -> Record:
    """Return the record that ``str`` gives as ``text``; any other text is a version."""
    match = RECORD.fullmatch(text)
    return Record(**match.groupdict()) if match else Record(text)


def taken(table: str, properties: Mapping[str, str], dataset: str) -> Mapping[str, Record]:
    """Return the record of each file of ``dataset`` that ``table``, whose properties these are, has taken, by name.

    Raises:
        CatalogError: somebody wrote something else there.
    """
    corrected = ((file, _corrected(properties, dataset, file, it)) for file, it in _raw(table, properties, dataset))
    # nothing of an empty file was taken
    return {file: it for file, it in corrected if it is not None and it.size != 0}


def takers(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the datasets of which a table with these properties has taken files."""
    return tuple(sorted(name.removeprefix(PREFIX) for name in properties if name.startswith(PREFIX)))


def correction(
    table: str, properties: Mapping[str, str], dataset: str, file: str, now: Record | None
) -> tuple[str, str]:
    """Return the property (name, value) of ``table`` that lets ``now`` hold of a file that it has taken.

    None: it has not taken the file, and takes it again.

    Raises:
        CatalogError: the table's properties are broken.
    """
    raw = dict(_raw(table, properties, dataset))[file]
    return _correction(dataset, file), json.dumps([str(raw), now and str(now)], ensure_ascii=False)


def untaken(
    table: str, found: Sequence[Landed], before: Mapping[str, Record], digest_of: Callable[[Landed], str]
) -> tuple[tuple[Landed, ...], tuple[Landed, ...]]:
    """Return those of ``found`` that are not among the files taken ``before``, and those whose time alone has moved.

    A file without a byte is not new yet: somebody may be about to fill it.

    Raises:
        LandingError: a file that was taken has changed since.
    """
    moved = [it for it in found if it.shown in before and before[it.shown].version != it.version]
    same = tuple(it for it in moved if _same_content(before[it.shown], it, digest_of))
    if changed := [it.shown for it in moved if it not in same]:
        others = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise LandingError(
            f"{changed[0]}{others} changed after {table} had taken {'it' if len(changed) == 1 else 'them'}",
            fix="bring the former content back and let the new rows land under another name; or delete the rows that "
            f"{table} has of it and say `headwater taken {table} --forget {changed[0]}`, so that the next run takes it "
            f"anew; or leave the table as it is with `headwater taken {table} --accept {changed[0]}`",
        )
    return tuple(it for it in found if it.shown not in before and it.size), same


def property_of(dataset: str, before: Mapping[str, Record], new: Mapping[str, Record]) -> tuple[str, str]:
    """Return the property (name, value) of a table that takes the files ``new``, with their records, as well."""
    records = {file: str(record) for file, record in {**before, **new}.items()}
    return PREFIX + dataset, json.dumps(records, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def forgotten(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the properties that a table loses when all of its rows are replaced."""
    return tuple(sorted(name for name in properties if name.startswith(PREFIX)))


def superseded(table: str, properties: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of the properties that correct a record which is not the table's any more."""
    raw = {_correction(it, file): record for it in takers(properties) for file, record in _raw(table, properties, it)}
    for name, text in properties.items():
        if name.startswith(CORRECTED) and (name not in raw or not _is_about(_said(text)[0], raw[name])):
            yield name


def _raw(table: str, properties: Mapping[str, str], dataset: str) -> Iterable[tuple[str, Record]]:
    text = properties.get(PREFIX + dataset, "{}")
    try:
        kept = json.loads(text)
    except ValueError:
        kept = None
    if not isinstance(kept, dict) or not all(isinstance(record, str) for record in kept.values()):
        raise CatalogError(
            f"the property {PREFIX}{dataset} of {table} holds no files with their versions",
            fix='write a JSON object into it, {"file": "version", …}: a file that it lacks is taken again',
        )
    return [(file, record_of(record)) for file, record in kept.items()]


def _corrected(properties: Mapping[str, str], dataset: str, file: str, record: Record) -> Record | None:
    before, now = _said(properties.get(_correction(dataset, file), ""))
    if not _is_about(before, record):
        return record
    return None if now is None else record_of(now)


def _said(text: str) -> tuple[str | None, str | None]:
    """Return the record that a correction is about and what holds in its place; one that is broken says nothing."""
    try:
        before, now = json.loads(text)
    except (ValueError, TypeError):
        return None, None
    return (before, now) if isinstance(before, str) and isinstance(now, str | None) else (None, None)


def _is_about(before: str | None, record: Record) -> bool:
    """Whether both are of one taking: a run that finds a file touched refreshes the version alone."""
    if before is None or record.digest is None:
        return before == str(record)
    return (record_of(before).digest, record_of(before).run) == (record.digest, record.run)


def _same_content(record: Record, file: Landed, digest_of: Callable[[Landed], str]) -> bool:
    return record.digest is not None and record.size == file.size and digest_of(file) == record.digest


def _correction(dataset: str, file: str) -> str:
    # a dataset has no # in its name
    return f"{CORRECTED}{dataset}#{file}"
