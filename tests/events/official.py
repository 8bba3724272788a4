"""The official OpenLineage schemas, which lie beside some checkouts."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "shared"


def complaints() -> Callable[[dict[str, Any]], list[str]]:
    """Return what tells the complaints of the schemas and of the linter about an event; skip where they are not."""
    script = SHARED / "tools" / "ol_validate.py"
    if not script.exists():
        pytest.skip("the official OpenLineage schemas are not at hand beside this checkout")
    loaded = importlib.util.spec_from_file_location("ol_validate", script)
    assert loaded is not None
    assert loaded.loader is not None
    module = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(module)
    spec = module.Spec()
    return lambda event: [*spec.event(event, lenient=False)[0], *module.lint(event)]
