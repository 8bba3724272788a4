"""A platform made up for the page's bench: 1,000 tables of 50 columns in 40 schemas, some 100,000 edges.

``python -m bench.page_document FILE`` writes its document. The same numbers make the same platform.
"""

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from governance.dataset import Dataset
from governance.events.model import (
    ColumnLineagePart,
    FieldLineagePart,
    InputFieldPart,
    SchemaFieldPart,
    TransformationPart,
)
from governance.graph import graph_of
from governance.learned import Learned
from governance.lineage.model import Transformation
from governance.page.document import Shown, document
from governance.policy import Policy
from governance.policy_lineage import LineagePolicy
from governance.runs import Job, Run, RunDataset

TABLES, COLUMNS, SCHEMAS = 1_000, 50, 40
SOURCES = 40
"""Tables at the start that nothing here builds."""
CHANGED = 5
"""One table in so many had two earlier versions."""
NAMESPACE = "iceberg://bench"
START = datetime(2026, 10, 1, tzinfo=UTC)
TYPES = ("varchar", "bigint", "timestamp", "decimal(18,2)", "boolean")
FIELD_KINDS = (*(Transformation.IDENTITY,) * 5, Transformation.TRANSFORMATION, Transformation.AGGREGATION)
ROW_KINDS = (Transformation.JOIN, Transformation.FILTER, Transformation.GROUP_BY)


def platform(tables: int = TABLES, columns: int = COLUMNS, schemas: int = SCHEMAS) -> Shown:
    """Return the platform as the page shows it."""
    random = Random(1)  # noqa: S311  figures, no secrets
    names = [Dataset(NAMESPACE, f"domain_{place * schemas // tables:02}.table_{place:04}") for place in range(tables)]
    runs = tuple(run for place in range(SOURCES, tables) for run in _runs(place, names, columns, random))
    lineage = LineagePolicy(
        order=("public", "internal", "personal", "sensitive"),
        propagate_through=frozenset({"DIRECT"}),
        masking_functions=frozenset(),
        namespace=NAMESPACE,
        job_namespace="bench",
    )
    return Shown("bench", START + timedelta(days=30), Policy({}, lineage), graph_of(runs), runs)


def _runs(place: int, names: list[Dataset], columns: int, random: Random) -> Iterator[Run]:
    near = range(max(0, place - 60), place)
    inputs = sorted({names[random.choice(near)] for _ in range(random.randint(1, 4))})
    schema = tuple(SchemaFieldPart(f"column_{it:02}", TYPES[it % len(TYPES)]) for it in range(columns))
    for day in range(3 if place % CHANGED == 0 else 1):
        lineage = ColumnLineagePart(
            {it.name: FieldLineagePart(tuple(_inputs(inputs, columns, random))) for it in schema},
            tuple(_input(random.choice(inputs), columns, random, ROW_KINDS) for _ in range(3)),
        )
        output = RunDataset(names[place], tuple(it.name for it in schema), lineage, str(place), (), schema=schema)
        read = tuple(RunDataset(it, (), None, None, ()) for it in inputs)
        at = START + timedelta(days=day, seconds=place)
        job = Job("bench", names[place].name)
        yield Run(f"run-{place}-{day}", job, "COMPLETE", at, at, None, read, (output,), Learned.PARSED)


def _inputs(inputs: list[Dataset], columns: int, random: Random) -> Iterator[InputFieldPart]:
    yield _input(inputs[0], columns, random, FIELD_KINDS)
    if random.random() < 0.9:  # noqa: PLR2004  most columns have a second input
        yield _input(random.choice(inputs), columns, random, (*FIELD_KINDS, Transformation.CONDITIONAL))


def _input(dataset: Dataset, columns: int, random: Random, kinds: tuple[Transformation, ...]) -> InputFieldPart:
    kind = random.choice(kinds)
    used = TransformationPart(kind.type, kind.subtype, None, random.random() < 0.02)  # noqa: PLR2004  a few are masked
    return InputFieldPart(dataset.namespace, dataset.name, f"column_{random.randrange(columns):02}", (used,))


def main(file: Path) -> None:
    """Write the document to ``file`` and say how long it took and how large it is."""
    shown = platform()
    began = time.perf_counter()
    made = document(shown)
    taken = time.perf_counter() - began
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    file.write_text(text, "utf-8")
    edges = sum(len(it["edges"]) for it in made["versions"])
    print(f"document of {len(made['datasets'])} datasets, {edges:,} edges: {taken:.2f} s, {len(text) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
