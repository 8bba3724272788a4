"""``headwater propose``: classes that follow lineage, shown or written into the policy file for review."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from governance.errors import PolicyError
from governance.project import Project, find_project
from platform_assets.commands.answer import EVENTS, FORMAT, say
from platform_assets.commands.asked import told_of
from platform_assets.replace import replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from governance.classification import Proposal
    from governance.dataset import Field
    from governance.policy import Policy


@click.command()
@EVENTS
@click.option("--write", is_flag=True, help="Edit metadata.toml by the proposals, for review; comments stay.")
@FORMAT
def propose(*, events: Path | None, write: bool, form: str) -> None:
    """Propose a classification for every column that a job writes, and say what decided it.

    JSON is a list of {"field", "dataset", "namespace", "declared", "proposed", "reason", "decided_by", "ways",
    "tagged_by", "declassified", "uncounted", "unclassified", "lapsed"}.
    """
    from governance.classification import propose as proposals_of
    from governance.graph import build_graph
    from governance.proposed_metadata import changes, lapsed
    from governance.report.proposals import proposals_dict, proposals_markdown, proposals_text

    project = find_project()
    told, policy = told_of(project, events)
    proposals = proposals_of(build_graph(told), policy, today=datetime.now(UTC).date())
    over = lapsed((project.policy[0] / "metadata.toml").read_text("utf-8"), proposals, policy)
    say(
        form,
        lambda: proposals_text(proposals, policy, over),
        lambda: proposals_markdown(proposals, policy, over),
        lambda: proposals_dict(proposals, policy, over),
    )
    if write:
        file = _write(project, proposals, policy)
        click.echo(f"{len(changes(proposals, policy))} columns written to {file}: review the difference", err=True)


def _write(project: Project, proposals: "Mapping[Field, Proposal]", policy: "Policy") -> str:
    from governance.proposed_metadata import written

    # the file itself where a link stands in its place
    path = (project.policy[0] / "metadata.toml").resolve()
    shown = project.relative(project.policy[0] / "metadata.toml")
    # bytes, because reading text loses which line ends the file has
    before = path.read_bytes()
    after = written(before.decode(), proposals, policy, shown).encode()
    if after != before:
        try:
            replace_file(path, after)
        except OSError as error:
            fix = "make its folder writable"
            raise PolicyError(shown, "", f"it cannot be written: {error.strerror}", fix=fix) from None
    return shown
