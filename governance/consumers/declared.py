"""Declared consumers: who said that they depend on a table, in ``governance/consumers.toml`` and in BI metadata.

A stated promise survives a consumer that no instrument sees; a consumer who is declared gets a notice before a change.
A later policy folder replaces consumers of an earlier one by their names, and adds its shared accounts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from governance.consumers.exposures import read_exposures
from governance.duration import EXPECTED, parse_duration
from governance.landing.names import namespaces
from governance.owner import OWNER_FORM, is_owner
from governance.policy import load_sources
from governance.policy_file import Section, read_section
from governance.project import Project

FILE = "consumers.toml"
KINDS = ("dashboard", "report", "export", "notebook", "application", "model", "spreadsheet", "service", "other")
WEIGHTS: Mapping[str, int] = {"low": 1, "medium": 2, "high": 4, "critical": 8}
"""How much a consumer of each criticality counts; one that states none counts as ``UNSTATED``."""

LANDED = re.compile(r"[^/\s]+/\S.*")
"""A dataset of files or a column of one."""

UNSTATED = "medium"
EXPORTED = "BI metadata"
"""The source of what a tool says of itself."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A consumer as someone registered it.

    contact: whom to write to where that is not the owner
    period:  how far apart its runs lie at most; a log of a shorter window proves nothing by its silence
    reads:   tables (``schema.table``, ``landing/orders.csv``) and columns (``schema.table.column``) that it depends on
    accounts, tags: by which its queries are known in a log; tags, and names of applications, may hold ``*``
    source:  ``declared`` or ``BI metadata``; ``file``: where it says so
    files:   the project's declared datasets of files, whose names have dots of their own
    """

    name: str
    kind: str
    reads: tuple[str, ...]
    owner: str | None = None
    contact: str | None = None
    criticality: str | None = None
    period: timedelta | None = None
    accounts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    description: str | None = None
    source: str = "declared"
    file: str = FILE
    files: frozenset[str] = frozenset()

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it depends on, of whichever columns."""
        return frozenset(map(self.table, self.reads))

    def table(self, name: str) -> str:
        """Return the table that ``name``, one of ``reads``, is or is in."""
        files = [it for it in self.files if f"{name}.".startswith(f"{it}.")]
        return max(files, key=len) if files else ".".join(name.split(".")[:2])

    @property
    def exported(self) -> bool:
        """Whether a BI tool says so, and nobody here wrote it."""
        return self.source == EXPORTED

    @property
    def weight(self) -> int:
        """How much it counts."""
        return WEIGHTS[self.criticality or UNSTATED]

    def columns(self, table: str) -> tuple[str, ...] | None:
        """Return its columns of ``table``, None where it depends on the table as a whole."""
        of_table = [name for name in self.reads if name == table or name.startswith(f"{table}.")]
        return None if table in of_table else tuple(sorted(of_table))


@dataclass(frozen=True, slots=True)
class Declarations:
    """All that was declared: consumers by name, and accounts (``*`` allowed) that many people or reports share."""

    consumers: tuple[Declared, ...] = ()
    shared_accounts: tuple[str, ...] = ()


def load_declarations(project: Project) -> Declarations:
    """Return what the policy folders declare; a folder without ``consumers.toml`` declares nothing.

    Raises:
        PolicyError: a file is not TOML, or says something that is not allowed.
    """
    landing = frozenset(namespaces(load_sources(project)) if project.sources.exists() else ())
    paths = [folder / FILE for folder in project.policy]
    files = [(path, read_section(path, project.relative(path))) for path in paths if path.exists()]
    consumers = {it.name: replace(it, files=landing) for path, section in files for it in _consumers(path, section)}
    shared = (account for _, section in files for account in _texts(section, "shared_accounts"))
    return Declarations(tuple(consumers[name] for name in sorted(consumers)), tuple(dict.fromkeys(shared)))


def _consumers(path: Path, file: Section) -> Iterator[Declared]:
    file.only("shared_accounts", "bi", "consumers")
    for name in _texts(file, "bi"):
        for entry in read_exposures(path.parent / name, name):
            yield _exposed(entry)
    for name, section in file.section("consumers").sections():
        yield _declared(name, section)


def _declared(name: str, section: Section) -> Declared:
    section.only(
        *("kind", "reads", "owner", "contact", "criticality", "period", "accounts", "tags", "description"),
    )
    return Declared(
        name=name,
        kind=_one_of(section, "kind", KINDS) or "other",
        reads=_some(section, _reads(section)),
        owner=_owner(section),
        contact=section.optional_text("contact"),
        criticality=_one_of(section, "criticality", tuple(WEIGHTS)),
        period=_period(section),
        accounts=_texts(section, "accounts"),
        tags=_texts(section, "tags"),
        description=section.optional_text("description"),
        file=section.file,
    )


def _exposed(section: Section) -> Declared:
    """Return a consumer that a BI tool exports; a word of its own for a kind is no error, and stands as ``other``."""
    kind, criticality = section.optional_text("kind"), section.optional_text("criticality")
    owner = section.optional_text("owner")
    return Declared(
        name=section.text("name"),
        kind=kind if kind in KINDS else "other",
        reads=_reads(section),
        owner=owner if owner and is_owner(owner) else None,
        contact=section.optional_text("contact") or owner,
        criticality=criticality if criticality in WEIGHTS else None,
        accounts=_texts(section, "accounts"),
        tags=_texts(section, "tags"),
        description=section.optional_text("description"),
        source=EXPORTED,
        file=section.file,
    )


def _texts(section: Section, key: str) -> tuple[str, ...]:
    return section.texts(key) if key in section.values else ()


def _reads(section: Section) -> tuple[str, ...]:
    reads = section.texts("reads")
    for name in reads:
        table = 2 <= len(name.split(".")) <= 3 and all(name.split("."))  # noqa: PLR2004  schema.table[.column]
        if not table and not LANDED.fullmatch(name):
            fix = 'write reads = ["schema.table", "schema.table.column", "landing/file.csv.column"]'
            raise section.wrong("reads", f"{name!r} is neither a table nor a column", fix=fix)
    return reads


def _some(section: Section, reads: tuple[str, ...]) -> tuple[str, ...]:
    if not reads:
        raise section.wrong("reads", "it depends on nothing", fix='write reads = ["schema.table"], or take it out')
    return reads


def _one_of(section: Section, key: str, allowed: tuple[str, ...]) -> str | None:
    text = section.optional_text(key)
    if text is not None and text not in allowed:
        raise section.wrong(key, f"unknown {key} {text!r}", fix=f"write one of {', '.join(allowed)}")
    return text


def _owner(section: Section) -> str | None:
    owner = section.optional_text("owner")
    if owner is not None and not is_owner(owner):
        raise section.wrong("owner", f"{owner!r} is no owner", fix=OWNER_FORM)
    return owner


def _period(section: Section) -> timedelta | None:
    text = section.optional_text("period")
    period = parse_duration(text) if text is not None else None
    if text is not None and period is None:
        raise section.wrong("period", f"{text!r} is no span of time", fix=EXPECTED)
    return period
