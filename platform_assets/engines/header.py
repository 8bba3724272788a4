"""Header lines that do not name each column once: nobody can declare such a file by the names that it has."""

from collections import Counter
from collections.abc import Iterator, Mapping

from governance.landing.model import FileSource, Format, Option
from platform_assets.engines.landing import probe

FIX = (
    "name each column once in the file; or declare it by hand, with options = { header = false, skip = 1 } and a name "
    "of your own for each of its columns under columns"
)


def header_problems(source: FileSource, path: str, options: Mapping[str, Option]) -> Iterator[str]:
    """Yield which columns the header of a delimited file does not name, or names as another one."""
    if source.format is not Format.CSV or source.records or not options.get("header", True):
        return
    names = [it.strip() for it in probe.first_record(path, options) or ()]
    if nameless := [str(number) for number, name in enumerate(names, 1) if not name]:
        many = len(nameless) > 1
        yield f"column{'s' if many else ''} {', '.join(nameless)} {'have' if many else 'has'} no name in its header"
    counts = Counter(it.lower() for it in names if it)
    if twice := list(dict.fromkeys(it for it in names if counts[it.lower()] > 1)):
        yield f"{probe.told(twice)} there more than once"
