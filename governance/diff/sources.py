"""Two revisions of ``sources.toml`` → how each declared dataset differs: its columns, and how its files are read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from governance.diff.model import Difference, Side
from governance.diff.version import type_of
from governance.landing.datasets import document_field, record_name
from governance.landing.model import FileColumn, FileSource, Format, Record
from governance.sources import Source

SOURCES = "platform_assets/sources.toml"


def source_differences(base: Side, head: Side) -> Iterator[Difference]:
    """Yield how the sources of ``head`` differ from those of ``base``, by name; one that does not is left out."""
    before, after = ({source.table: source for source in side.sources} for side in (base, head))
    for table in sorted({*before, *after}):
        old, new = before.get(table), after.get(table)
        if old is None or new is None:
            columns = tuple(name for it in (old, new) if it for name, _ in it.columns)
            yield Difference(table, SOURCES, made=old is None, removed=new is None, columns=columns)
            continue
        found = _read(old, new, _columns(table, dict(old.columns), dict(new.columns)))
        if found.text:
            yield found


def _columns(table: str, before: Mapping[str, str], after: Mapping[str, str]) -> Difference:
    """Return how the declared columns of a table differ."""
    found = Difference(
        table,
        SOURCES,
        gone=tuple(name for name in before if name not in after),
        added=tuple(name for name in after if name not in before),
        retyped=tuple(
            (name, before[name], after[name])
            for name in before
            if name in after and type_of(before[name]) != type_of(after[name])
        ),
        columns=tuple(before),
        text=before != after,
    )
    # the only column gone and the only new one, at the same place and of one type, is one that was renamed
    old, new = found.gone, found.added
    if (
        len(old) == len(new) == 1
        and list(before).index(old[0]) == list(after).index(new[0])
        and before[old[0]] == after[new[0]]
    ):
        return replace(found, gone=(), added=(), renamed=((old[0], new[0]),))
    return found


def _read(old: Source, new: Source, found: Difference) -> Difference:
    """Return ``found`` with what is otherwise about how the files are read."""
    was, now = old.files, new.files
    if was is None or now is None or was == now:
        # a table's rows are what they are, whatever is declared of its columns
        return found
    names = {name: name for name, _ in old.columns} | dict(found.renamed)
    before, after = _of_columns(old.table, was), _of_columns(new.table, now)
    columns = tuple(
        (name, word)
        for name, to in names.items()
        if name in before and to in after
        for word in _became(_column(before[name]), _column(after[to]))
    )
    fits = tuple(_fitting((*(name for name, _, _ in found.retyped), *(name for name, _ in columns))))
    whole = (*_became(_whole(old.table, was), _whole(new.table, now)), *_moved(was, now), *_reordered(old, new))
    said = tuple(_became(_beside(old.table, was), _beside(new.table, now)))
    return replace(
        found,
        read=(*((None, word) for word in (*whole, *fits)), *columns),
        values=tuple(dict.fromkeys(name for name, _ in columns)),
        rows=bool(whole or fits),
        said=said,
        text=found.text or bool(whole or columns or said),
    )


Said = Mapping[str, str]
"""A key of the declaration → what it says, as it is shown; one that says nothing is left out."""


def _whole(table: str, files: FileSource) -> Said:
    """Return what decides the rows of the dataset, and what all of its columns hold."""
    record = _record(table, files)
    options = {f"option {name}": repr(value) for name, value in files.options.items()}
    return _without_nothing(
        {
            "format": files.format.value,
            "rows": files.rows,
            "record_type": "-".join(map(str, files.record_type or ())),
            "value": record.value if record else "",
            **options,
        }
    )


def _beside(table: str, files: FileSource) -> Said:
    """Return what neither rows nor values show."""
    record = _record(table, files)
    return _without_nothing(
        {
            "namespace": files.location.namespace,
            "max_rejects": "" if files.max_rejects is None else str(files.max_rejects),
            "parent": (record.parent if record else None) or "",
            "join_key": (record.join_key if record else None) or "",
        }
    )


def _column(column: FileColumn) -> Said:
    place = "-".join(map(str, column.place or ()))
    return _without_nothing({"place": place, "format": column.format, "path": column.path})


def _of_columns(table: str, files: FileSource) -> Mapping[str, FileColumn]:
    record = _record(table, files)
    own: Iterable[FileColumn] = record.columns if record else files.columns
    values = {document_field(it.name, column.name): column for it in files.sections for column in it.columns}
    return {it.name: it for it in own} | values


def _record(table: str, files: FileSource) -> Record | None:
    return next((it for it in files.records if record_name(files, it) == table), None)


def _became(was: Said, now: Said) -> Iterator[str]:
    for key in dict.fromkeys((*was, *now)):
        old, new = was.get(key), now.get(key)
        if old != new:
            yield f"{key} was {old or 'not said'} and is {new or 'not said'}"


def _fitting(columns: Iterable[str]) -> Iterator[str]:
    """Yield that rows may fit that did not, or the other way about: one that does not fit is left out."""
    names = ", ".join(dict.fromkeys(columns))
    if names:
        yield f"which rows fit is decided by {names} otherwise"


def _moved(was: FileSource, now: FileSource) -> Iterator[str]:
    if was.location.at != now.location.at:
        # where it is may be a path of one machine, which no answer shows
        yield f"location {now.location.name} lies elsewhere"


def _reordered(old: Source, new: Source) -> Iterator[str]:
    """Yield that the columns of a file, which are read by place, stand in another order."""
    kept = [[name for name, _ in it.columns if name in dict(other.columns)] for it, other in ((old, new), (new, old))]
    if new.files is not None and new.files.format is Format.CSV and kept[0] != kept[1]:
        yield "columns stand in another order"


def _without_nothing(said: Said) -> Said:
    return {key: value for key, value in said.items() if value}
