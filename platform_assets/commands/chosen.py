"""What ``headwater run`` is to build: which job, which of its tables, which of their partitions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from governance.errors import HeadwaterError
from governance.pipeline import Pipeline
from governance.statement import Program
from platform_assets.assets.partitions import definition_of, job_name

NIGHTLY = "nightly"
FORM = "write KEY, or FIRST..LAST with both ends"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run to be made.

    job:    its name; None for the whole of tables that have partitions, for which Dagster has no job but its own
    tables: of the job; empty: all of them
    keys:   the first and the last partition; None: no partition
    left:   tables that a run of everything leaves out, as they are built partition by partition
    """

    job: str | None
    tables: tuple[str, ...]
    keys: tuple[str, str] | None = None
    left: tuple[Pipeline, ...] = ()


def chosen(pipelines: Sequence[Pipeline], program: Program, tables: tuple[str, ...], partition: str | None) -> Chosen:
    """Return the run of ``tables``, and of the partition, ``KEY`` or ``FIRST..LAST``, where one is asked for.

    Raises:
        HeadwaterError: the tables have no such partitions; or Dagster makes them in partitions only.
    """
    parted = tuple(it for it in pipelines if it.partitions and (it.table in tables or not tables))
    if partition is not None:
        return _partition(tuple(it for it in pipelines if it.table in tables), partition)
    if not tables or not parted:
        return Chosen(NIGHTLY, tables, left=parted)
    _require_whole(pipelines, program, parted)
    return Chosen(None, tables)


def latest(pipeline: Pipeline) -> str:
    """Return the key of the last partition that has ended, empty where none has."""
    last = definition_of(pipeline.partitions).get_last_partition_key() if pipeline.partitions else None
    return last or ""


def _partition(pipelines: Sequence[Pipeline], partition: str) -> Chosen:
    if not pipelines:
        raise HeadwaterError("--partition is of tables", fix="name them: headwater run TABLE --partition KEY")
    for it in pipelines:
        if it.problem:
            raise it.problem
    without = [it.table for it in pipelines if it.partitions is None]
    if without:
        fix = "leave --partition out, or add -- partitions: daily from … to its header"
        raise HeadwaterError(f"{without[0]} has no partitions", fix=fix)
    windows = {it.partitions for it in pipelines if it.partitions}
    if len(windows) > 1:
        several = "; ".join(f"{it.table}: {it.partitions}" for it in pipelines)
        raise HeadwaterError(f"the tables have different partitions ({several})", fix="run them one after the other")
    known = definition_of(one := windows.pop()).get_partition_keys()
    keys = _ends(partition, known)
    for key in keys:
        if key not in known:
            fix = f"they are {known[0]} to {known[-1]}, {one}" if known else f"the first one has not ended: {one}"
            raise HeadwaterError(f"there is no partition {key}", fix=fix)
    if known.index(keys[0]) > known.index(keys[1]):
        raise HeadwaterError(f"{keys[0]} comes after {keys[1]}", fix=f"write {keys[1]}..{keys[0]}")
    return Chosen(job_name(one), tuple(it.table for it in pipelines), keys)


def _ends(partition: str, known: Sequence[str]) -> tuple[str, str]:
    first, dots, last = partition.partition("..")
    if first and (last or not dots) and not last.startswith("."):
        return first, last or first
    said = FORM + (f": {first or known[0]}..{last.strip('.') or known[-1]}" if known else "")
    raise HeadwaterError(f"{partition!r} is neither a partition nor a range of them", fix=said)


def _require_whole(pipelines: Iterable[Pipeline], program: Program, parted: Iterable[Pipeline]) -> None:
    """Check that no table with partitions reads another one: of those Dagster runs partitions only."""
    known = {it.table for it in pipelines if it.partitions}
    reads = {it.pipeline.table: it.upstream for it in program.statements}
    for it in parted:
        if above := sorted(reads.get(it.table, frozenset()) & known):
            fix = f"name its partitions: --partition {it.partitions and it.partitions.start.date()}..{latest(it)}"
            raise HeadwaterError(f"{it.table} reads {above[0]}, and both are built by partitions", fix=fix)
