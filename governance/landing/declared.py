"""``sources.toml`` → the files that it declares."""

from collections.abc import Mapping
from types import MappingProxyType

from governance.landing.columns import (
    dotted_path,
    place,
    read_columns,
    read_part,
    require_distinct,
    require_no_dot,
)
from governance.landing.locations import file_name_problem
from governance.landing.model import RECORD_TYPE, FileColumn, FileSource, Format, Location, Option
from governance.landing.model import Section as Part
from governance.landing.options import OptionProblem, kept_name, name_problem, option_of
from governance.landing.records import read_records
from governance.policy_file import Section

FORMATS: Mapping[str, tuple[Format, Mapping[str, Option]]] = MappingProxyType(
    {
        "csv": (Format.CSV, {}),
        "tsv": (Format.CSV, {"delim": "\t"}),
        "json": (Format.JSON, {}),
        "ndjson": (Format.JSON, {"format": "newline_delimited"}),
        "jsonl": (Format.JSON, {"format": "newline_delimited"}),
        "parquet": (Format.PARQUET, {}),
        "fixed": (Format.FIXED, {}),
        "xml": (Format.XML, {}),
    }
)
"""The words of ``format``, which are endings of files too, each with the options that it means."""

COMPRESSED = (".gz", ".zst")
DOCUMENTS = (Format.JSON, Format.XML)
RECORD_FORMATS = (Format.CSV, Format.FIXED)
KEYS = (
    "description",
    "format",
    "options",
    "columns",
    "filename",
    "max_rejects",
    "record_type",
    "records",
    "rows",
    "sections",
)


def ending_format(name: str) -> str | None:
    """Return the word of ``FORMATS`` that the name of a file ends in, None where it tells none."""
    last = name.rpartition("/")[2].lower()
    for ending in COMPRESSED:
        last = last.removesuffix(ending)
    word = last.rpartition(".")[2] if "." in last else ""
    return word if word in FORMATS and word != "fixed" else None


def file_source(name: str, section: Section, locations: Mapping[str, Location]) -> FileSource:
    """Return what ``section`` declares of the files called ``name``.

    Raises:
        PolicyError: something in it is not allowed.
    """
    if wrong := file_name_problem(name, locations):
        raise Section(section.file, "", {}).wrong(name, wrong.problem, fix=wrong.fix)
    section.only(*KEYS)
    form, meant = _format(name, section)
    record_type = _record_type(section, form)
    records = read_records(section, form, record_type) if "records" in section.values else ()
    columns = () if records else read_columns(section, form)
    rows, parts = _rows(section, form), _parts(section, form)
    return FileSource(
        name=name,
        location=locations[name.partition("/")[0]],
        format=form,
        columns=columns,
        options=_options(section, form, meant),
        record_type=record_type if records else None,
        records=records,
        rows=rows,
        sections=parts,
        filename=_filename(section, columns or tuple(it for record in records for it in record.columns)),
        max_rejects=_max_rejects(section),
    )


def _format(name: str, section: Section) -> tuple[Format, Mapping[str, Option]]:
    ending = ending_format(name)
    word = section.optional_text("format") or ending
    if word is None:
        fix = f'write format = "csv", or another of {", ".join(FORMATS)}'
        raise section.wrong("format", "the name's ending does not tell how the file is read", fix=fix)
    if word not in FORMATS:
        raise section.wrong("format", f"unknown format {word!r}", fix=f"write one of {', '.join(FORMATS)}")
    form, meant = FORMATS[word]
    if form is Format.PARQUET and name.lower().endswith(COMPRESSED):
        fix = "name the file as it was written; parquet is compressed within itself"
        raise section.wrong("format", "a parquet file is not compressed as a whole", fix=fix)
    return form, meant


def _options(section: Section, form: Format, meant: Mapping[str, Option]) -> Mapping[str, Option]:
    """Return the options by their kept names, those that the format means among them."""
    given = section.section("options")
    options = dict(meant)
    require_distinct(given, given.values)
    said: dict[str, str] = {}
    for name, value in given.values.items():
        if wrong := name_problem(form, name):
            raise given.wrong(name, wrong.problem, fix=wrong.fix)
        kept = kept_name(name)
        if kept in said:
            raise given.wrong(name, f"{said[kept]} says the same", fix="write one of the two")
        said[kept] = name
        option = option_of(form, name, value)
        if isinstance(option, OptionProblem):
            raise given.wrong(name, option.problem, fix=option.fix)
        options[kept] = option
    _require_one_reading(given, section, form)
    if form is Format.CSV:
        options.setdefault("header", "records" not in section.values)
    return MappingProxyType(options)


def _require_one_reading(given: Section, section: Section, form: Format) -> None:
    """Raise PolicyError where an option speaks against another key."""
    if "records" in section.values and given.values.get("header") is True:
        fix = "take header out, and write skip = 1 where the first line names columns"
        raise given.wrong("header", "a file with several kinds of record has no line that names columns", fix=fix)
    if form is Format.JSON and "format" in given.values and {"rows", "sections"} & section.values.keys():
        raise given.wrong("format", "a document is read whole", fix="take it out: rows says where its rows are")


def _record_type(section: Section, form: Format) -> tuple[int, int] | None:
    if "record_type" in section.values and "records" not in section.values:
        fix = 'declare them: records.detail = { value = "D", columns = { … } }'
        raise section.wrong("record_type", "the file declares no kinds of record", fix=fix)
    if "records" not in section.values:
        return None
    if form not in RECORD_FORMATS:
        fix = 'write format = "fixed" or "csv"; a document has sections'
        raise section.wrong("records", f"a {form.value} file has one kind of record", fix=fix)
    if "columns" in section.values:
        fix = "move them into records.name.columns"
        raise section.wrong("columns", "columns of a file with several kinds of record are those of each kind", fix=fix)
    if form is Format.CSV:
        return _first_field(section)
    if "record_type" not in section.values:
        fix = "add record_type = [first, last], the characters that tell the kind of record, counted from 1"
        raise section.wrong("record_type", "it is missing", fix=fix)
    return place(section, "record_type")


def _first_field(section: Section) -> tuple[int, int]:
    if section.values.get("record_type", [1, 1]) != [1, 1]:
        fix = "take record_type out, or write [1, 1]"
        raise section.wrong("record_type", "the kind of a delimited record is its first field", fix=fix)
    return 1, 1


def _rows(section: Section, form: Format) -> str:
    if "rows" in section.values and form not in DOCUMENTS:
        fix = 'take it out, or write format = "json" or "xml"'
        raise section.wrong("rows", f"a {form.value} file is its rows", fix=fix)
    rows = dotted_path(section, "rows")
    if form is Format.XML and not rows:
        fix = 'add rows = "batch.payments.payment", the path to the rows from the root'
        raise section.wrong("rows", "it is missing", fix=fix)
    return rows


def _parts(section: Section, form: Format) -> tuple[Part, ...]:
    if "sections" not in section.values:
        return ()
    if form not in DOCUMENTS:
        fix = 'take it out, or write format = "json" or "xml"'
        raise section.wrong("sections", f"a {form.value} file has no sections around its rows", fix=fix)
    if "rows" not in section.values:
        fix = 'add rows = "body.payments", the path to the rows from the root'
        raise section.wrong("rows", "a document with sections must say where its rows are", fix=fix)
    sections = section.section("sections")
    if not sections.values:
        raise section.wrong("sections", "it names no section", fix='add sections.header.name = "type" lines')
    require_distinct(sections, sections.values)
    for name in sections.values:
        require_no_dot(sections, name)
    return tuple(Part(name, read_part(sections, name, form)) for name in sections.values)


def _filename(section: Section, columns: tuple[FileColumn, ...]) -> str | None:
    name = section.optional_text("filename")
    taken = {it.name.lower() for it in columns} | ({RECORD_TYPE} if "records" in section.values else set())
    if name is not None and name.lower() in taken:
        fix = "name the column of the file's name otherwise"
        raise section.wrong("filename", f"the file has a column {name} of its own", fix=fix)
    return name


def _max_rejects(section: Section) -> int | None:
    value = section.values.get("max_rejects")
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        fix = "write max_rejects = 100, or leave it out for any number"
        raise section.wrong("max_rejects", f"a number of rows is expected, not {value!r}", fix=fix)
    return value
