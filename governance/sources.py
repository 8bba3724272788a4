"""``sources.toml`` → what pipelines read and none builds: tables of the catalog, and files where they land."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from governance.landing.columns import column_type
from governance.landing.datasets import datasets
from governance.landing.declared import KEYS, file_source
from governance.landing.locations import LOCATIONS, read_locations
from governance.landing.model import FileSource, Location
from governance.policy_file import Section, policy_text, section_of
from governance.project import Project

TABLE = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
FILES = re.compile(r"[^/\s]+/\S.*|/.*")


@dataclass(frozen=True, slots=True)
class Source:
    """What pipelines read and none builds; ``columns`` are (name, SQL type) in its own order.

    ``table`` is ``schema.table``, or the name of a dataset of files; then ``files`` says how those are read. A file of
    several kinds of record is a source for itself and one for each of them, all with the same ``files``.
    """

    table: str
    columns: tuple[tuple[str, str], ...]
    description: str | None = None
    files: FileSource | None = None


def load_sources(project: Project) -> tuple[Source, ...]:
    """Return the declared sources, sorted by name; a file's kinds of record follow it in declared order.

    Raises:
        PolicyError: ``sources.toml`` is missing, is not TOML, or says something that is not allowed.
    """
    file = project.relative(project.sources)
    return _read(policy_text(project.sources, file), file, project.cache)


@lru_cache(maxsize=2)
def _read(text: str, file: str, cache: Path | None) -> tuple[Source, ...]:
    """Return what the text declares: one load asks for it three times."""
    return sources_in(section_of(text, file, cache))


def sources_in(file: Section) -> tuple[Source, ...]:
    """Return what ``file``, the whole of a ``sources.toml``, declares, in the order of ``load_sources``.

    Raises:
        PolicyError: it says something that is not allowed.
    """
    locations = read_locations(file)
    named = Section(file.file, "", {key: value for key, value in file.values.items() if key != LOCATIONS})
    _require_files_apart(named)
    declared = sorted(named_tables(named), key=lambda it: it[0])
    return tuple(source for name, section in declared for source in _sources(name, section, locations))


def named_tables(file: Section) -> Iterator[tuple[str, Section]]:
    """Yield each table of ``file`` whose key names a table of the catalog or a dataset of files.

    Raises:
        PolicyError: a key names neither.
    """
    for name, section in file.sections():
        if not name.isprintable():
            fix = "name it without; for a file that is called so, write ? in its place"
            raise file.wrong(
                name, "the name has control characters or others that are not seen, as a line end or a tab", fix=fix
            )
        if not (TABLE.fullmatch(name) or FILES.fullmatch(name)):
            fix = f'write ["schema.table"]{_dotted(section)}, or ["location/file.csv"] for files'
            problem = "a table is named by schema and table in one pair of quotes, a file by its location and path"
            raise file.wrong(name, problem, fix=fix)
        yield name, section


def _dotted(section: Section) -> str:
    """Return what ``[crm.learners]`` or ``[landing."orders.csv"]`` was meant to be, for the commonest slip."""
    inner = next((key for key, value in section.values.items() if isinstance(value, dict)), None)
    between = "/" if inner is not None and not TABLE.fullmatch(f"{section.place}.{inner}") else "."
    return "" if inner is None else f', here perhaps ["{section.place}{between}{inner}"]'


def _require_files_apart(file: Section) -> None:
    """Raise PolicyError where two names of files differ in case alone, which some disks do not look at."""
    seen: dict[str, str] = {}
    for name in file.values:
        earlier = seen.setdefault(name.casefold(), name)
        if earlier != name and FILES.fullmatch(name):
            fix = "declare it once, as the file is written"
            raise file.wrong(name, f"it is {earlier} but for letters in capitals", fix=fix)


def _sources(name: str, section: Section, locations: Mapping[str, Location]) -> Iterator[Source]:
    if FILES.fullmatch(name):
        files = file_source(name, section, locations)
        description = section.optional_text("description")
        for dataset, fields in datasets(files):
            yield Source(dataset, fields, description if dataset == name else None, files)
    else:
        yield _table(name, section)


def _table(name: str, section: Section) -> Source:
    if alien := next((key for key in section.values if key in KEYS and key not in {"description", "columns"}), None):
        fix = f'take it out, or name a file by its location: ["landing/{name}"]'
        raise section.wrong(alien, "unknown key: a table of the catalog has columns, only files have this", fix=fix)
    section.only("description", "columns")
    columns = section.section("columns")
    if not columns.values:
        raise section.wrong("columns", "it names no column", fix='add columns.name = "type" lines')
    types = tuple((column, column_type(columns, column)) for column in columns.values)
    return Source(name, types, section.optional_text("description"))
