"""The options of DuckDB's reading functions that a declaration may give, and why others may not be given."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType

from governance.landing.model import Format, Option
from governance.landing.strptime import FIX, format_problem

FUNCTIONS: Mapping[Format, str] = MappingProxyType(
    {Format.CSV: "read_csv", Format.JSON: "read_json", Format.PARQUET: "read_parquet"}
)
"""DuckDB's function for a format; the others are read by Headwater itself."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "sep": "delim",
        "separator": "delim",
        "delimiter": "delim",
        "null": "nullstr",
        "date_format": "dateformat",
        "timestamp_format": "timestampformat",
        "maximum_line_size": "max_line_size",
    }
)
"""DuckDB's other names of an option, each with the one that is kept."""


class Kind(Enum):
    """What an option's value is, as TOML writes it."""

    TEXT = '"…"'
    TEXTS = '"…" or ["…", "…"]'
    NUMBER = "1"
    FLAG = "true"


_TYPES: Mapping[Kind, tuple[type, ...]] = MappingProxyType(
    {Kind.TEXT: (str,), Kind.TEXTS: (str, tuple), Kind.NUMBER: (int,), Kind.FLAG: (bool,)}
)

KNOWN: Mapping[Format, Mapping[str, Kind]] = MappingProxyType(
    {
        Format.CSV: {
            "delim": Kind.TEXT,
            "quote": Kind.TEXT,
            "escape": Kind.TEXT,
            "new_line": Kind.TEXT,
            "comment": Kind.TEXT,
            "header": Kind.FLAG,
            "skip": Kind.NUMBER,
            "nullstr": Kind.TEXTS,
            "allow_quoted_nulls": Kind.FLAG,
            "force_not_null": Kind.TEXTS,
            "null_padding": Kind.FLAG,
            "strict_mode": Kind.FLAG,
            "dateformat": Kind.TEXT,
            "timestampformat": Kind.TEXT,
            "decimal_separator": Kind.TEXT,
            "thousands": Kind.TEXT,
            "encoding": Kind.TEXT,
            "compression": Kind.TEXT,
            "max_line_size": Kind.NUMBER,
            "buffer_size": Kind.NUMBER,
            "parallel": Kind.FLAG,
        },
        Format.JSON: {
            "format": Kind.TEXT,
            "dateformat": Kind.TEXT,
            "timestampformat": Kind.TEXT,
            "compression": Kind.TEXT,
            "maximum_object_size": Kind.NUMBER,
        },
        Format.PARQUET: {"binary_as_string": Kind.FLAG, "int96_as": Kind.TEXT, "can_have_nan": Kind.FLAG},
        Format.FIXED: {
            "skip": Kind.NUMBER,
            "nullstr": Kind.TEXTS,
            "encoding": Kind.TEXT,
            "compression": Kind.TEXT,
        },
        Format.XML: {},
    }
)
"""The options of each format, by their kept names."""

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "compression": ("auto", "none", "gzip", "zstd"),
        "encoding": ("utf-8", "utf-16", "latin-1"),
        "decimal_separator": (".", ","),
        "new_line": ("\n", "\r\n", "\r"),
        "format": ("auto", "array", "newline_delimited", "unstructured"),
    }
)
"""Options that have few values."""

LONGEST: Mapping[str, int] = MappingProxyType({"delim": 4, "quote": 1, "escape": 1, "comment": 1, "thousands": 1})
"""The most bytes that DuckDB takes."""

FORMS = ("dateformat", "timestampformat")
"""Options that say how dates or times are written."""

_PINNED = "the declaration pins the columns: write them as columns.name = …"
_NOT_GUESSED = "nothing is guessed when files are read: `headwater sniff` guesses, and what is declared stands"
_REJECTS = "rejected rows are always kept: they are counted and put into the quarantine table; max_rejects bounds them"
_FOLDERS = "folders are no columns here: name what the files themselves hold"
_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("columns", "names", "column_names", "schema", "bound_schema"), _PINNED),
        **dict.fromkeys(("types", "dtypes", "column_types", "all_varchar", "normalize_names"), _PINNED),
        **dict.fromkeys(("union_by_name", "case_insensitive_keys"), _PINNED),
        **dict.fromkeys(("auto_detect", "auto_type_candidates", "sample_size", "files_to_sniff"), _NOT_GUESSED),
        **dict.fromkeys(("maximum_sample_files", "maximum_depth", "field_appearance_threshold"), _NOT_GUESSED),
        **dict.fromkeys(("convert_strings_to_integers", "map_inference_threshold", "geojson"), _NOT_GUESSED),
        **dict.fromkeys(("ignore_errors", "store_rejects", "rejects_table", "rejects_scan"), _REJECTS),
        **dict.fromkeys(("rejects_limit", "rejects_line_size_limit"), _REJECTS),
        **dict.fromkeys(("hive_partitioning", "hive_types", "hive_types_autocast"), _FOLDERS),
        "filename": 'write filename = "source_file" beside options: it names the column',
        "file_row_number": "write it into the file, or number the rows in SQL",
        "allow_empty": "a glob may match no file, a plain name must be there",
        "records": "write rows: it says where a document has its rows",
        "array": 'write format = "array"',
        "encryption_config": "a key does not belong into a file that is shared",
        "explicit_cardinality": "rows are counted, not declared",
    }
)


@dataclass(frozen=True, slots=True)
class OptionProblem:
    """What is wrong with an option, and what to do."""

    problem: str
    fix: str


def kept_name(name: str) -> str:
    """Return the one name of an option that DuckDB knows by several."""
    return ALIASES.get(name.lower(), name.lower())


def name_problem(form: Format, name: str) -> OptionProblem | None:
    """Return why files of ``form`` may not be read with the option ``name``, None where they may."""
    kept = kept_name(name)
    known = KNOWN[form]
    if kept in known:
        return None
    if kept in _REFUSED:
        return OptionProblem(f"{name} would change what is declared of the file", _REFUSED[kept])
    near = get_close_matches(kept, known, 1)
    options = f"the options of {form.value} are {', '.join(known)}" if known else f"{form.value} has no options"
    return OptionProblem(
        f"{FUNCTIONS.get(form, form.value)} has no option {name}", f"did you mean {near[0]}?" if near else options
    )


def value_problem(form: Format, name: str, value: object) -> OptionProblem | None:
    """Return what is wrong with the value of an option whose name is right, None where it is kept as it is."""
    kind = KNOWN[form][kept_name(name)]
    # True is an int to Python and none to DuckDB
    fits = isinstance(value, _TYPES[kind]) and isinstance(value, bool) is (kind is Kind.FLAG)
    if not fits or (isinstance(value, tuple) and not (value and all(isinstance(it, str) for it in value))):
        return OptionProblem(f"{value!r} is no value of {name}", f"write {name} = {kind.value}")
    if isinstance(value, int) and value < 0:
        return OptionProblem(f"{name} is a number from 0, not {value}", f"write {name} = 1")
    return _text_problem(name, value) if isinstance(value, str) else None


def _text_problem(name: str, value: str) -> OptionProblem | None:
    kept, size = kept_name(name), len(value.encode(errors="replace"))
    if value.lower() not in CHOICES.get(kept, (value.lower(),)):
        return OptionProblem(f"{value!r} is no value of {name}", f"write one of {', '.join(map(repr, CHOICES[kept]))}")
    if size > LONGEST.get(kept, size):
        return OptionProblem(f"{value!r} is too long for {name}", f"write {LONGEST[kept]} bytes at most")
    wrong = format_problem(value) if kept in FORMS else None
    return None if wrong is None else OptionProblem(wrong, FIX)


def option_of(form: Format, name: str, value: object) -> Option | OptionProblem:
    """Return the value of an option whose name is right as it is kept, or what is wrong with it."""
    option = tuple(value) if isinstance(value, list) else value
    wrong = value_problem(form, name, option)
    if wrong is None and isinstance(option, str | int | tuple):
        return option
    return wrong or OptionProblem(f"{value!r} is no value of {name}", "write a text, a number, true or false")
