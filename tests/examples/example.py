"""The example project in a folder of the test's own, asked by the command that users type."""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner, Result

from platform_assets import cli

ORDERS = Path(__file__).parents[2] / "examples" / "orders"


class Example(NamedTuple):
    """A copy of ``examples/orders``; ``said_first`` is what its first run said, where it had one."""

    root: Path
    said_first: str = ""

    def headwater(self, *words: str) -> Result:
        return CliRunner().invoke(cli.main, ["--project", str(self.root), *words])

    def said(self, *words: str) -> str:
        """What the command prints; it ends well."""
        result = self.headwater(*words)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.said(*words, "--format", "json"))

    def events(self) -> list[dict[str, Any]]:
        """All that was sent, in the order in which it was."""
        files = sorted((self.root / ".headwater" / "events").rglob("*.ndjson"))
        told = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return sorted(told, key=lambda it: it["eventTime"])


def copied(to: Path) -> Example:
    shutil.copytree(ORDERS, to, ignore=shutil.ignore_patterns(".headwater"))
    return Example(to)


def completed(example: Example, job: str) -> dict[str, Any]:
    """The first COMPLETE of a job."""
    return next(it for it in example.events() if it["job"]["name"] == job and it["eventType"] == "COMPLETE")


def completed_last(example: Example, job: str) -> dict[str, Any]:
    """The latest COMPLETE of a job."""
    return [it for it in example.events() if it["job"]["name"] == job and it["eventType"] == "COMPLETE"][-1]


def inputs(event: dict[str, Any]) -> list[str]:
    return [it["name"] for it in event["inputs"]]


def sources(event: dict[str, Any], field: str | None = None) -> list[tuple[str, str, str]]:
    """What a field of the first output comes from, or without one what its rows do: dataset, field, and how."""
    lineage = event["outputs"][0]["facets"]["columnLineage"]
    told = lineage["fields"][field]["inputFields"] if field else lineage["dataset"]
    return sorted(
        (it["name"], it["field"], f"{how['type']} {how['subtype']}") for it in told for how in it["transformations"]
    )


def steps(trace: dict[str, Any]) -> list[tuple[int, str, str]]:
    """Depth, column and word of each line of a trace."""
    return [(it["depth"], it["field"], it["word"]) for it in trace["steps"]]


def reached(impact: dict[str, Any]) -> set[str]:
    """Every table that a change reaches, in whatever way."""
    lists = ("values", "population", "tables", "unknown")
    return {it["dataset"] for name in lists for it in impact[name]}
