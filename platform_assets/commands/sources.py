"""The command that reads what a file says of itself: ``cli`` adds ``COMMANDS`` to its own."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from governance.errors import HeadwaterError, LandingError, PolicyError
from governance.landing.model import FileSource, Format, Location, Option
from governance.project import Project, find_project

if TYPE_CHECKING:
    from governance.landing.proposed import Proposed
    from platform_assets.landing.landed import Landed


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--format", "word", metavar="FORMAT", help="csv, tsv, json, ndjson or parquet; default: by the ending.")
@click.option("--option", "given", multiple=True, metavar="NAME=VALUE", help="An option of DuckDB's reading function.")
@click.option("--write", is_flag=True, help="Add the block to sources.toml, below what is there.")
def sniff(paths: tuple[str, ...], word: str | None, given: tuple[str, ...], *, write: bool) -> None:
    """Propose the block of sources.toml that declares the file or the quoted glob at each PATH.

    PATH is a name below a declared location (landing/orders.csv), or a path or URL that lies in one. A name that is
    declared already stays as it is: what differs from the file is said, and the exit code is 1.
    """
    from governance.landing.proposed import block
    from governance.policy import load_sources

    project = find_project()
    declared = {it.table: it.files for it in load_sources(project) if it.files is not None}
    same = True
    for number, path in enumerate(paths):
        found = _proposed(project, path, word, given, declared)
        click.echo(f"{chr(10) if number else ''}{block(found)}", nl=False)
        if found.name in declared:
            same = _agrees(declared[found.name], found) and same
        elif write:
            _add(project, found)
    sys.exit(0 if same else 1)


def _agrees(declared: FileSource, found: "Proposed") -> bool:
    """Say how the file differs from its declaration, and return whether it does not."""
    from governance.landing.proposed import differences

    differ = differences(declared, found)
    click.echo(f"{found.name} is declared {'otherwise' if differ else 'so already'}", err=True)
    for it in differ:
        click.echo(f"  {it}", err=True)
    return not differ


def _proposed(
    project: Project, path: str, word: str | None, given: tuple[str, ...], declared: Mapping[str, FileSource]
) -> "Proposed":
    """Return what the files at ``path`` say of themselves, read as they are declared where they are."""
    from governance.landing.declared import FORMATS
    from governance.landing.locations import file_name_problem, read_locations
    from governance.landing.proposed import dataset_name
    from governance.policy_file import read_section
    from platform_assets.landing.find import find, staged

    locations = read_locations(read_section(project.sources, project.relative(project.sources)))
    name = dataset_name(path, locations, project.root)
    if wrong := file_name_problem(name, locations):
        raise LandingError(f"{name}: {wrong.problem}", fix=wrong.fix)
    known = declared.get(name)
    word = _word(name, word, known)
    form, meant = FORMATS[word]
    options = _options(form, given)
    source = FileSource(name, locations[name.partition("/")[0]], form, options=options)
    files = tuple(it for it in find(project, source) if it.size)
    if not files:
        fix = "let one land there first, or correct the name"
        raise LandingError(f"{name}: there is no such file with anything in it", fix=fix)
    with staged(project, files) as here:
        read = _read(source, word, here, files, {**meant, **({} if known is None else known.options), **options})
        if known is None:
            _require_readable(read, locations, here, files)
    return read


def _word(name: str, word: str | None, known: FileSource | None) -> str:
    """Return the format by its word: as it is said, as the name ends, or as it is declared."""
    from governance.landing.declared import FORMATS, ending_format

    ends = ending_format(name)
    if word is None and known is not None and (ends is None or FORMATS[ends][0] is not known.format):
        word = known.format.value
    word = word or ends
    if word is None or word not in FORMATS:
        fix = f"add --format with one of {', '.join(FORMATS)}"
        raise LandingError(f"{name}: the name's ending does not tell how it is read", fix=fix)
    if FORMATS[word][0] in {Format.FIXED, Format.XML} or (known is not None and (known.records or known.rows)):
        raise LandingError(f"{name}: such a file does not tell its columns", fix=_by_hand(word, known))
    return word


def _by_hand(word: str, known: FileSource | None) -> str:
    """Return how a file is declared that does not tell what it holds."""
    from governance.landing.declared import FORMATS

    if known is not None and known.records:
        return "declare its kinds of record by hand: records.name = { value, columns }"
    if FORMATS[word][0] is Format.FIXED:
        return "declare its columns by hand, each with the characters at which it stands: { type, at = [1, 8] }"
    return "declare it by hand: rows, where its rows are, their columns, and sections for what stands around them"


def _read(
    source: FileSource, word: str, here: tuple[str, ...], files: "tuple[Landed, ...]", options: Mapping[str, Option]
) -> "Proposed":
    from governance.landing.declared import FORMATS
    from governance.landing.proposed import Proposed, storable
    from platform_assets.engines.dialect import dialect, require_utf8
    from platform_assets.engines.sniff import sniff as columns_of

    reading = options
    if source.format is Format.CSV:
        for file, it in zip(here, files, strict=True):
            require_utf8(file, it.shown, options)
        options = dialect(here[0], files[0].shown, options)
        # what DuckDB knows already it does not guess again from lines that may not fit
        reading = {"delim": ",", "header": True, **options, "ignore_errors": True}
    columns = storable(columns_of(source.format, here, reading), source.name)
    meant = FORMATS[word][1]
    usual = {"header": True, **meant}
    needed = {name: value for name, value in options.items() if usual.get(name) != value}
    return Proposed(source.name, word, needed, columns)


def _require_readable(
    found: "Proposed", locations: Mapping[str, Location], here: tuple[str, ...], files: "tuple[Landed, ...]"
) -> None:
    """Check that a run would read the files by the block."""
    import tomllib

    from governance.landing.declared import file_source
    from governance.landing.proposed import block
    from governance.policy_file import Section
    from platform_assets.engines.sniff import require_readable

    section = Section("sources.toml", found.name, tomllib.loads(block(found))[found.name])
    require_readable(file_source(found.name, section, locations), here, [it.shown for it in files])


def _options(form: Format, given: tuple[str, ...]) -> Mapping[str, Option]:
    """Return the options of the command line."""
    from governance.landing.options import KNOWN, Kind, OptionProblem, kept_name, name_problem, option_of

    found: dict[str, Option] = {}
    for text in given:
        name, equals, said = text.partition("=")
        if wrong := name_problem(form, name):
            raise HeadwaterError(wrong.problem, fix=wrong.fix)
        kind = KNOWN[form][kept_name(name)]
        value: object = said
        if kind is Kind.NUMBER and said.isdecimal():
            value = int(said)
        elif kind is Kind.FLAG and said in {"true", "false"}:
            value = said == "true"
        option = option_of(form, name, value) if equals else OptionProblem(f"{name} has no value", f"write {name}=…")
        if isinstance(option, OptionProblem):
            raise HeadwaterError(option.problem, fix=option.fix)
        found[kept_name(name)] = option
    return found


def _add(project: Project, found: "Proposed") -> None:
    """Add the block to sources.toml, whole or not at all, and only where the file is right afterwards."""
    import tomllib

    from governance.landing.proposed import written
    from governance.policy_file import Section
    from governance.sources import sources_in
    from platform_assets.replace import replace_file

    shown = project.relative(project.sources)
    # the file itself where a link stands in its place
    path = project.sources.resolve()
    # bytes, because reading text loses which line ends the file has
    after = written(path.read_bytes().decode(), found, shown)
    sources_in(Section(shown, "", tomllib.loads(after)))
    try:
        replace_file(path, after.encode())
    except OSError as error:
        raise PolicyError(
            shown, "", f"it cannot be written: {error.strerror}", fix="make its folder writable"
        ) from None
    click.echo(f"{found.name} written to {shown}: review the difference", err=True)


COMMANDS = (sniff,)
"""The commands of this module."""
