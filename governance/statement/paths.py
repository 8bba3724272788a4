"""What a path in SQL may be: the name of a dataset of files, a location and what lies below it."""

import re

LOCATION = "write location/path, where sources.toml has [locations.location]"
MACHINE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")


def path_problem(path: str) -> tuple[str, str] | None:
    """Return what is wrong with ``path`` as the name of a dataset of files, and what to do; None where nothing is.

    A path of this machine is not repeated: what is wrong with it may be shown anywhere.
    """
    if "://" in path:
        fix = f'declare the place: [locations.name] with at = "…", and write name/path; {LOCATION}'
        return "a URL is read by the name of its location", fix
    if MACHINE.match(path):
        return "a path of this machine is no name of a dataset", LOCATION
    if "/" not in path:
        return f"{path!r} names no location", LOCATION
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return f"{path!r} goes another way than down from its location", "write each folder once, without . and .."
    return None
