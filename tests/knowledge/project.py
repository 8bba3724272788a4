"""The files of a project of its own: three declarations, and the events that a test writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from click.testing import Result

from governance.events.model import Event

Say = Callable[..., Event]
Shape = Callable[..., dict[str, Any]]
Run = Callable[..., Result]

LINEAGE = """
order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://platform"
job_namespace = "headwater"
"""
METADATA = """
# Sources.
["a.a"]
owner = "team:a"
columns.x = { classification = "personal" }

["b.b"]
owner = "team:b"
"""
CONSUMERS = """
[consumers."Mail dashboard"]
kind = "dashboard"
reads = ["c.c"]
owner = "team:mail"
criticality = "critical"
"""


def write(file: Path, *events: Event) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(msgspec.json.encode(it) + b"\n" for it in events))
