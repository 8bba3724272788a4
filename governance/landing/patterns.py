"""Which files below a location a name stands for."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from governance.landing.locations import is_glob

FOLDERS = "**"
"""The part of a name that stands for any number of folders."""

UNFINISHED = (".tmp", ".part", ".partial", ".filepart", ".crdownload", "~")
"""How the names of files end that somebody still writes."""

WRITERS = ("_temporary", "_SUCCESS", "_committed", "_started", "_delta_log")
"""How the names begin that distributed writers give to what is no data."""


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a dataset's name below its location; what several ``**`` on end mean, one means too."""
    parts = name.split("/")[1:]
    return tuple(it for number, it in enumerate(parts) if it != FOLDERS or parts[number - 1 : number] != [FOLDERS])


def part_matches(name: str, part: str) -> bool:
    """Whether a file or folder called ``name`` is one that ``part`` of a pattern stands for.

    A file is also what it is called, be there brackets in it. Hidden files and unfinished ones have to be asked for by
    the same beginning or ending.
    """
    if name == part:
        return True
    return is_glob(part) and not left_out(name, part) and fnmatchcase(name, part)


def left_out(name: str, part: str) -> bool:
    """Whether a glob's ``part`` does not mean ``name``: it is hidden, or somebody still writes it."""
    begins = next((it for it in (".", *WRITERS) if name.startswith(it)), "")
    ends = next((it for it in UNFINISHED if name.lower().endswith(it)), "")
    return not (part.startswith(begins) and part.lower().endswith(ends))


def matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path are what the parts of a pattern stand for."""
    if not pattern or not path:
        return not pattern and not path
    head, rest = pattern[0], pattern[1:]
    if head != FOLDERS:
        return part_matches(path[0], head) and matches(path[1:], rest)
    return matches(path, rest) or (not left_out(path[0], "") and matches(path[1:], pattern))


def fixed_parts(pattern: Sequence[str]) -> tuple[str, ...]:
    """Return the folders that every match lies below: the leading parts that stand for themselves alone."""
    folders = list(pattern[:-1])
    first = next((number for number, part in enumerate(folders) if is_glob(part)), len(folders))
    return tuple(folders[:first])
