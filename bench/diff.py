"""``headwater diff HEAD`` on 1,000 pipelines of which 10 are edited, from start of process to end. Goal: 10 s.

Beside it the seconds of CPU of each phase, in one process: where the time goes.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from governance.diff import Known, compare, judge
from governance.project import project_at
from platform_assets.changes.revision import revision
from platform_assets.side import side_like, side_of_project

COMMAND = Path(sys.executable).with_name("headwater")
PIPELINES, SOURCES, EDITED = 1000, 60, 10
FIELDS = ("id", "person_id", "amount", "status", "country", "at")
TYPES = ("bigint", "bigint", "double", "varchar", "varchar", "timestamp")

LINEAGE = """order = ["public", "internal", "personal"]
propagate_through = ["DIRECT", "INDIRECT"]
masking_functions = []
namespace = "iceberg://bench"
job_namespace = "bench"
"""
PIPELINE = """-- owner: team:t{team}
-- grain: id
create table {table} as
with recent as (
    select a.id, a.person_id, a.amount, a.status, a.country, a.at
    from {first} a
    where a.at >= timestamp '2026-01-01' and a.status <> 'void'
), spent as (
    select b.person_id, sum(b.amount) as total, count(*) as orders
    from {second} b
    group by b.person_id
)
select
    r.id,
    r.person_id,
    r.amount * 1.19 + coalesce(s.total, 0) as amount,
    case when s.orders > {n} then 'many' else r.status end as status,
    upper(r.country) as country,
    r.at
from recent r
left join spent s on s.person_id = r.person_id
where r.amount > 0
"""
EDITS = (
    ("r.amount > 0", "r.amount > 1"),
    ("upper(r.country)", "lower(r.country)"),
    ("as country", "as land"),
    ("left join", "join"),
    ("    r.at\n", "    r.at,\n    s.orders\n"),
)


def main() -> None:
    """Print the seconds of the command, and of each phase within one process."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root)
        begun, before = time.perf_counter(), _cpu()
        said = _diff(root)
        took, cpu = time.perf_counter() - begun, _cpu() - before
        print(f"headwater diff HEAD, {PIPELINES} pipelines, {EDITED} edited: {took:.1f} s, {cpu:.1f} s of CPU")
        print(f"  {said.splitlines()[0]}")
        phases(root)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def phases(root: Path) -> None:
    """Print each phase of a comparison with its share of the whole."""
    project, seconds = project_at(root), {}

    @contextmanager
    def phase(name: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        seconds[name] = time.process_time() - begun

    with ExitStack() as stack:
        with phase("read the revision's files out of git"):
            folder = stack.enter_context(revision(root, "HEAD"))
        with phase("parse and trace the earlier side"):
            base = side_of_project(project_at(folder))
    with phase("parse and trace what is not alike of the later side"):
        head = side_like(project, base)
    with phase("compare"):
        differences = compare(base, head)
    with phase("judge"):
        judge(differences, base, head, Known())
    whole = sum(seconds.values())
    for name, took in seconds.items():
        print(f"  {took:6.2f} s  {took / whole:4.0%}  {name}")


def make_project(root: Path, pipelines: int = PIPELINES) -> None:
    """Write the project, commit it to a git repository of its own, and edit some of its pipelines."""
    (root / "governance").mkdir()
    (root / "governance" / "lineage.toml").write_text(LINEAGE, encoding="utf-8")
    (root / "governance" / "metadata.toml").touch()
    columns = ", ".join(f'{name} = "{kind}"' for name, kind in zip(FIELDS, TYPES, strict=True))
    sources = "\n".join(f'["raw.s{n}"]\ncolumns = {{ {columns} }}' for n in range(SOURCES))
    folder = root / "platform_assets" / "pipelines" / "mart"
    folder.mkdir(parents=True)
    (root / "platform_assets" / "sources.toml").write_text(sources, encoding="utf-8")
    for n in range(pipelines):
        (folder / f"t{n}.sql").write_text(_sql(n), encoding="utf-8")
    for command in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "all")):
        _git(root, *command)
    for n in range(EDITED):
        path = folder / f"t{n * pipelines // EDITED}.sql"
        path.write_text(path.read_text(encoding="utf-8").replace(*EDITS[n % len(EDITS)]), encoding="utf-8")


def _sql(n: int) -> str:
    """Return the text of the nth pipeline: the first read sources alone, each other one a table of the layer below."""
    below = f"mart.t{n // 3}" if n >= SOURCES else f"raw.s{n}"
    return PIPELINE.format(team=n % 20, table=f"mart.t{n}", first=below, second=f"raw.s{n % SOURCES}", n=n)


def _git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    command = ("git", *identity, *arguments)
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def _diff(root: Path) -> str:
    env = os.environ | {"HEADWATER_ROOT": str(root)}
    done = subprocess.run([COMMAND, "diff", "HEAD"], env=env, capture_output=True, text=True, check=True)
    return done.stdout
