"""The policy files as frozen types; a bad file is an error that names the file, the table and the key.

``metadata.toml`` holds the owner of each table and the class and description of each column, ``lineage.toml`` how
lineage is named and followed and which jobs run elsewhere, ``waivers.toml`` the findings that someone accepts and the
edges that someone declassified. A later policy folder replaces tables and settings of an earlier one by their names,
and adds what it accepts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType

from governance import policy_coverage, policy_events, policy_ui, policy_vars
from governance.duration import EXPECTED, parse_duration
from governance.landing.names import namespaces
from governance.owner import OWNER_FORM, is_owner
from governance.policy_file import Section, read_section
from governance.policy_lineage import KEYS, LineagePolicy, NamespacePolicy, lineage_policy
from governance.policy_ui import UiPolicy
from governance.project import Project
from governance.sources import Source, load_sources, named_tables
from governance.template.model import Value

__all__ = [
    "ColumnPolicy",
    "Declassified",
    "ExternalJob",
    "LineagePolicy",
    "NamespacePolicy",
    "Policy",
    "Source",
    "TablePolicy",
    "Waiver",
    "load_events_address",
    "load_policy",
    "load_sources",
    "load_variables",
]


@dataclass(frozen=True, slots=True)
class ColumnPolicy:
    """What people declared of a column; None where they said nothing."""

    classification: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class TablePolicy:
    """What people declared of a table; ``columns`` in the file's order. A missing owner is a finding, not an error.

    ``file`` is where they did, as it may be shown; what is declared is the same wherever it stands.
    """

    owner: str | None = None
    description: str | None = None
    columns: Mapping[str, ColumnPolicy] = field(default_factory=lambda: MappingProxyType({}))
    file: str = field(default="governance/metadata.toml", compare=False)


@dataclass(frozen=True, slots=True)
class Waiver:
    """An accepted finding: of a whole table where ``column`` is None, through the day ``until``; ``file`` says so."""

    rule: str
    table: str
    column: str | None
    reason: str
    who: str
    until: date
    file: str = field(default="governance/waivers.toml", compare=False)


@dataclass(frozen=True, slots=True)
class Declassified:
    """An edge that passes on less than its source's class, through the day ``until``: someone looked and says so.

    source, target: columns as ``schema.table.column``; a table as target is every row of it
    classification: what the edge passes on instead; None for nothing at all
    """

    source: str
    target: str
    classification: str | None
    reason: str
    who: str
    until: date
    file: str = field(default="governance/waivers.toml", compare=False)


@dataclass(frozen=True, slots=True)
class ExternalJob:
    """A job that another scheduler runs; silent for longer than ``cadence``, it is missing."""

    namespace: str
    name: str
    cadence: timedelta
    owner: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """All that the policy files say.

    coverage:       the least share of a measure, 0 to 1; one without a threshold is only reported
    dangling_after: how long a run may go without end; None: as long as ``governance.runs`` has patience
    ui:             where the page and Dagster are found
    variables:      what templates may name by ``var``
    """

    tables: Mapping[str, TablePolicy]
    lineage: LineagePolicy
    waivers: tuple[Waiver, ...] = ()
    external_jobs: tuple[ExternalJob, ...] = ()
    declassified: tuple[Declassified, ...] = ()
    coverage: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    dangling_after: timedelta | None = None
    ui: UiPolicy = field(default_factory=UiPolicy)
    variables: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    def column(self, table: str, column: str) -> ColumnPolicy:
        """Return what was declared of a column, an empty declaration where nothing was."""
        return self.tables.get(table, TablePolicy()).columns.get(column, ColumnPolicy())


def load_policy(project: Project) -> Policy:
    """Return the project's policy.

    Raises:
        PolicyError: a file is missing, is not TOML, or says something that is not allowed; ``sources.toml``, which
            says the namespaces of files, may be missing.
    """
    settings = _files(project, "lineage.toml")
    for section in settings:
        section.only(*KEYS, "jobs", *policy_coverage.KEYS, *policy_ui.KEYS, *policy_vars.KEYS, *policy_events.KEYS)
    files = namespaces(load_sources(project)) if project.sources.exists() else {}
    lineage = replace(lineage_policy(settings), files=files)
    classes = lineage.lattice.classes
    tables = {
        name: _table(section, classes)
        for file in _files(project, "metadata.toml")
        for name, section in named_tables(file)
    }
    jobs = {job.name: job for file in settings for job in _external_jobs(file, lineage.job_namespace)}
    accepted = tuple(file for folder in project.policy for file in _accepted(project, folder / "waivers.toml"))
    return Policy(
        tables=MappingProxyType(tables),
        lineage=lineage,
        waivers=tuple(_waiver(section) for file in accepted for section in file.list_of_sections("waiver")),
        external_jobs=tuple(jobs[name] for name in sorted(jobs)),
        declassified=tuple(
            _declassified(section, classes) for file in accepted for section in file.list_of_sections("declassify")
        ),
        coverage=policy_coverage.thresholds(settings),
        dangling_after=policy_coverage.dangling_after(settings),
        ui=policy_ui.moved(policy_ui.ui_policy(settings), page=project.page, dagster=project.dagster),
        variables=policy_vars.variables(settings),
    )


def load_variables(project: Project) -> Mapping[str, Value]:
    """Return ``[vars]`` of the project alone, for whoever needs nothing else of its policy.

    Raises:
        PolicyError: ``lineage.toml`` is missing or not TOML, or a variable holds what is not allowed.
    """
    return policy_vars.variables(_files(project, "lineage.toml"))


def load_events_address(project: Project) -> str | None:
    """Return ``[events] store`` alone, None where nothing is said of it.

    Raises:
        PolicyError: ``lineage.toml`` is not TOML, or it is no address.
    """
    there = (folder / "lineage.toml" for folder in project.policy)
    return policy_events.events_address([read_section(it, project.relative(it)) for it in there if it.exists()])


def _files(project: Project, name: str) -> tuple[Section, ...]:
    """Return ``name`` of every policy folder that has it, and at least of the first: it must be there."""
    first, *overlays = (folder / name for folder in project.policy)
    there = [first, *(path for path in overlays if path.exists())]
    return tuple(read_section(path, project.relative(path), project.cache) for path in there)


def _table(section: Section, order: tuple[str, ...]) -> TablePolicy:
    section.only("owner", "description", "columns")
    columns = {name: _column(column, order) for name, column in section.section("columns").sections()}
    description = section.optional_text("description")
    return TablePolicy(_owner(section), description, MappingProxyType(columns), section.file)


def _owner(section: Section) -> str | None:
    owner = section.optional_text("owner")
    if owner is not None and not is_owner(owner):
        raise section.wrong("owner", f"{owner!r} is no owner", fix=OWNER_FORM)
    return owner


def _column(section: Section, order: tuple[str, ...]) -> ColumnPolicy:
    section.only("classification", "description")
    classification = section.optional_text("classification")
    if classification is not None and classification not in order:
        fix = f"write one of {', '.join(order)}, or add it to order in lineage.toml"
        raise section.wrong("classification", f"unknown class {classification!r}", fix=fix)
    return ColumnPolicy(classification, section.optional_text("description"))


def _external_jobs(file: Section, default_namespace: str) -> Iterator[ExternalJob]:
    for name, section in file.section("jobs").sections():
        section.only("cadence", "owner", "namespace", "description")
        cadence = parse_duration(section.text("cadence"))
        if cadence is None:
            raise section.wrong("cadence", f"{section.text('cadence')!r} is no span of time", fix=EXPECTED)
        yield ExternalJob(
            namespace=section.optional_text("namespace") or default_namespace,
            name=name,
            cadence=cadence,
            owner=_owner(section),
            description=section.optional_text("description"),
        )


def _accepted(project: Project, path: Path) -> Iterator[Section]:
    """Yield the file of what people accept; one that is not there accepts nothing."""
    if path.exists():
        file = read_section(path, project.relative(path))
        file.only("waiver", "declassify")
        yield file


def _waiver(section: Section) -> Waiver:
    section.only("rule", "table", "column", "reason", "who", "until")
    return Waiver(
        rule=section.text("rule"),
        table=section.text("table"),
        column=section.optional_text("column"),
        reason=section.text("reason"),
        who=section.text("who"),
        until=section.day("until"),
        file=section.file,
    )


def _declassified(section: Section, classes: tuple[str, ...]) -> Declassified:
    section.only("from", "to", "classification", "reason", "who", "until")
    classification = section.optional_text("classification")
    if classification is not None and classification not in classes:
        fix = f"write one of {', '.join(classes)}, or leave it out"
        raise section.wrong("classification", f"unknown class {classification!r}", fix=fix)
    return Declassified(
        source=section.text("from"),
        target=section.text("to"),
        classification=classification,
        reason=section.text("reason"),
        who=section.text("who"),
        until=section.day("until"),
        file=section.file,
    )
