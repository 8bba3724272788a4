"""Which files a table has taken: an INSERT reads those that it has not.

A table's own properties keep them, one property a dataset of files, ``headwater.taken.landing/orders/*.csv``: a JSON
object of each file's name and version. They change in the commit that adds the rows and in no other, so that a run that
is killed takes nothing, two runs never take one file twice, and a table that is dropped or replaced has taken none.
"""

import json
from collections.abc import Mapping

from governance.errors import CatalogError, LandingError

PREFIX = "headwater.taken."


def taken(table: str, properties: Mapping[str, str], dataset: str) -> Mapping[str, str]:
    """Return the version of each file of ``dataset`` that ``table``, whose properties these are, has taken, by name.

    Raises:
        CatalogError: somebody wrote something else there.
    """
    text = properties.get(PREFIX + dataset, "{}")
    try:
        kept = json.loads(text)
    except ValueError:
        kept = None
    if not isinstance(kept, dict) or not all(isinstance(version, str) for version in kept.values()):
        raise CatalogError(
            f"the property {PREFIX}{dataset} of {table} holds no files with their versions",
            fix='write a JSON object into it, {"file": "version", …}: a file that it lacks is taken again',
        )
    return kept


def untaken(table: str, dataset: str, found: Mapping[str, str], before: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of ``found``, which gives each file's version now, that are not among those taken ``before``.

    Raises:
        LandingError: a file that was taken has changed since.
    """
    changed = [name for name, version in found.items() if before.get(name, version) != version]
    if changed:
        others = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise LandingError(
            f"{changed[0]}{others} changed after {table} had taken {'it' if len(changed) == 1 else 'them'}",
            fix="bring the former file back and let the new rows land under another name; or delete the rows that "
            f"{table} has of it and take its name out of the table's property {PREFIX}{dataset}: the next run then "
            "takes it as a new one",
        )
    return tuple(name for name in found if name not in before)


def property_of(dataset: str, before: Mapping[str, str], new: Mapping[str, str]) -> tuple[str, str]:
    """Return the property (name, value) of a table that takes the files ``new``, with their versions, as well."""
    return PREFIX + dataset, json.dumps({**before, **new}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def forgotten(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the properties that a table loses when all of its rows are replaced."""
    return tuple(sorted(name for name in properties if name.startswith(PREFIX)))
