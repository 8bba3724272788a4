"""Where files land, out of ``sources.toml``, and which names they can have there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from governance.landing.columns import require_distinct
from governance.landing.model import Location
from governance.policy_file import Section

LOCATIONS = "locations"
"""The key of ``sources.toml`` under which they stand."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)")
STORES = ("s3", "gs", "abfs", "abfss")
GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class NameProblem:
    """What is wrong with the name of files, and what to do."""

    problem: str
    fix: str


def read_locations(file: Section) -> Mapping[str, Location]:
    """Return the declared locations by their names.

    Raises:
        PolicyError: a name or a key is wrong, or two locations are one.
    """
    section = file.section(LOCATIONS)
    require_distinct(section, section.values)
    found: dict[str, Location] = {}
    for name, own in section.sections():
        own.only("at", "namespace")
        if not NAME.fullmatch(name):
            fix = "name it in letters, digits, _ and -, beginning with a letter"
            raise section.wrong(name, f"{name!r} is no name of a location", fix=fix)
        location = Location(name, _at(own), own.optional_text("namespace") or "file")
        same = next((it.name for it in found.values() if it.at == location.at), None)
        if same is not None:
            raise own.wrong("at", f"it is where {same} is: a file would have two names", fix="declare it once")
        found[name] = location
    return MappingProxyType(found)


def is_glob(name: str) -> bool:
    """Whether the name of a dataset may stand for several files."""
    return bool(GLOB.search(name))


def file_name_problem(name: str, locations: Mapping[str, Location]) -> NameProblem | None:
    """Return why files cannot be called ``name``, None where they can."""
    shown = name.partition("/")[0]
    if SCHEME.match(name) or name.startswith("/"):
        fix = f'add [locations.landing] with at = "…", and call the file ["landing/{name.rpartition("/")[2]}"]'
        return NameProblem("files are named below a declared location, not by a path or URL of their own", fix)
    if shown not in locations:
        known = f", or name one of {', '.join(locations)}" if locations else ""
        fix = f'add [locations.{shown if NAME.fullmatch(shown) else "landing"}] with at = "…"{known}'
        return NameProblem(f"no location is called {shown!r}", fix)
    return _path_problem(name)


def _path_problem(name: str) -> NameProblem | None:
    parts = name.split("/")[1:]
    if any(part in {"", ".", ".."} for part in parts):
        return NameProblem("a name goes down from its location, one folder a part", "take out . and .. and //")
    if "#" in name:
        return NameProblem("# parts a file from its kinds of record", "name the file otherwise, or write ? for the #")
    if not name.isprintable() or name != name.strip():
        return NameProblem("a name is printable, without blanks at its ends", "name the file otherwise")
    if any("**" in part and part != "**" for part in parts) or parts[-1] == "**":
        return NameProblem("** stands for folders, as a part of its own", 'write "landing/**/*.csv"')
    return None


def _at(section: Section) -> str:
    at = section.text("at")
    match = SCHEME.fullmatch(at)
    if match is None:
        return at.rstrip("/") or "/"
    scheme, rest = match["scheme"].lower(), match["rest"].rstrip("/")
    if scheme == "file":
        if not rest.startswith("/"):
            raise section.wrong(
                "at", f"{at!r} has no path from the root", fix='write "file:///path", or a relative one'
            )
        return rest
    if scheme not in STORES:
        fix = f"write a folder, or a URL of {', '.join(f'{it}://' for it in STORES)} or file://"
        raise section.wrong("at", f"{scheme}:// is no store that files are read from", fix=fix)
    bucket = rest.partition("/")[0]
    # a secret may have a slash of its own; a bucket has no colon
    if scheme == "s3" and ("@" in bucket or ":" in bucket):
        fix = "take it out: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY say it"
        raise section.wrong("at", "credentials do not belong into a file that is shared", fix=fix)
    if not bucket or "?" in rest or "#" in rest:
        fix = f'write "{scheme}://bucket/prefix"; an endpoint is said by AWS_ENDPOINT_URL'
        raise section.wrong("at", "it is no bucket and prefix", fix=fix)
    return f"{scheme}://{rest}"
