"""BI metadata: dashboards and reports with the tables they read, as BI tools and dbt export them.

Two forms are read: a JSON list of objects with ``name``, ``reads`` and, where known, ``kind``, ``owner``, ``contact``,
``criticality``, ``accounts`` and ``tags``; and dbt's ``manifest.json``, whose exposures depend on models and sources
(https://docs.getdbt.com/docs/build/exposures).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from governance.errors import PolicyError
from governance.policy_file import Section

FIX = "export a list of objects with name and reads, or name dbt's manifest.json"
MATURITY = {"low": "low", "medium": "medium", "high": "high"}


def read_exposures(path: Path, file: str) -> tuple[Section, ...]:
    """Return each exposure of ``path``, called ``file`` in errors, as a section with this module's keys.

    Raises:
        PolicyError: the file cannot be read, or is of neither form.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise PolicyError(file, "", f"it cannot be read as JSON: {error}", fix=FIX) from None
    found = list(_of_dbt(document)) if isinstance(document, dict) and "exposures" in document else document
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise PolicyError(file, "", "it lists no exposures", fix=FIX)
    return tuple(Section(file, f"exposure {number}", entry) for number, entry in enumerate(found, start=1))


def _of_dbt(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = {**manifest.get("nodes", {}), **manifest.get("sources", {}), **manifest.get("metrics", {})}
    for exposure in manifest["exposures"].values():
        owner = exposure.get("owner") or {}
        said = {
            "name": exposure.get("label") or exposure.get("name"),
            "kind": {"ml": "model", "analysis": "report"}.get(exposure.get("type"), exposure.get("type")),
            "owner": owner.get("email") or owner.get("name"),
            "criticality": MATURITY.get(exposure.get("maturity") or ""),
            "description": exposure.get("description"),
        }
        reads = sorted(set(_relations(exposure, parts, set())))
        yield {key: value for key, value in said.items() if value} | {"reads": reads}


def _relations(part: Mapping[str, Any], parts: Mapping[str, Any], seen: set[str]) -> Iterator[str]:
    """Yield the tables that an exposure depends on, through metrics and semantic models too."""
    for key in part.get("depends_on", {}).get("nodes", ()):
        if key in seen or key not in parts:
            continue
        seen.add(key)
        below = parts[key]
        name = below.get("identifier") or below.get("alias") or below.get("name")
        if key.startswith(("model.", "source.", "seed.", "snapshot.")):
            yield f"{below['schema']}.{name}".lower()
        else:
            yield from _relations(below, parts, seen)
