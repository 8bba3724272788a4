"""The commands for a change that has not shipped: ``cli`` adds ``COMMANDS`` to its own."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from governance.errors import HeadwaterError
from governance.project import Project, find_project, project_at

if TYPE_CHECKING:
    from governance.diff import Diff, Known, Side
    from governance.events.model import Event
    from governance.policy import Policy
    from governance.runs import Run
    from platform_assets.changes.validate import Given

FORMATS = ("text", "json", "md", "github", "sarif")
FAIL_ON = ("breaking", "population", "value", "understated", "unreadable")
EVENTS = click.option(
    "--events",
    type=click.Path(path_type=Path, exists=True),
    help="Events that tell who reads what: a file, a folder or a store. Default: the project's own, if there are any.",
)


@click.command()
@click.argument("base")
@click.argument("head", required=False)
@EVENTS
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--fail-on", multiple=True, type=click.Choice(FAIL_ON), help="Exit with code 1 on this; may be repeated.")
def diff(base: str, head: str | None, events: Path | None, form: str, fail_on: tuple[str, ...]) -> None:
    """Say what changes from the revision BASE to HEAD, or to the files as they are now, and whom it reaches.

    BASE and HEAD are git revisions, or two files of events. Each change is breaking, population, value, additive or
    cosmetic. JSON is {"changes": [{"pipeline", "kind", "fields", "reason", "reaches", …}], "classes", "understated",
    "unreadable", "owners"}.
    """
    from governance.report.diff import FORMATS as SHOWN

    project = find_project()
    found = _compared(project, base, head, events)
    as_json = form == "json"
    click.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) if as_json else SHOWN[form](found))
    sys.exit(1 if any(_holds(found)[it] for it in fail_on) else 0)


def _holds(found: "Diff") -> Mapping[str, bool]:
    """Return, for each thing that ``--fail-on`` may name, whether it is so."""
    kinds = {change.kind.value for change in found.changes}
    return {
        **{kind: kind in kinds for kind in ("breaking", "population", "value")},
        "understated": bool(found.understated),
        "unreadable": bool(found.unreadable),
    }


def _compared(project: Project, base: str, head: str | None, events: Path | None) -> "Diff":
    from governance.diff import compare, judge

    if head is not None and _is_events(base) and _is_events(head):
        return _compared_events(project, Path(base), Path(head))
    for name in filter(None, (base, head)):
        if Path(name).is_file() and _is_events(name):
            raise HeadwaterError(
                f"{name} is a file of events, and what it is compared with is none", fix="name two files of events"
            )
    before, after = _sides(project, base, head)
    runs = _runs(project, after.policy, events)
    return judge(compare(before, after), before, after, _known(project, after.policy, runs))


def _is_events(name: str) -> bool:
    path = Path(name)
    return path.is_dir() or (path.is_file() and path.suffix in (".ndjson", ".jsonl", ".json"))


def _compared_events(project: Project, base: Path, head: Path) -> "Diff":
    from governance.diff import judge_told, told_by, told_differences
    from governance.policy import load_policy

    policy = load_policy(project)
    before, after = (told_by(_events(path, policy)) for path in (base, head))
    return judge_told(told_differences(before, after), before, after, _known(project, policy, ()))


def _events(path: Path, policy: "Policy") -> "tuple[Event, ...]":
    from governance.events.reading import read_events, read_store
    from governance.telling import told

    reading = read_store(path) if path == find_project().events else read_events(path)
    for problem in reading.problems:
        click.echo(f"warning: {problem}", err=True)
    return told(reading.events, policy.lineage.spellings)


def _sides(project: Project, base: str, head: str | None) -> "tuple[Side, Side]":
    """Return what the files say as of two revisions; as they are now where no later one is named."""
    from functools import partial

    from platform_assets.side import side_like, side_of_project

    before = _side(project, base, side_of_project)
    return before, _side(project, head, partial(side_like, earlier=before))


def _side(project: Project, name: str | None, read: "Callable[[Project], Side]") -> "Side":
    from platform_assets.changes.revision import revision

    if name is None:
        return read(project)
    with revision(project.root, name) as folder:
        try:
            return read(project_at(folder))
        except HeadwaterError as error:
            raise HeadwaterError(
                f"in revision {name}: {error}", fix="name a revision whose files can be read"
            ) from error


def _rows(project: Project, before: "Side", fixtures: Path | None) -> "AbstractContextManager[Given]":
    from platform_assets.changes.inputs import fixture_rows, pinned_rows

    if fixtures is None:
        return pinned_rows(project)
    return fixture_rows(project, fixtures, {source.table: source.columns for source in before.sources})


def _known(project: Project, policy: "Policy", runs: "tuple[Run, ...]") -> "Known":
    from governance.consumers.declared import load_declarations
    from governance.diff import Known
    from governance.impact.facts import facts_of
    from governance.queries.store import QueryStore

    declarations, log = load_declarations(project), QueryStore(project.state / "queries").read()
    return Known(
        runs,
        lambda graph: facts_of(graph, policy, declarations, log),
        log,
        datetime.now(UTC).date(),
        declarations,
    )


def _runs(project: Project, policy: "Policy", events: Path | None) -> "tuple[Run, ...]":
    """Return the runs that tell who reads what; none where the project has no events yet: its texts tell too."""
    from governance.events.place import events_folder
    from governance.runs import read_runs

    path = events or events_folder(project)
    return read_runs(_events(path, policy)) if path.exists() else ()


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the block as an exception does, so that what it made is cleared away."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@click.command()
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option("--change", "changes", multiple=True, help='A source\'s, to be tried: "crm.learners.email rename mail".')
@click.option("--sample", type=click.IntRange(min=1), help="Rows of each input at the most. Default: all.")
@click.option(
    "--fixtures",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of schema.table.csv, .json or .parquet, and of landing/file.csv, in place of what is there now.",
)
@click.option("--tolerance", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Of numbers, relative.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=600.0, show_default=True, help="A build's.")
@EVENTS
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
def validate(  # one parameter an option
    *,
    base: str | None,
    head: str | None,
    changes: tuple[str, ...],
    sample: int | None,
    fixtures: Path | None,
    tolerance: float,
    seconds: float,
    events: Path | None,
    form: str,
) -> None:
    """Build what changed from BASE to HEAD, old and new, beside the live tables, and compare the results.

    Each table's evidence stands beside the predicted impact. Exit code 1 where something was seen that nothing
    predicted, or where a table cannot be built any more. Without BASE the files as they are now are built as they are,
    and over sources with each --change.
    """
    from governance.report.validation import FORMATS as SHOWN
    from governance.simulate import read_change
    from governance.validation import Verdict
    from platform_assets.changes.validate import Asked
    from platform_assets.changes.validate import validate as compare_built
    from platform_assets.side import side_of_project

    if base is None and not changes:
        raise HeadwaterError("nothing to compare", fix="name a revision, or a --change of a source")
    project = find_project()
    before, after = _sides(project, base, head) if base else (side_of_project(project),) * 2
    with ExitStack() as stack:
        stack.enter_context(_ended_in_order())
        simulated = tuple(read_change(text, after.sources) for text in changes)
        asked = Asked(before, after, simulated, sample, tolerance, seconds)
        rows = stack.enter_context(_rows(project, before, fixtures))
        known = _known(project, after.policy, _runs(project, after.policy, events))
        found = compare_built(asked, known, rows)
    click.echo(SHOWN[form](found))
    sys.exit(1 if any(it.verdict in (Verdict.FAULT, Verdict.UNBUILT) for it in found) else 0)


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
def selftest(form: str) -> None:
    """Seed a column, a filter, a join and an aggregate into a copy of every pipeline, and look whether lineage tells.

    Exit code 1 where not exactly the new edges appear.
    """
    from functools import partial

    from governance.report.selftest import FORMATS as SHOWN
    from governance.selftest import selftest as try_seeds
    from platform_assets.changes.collect import collect
    from platform_assets.side import side_of_project

    side = side_of_project(find_project())
    tried = try_seeds(side.program, partial(collect, side.policy.lineage))
    click.echo(SHOWN[form](tried))
    sys.exit(1 if any(it.blind for it in tried) else 0)


COMMANDS: tuple[click.Command, ...] = (diff, validate, selftest)
