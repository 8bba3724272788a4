"""Observed reads: each pair of a consumer and a table that a query log shows, and whether lineage explains it.

Who read is told by the log's account and tag, resolved to a declared consumer or to a job where one fits. An account
that many read through stands for nobody until a tag says more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from governance.consumers.declared import Declarations, Declared
from governance.consumers.records import Records
from governance.dataset import Dataset
from governance.graph import Graph
from governance.policy_lineage import LineagePolicy
from governance.queries.model import QueryRead

NO_ACCOUNT = "(no account)"


@dataclass(frozen=True, slots=True)
class Who:
    """The consumer that a read is counted for.

    declared: the registration it was resolved to, ``job``: the job; None where neither fits
    shared:   it came through an account of many and is not resolved to a person, report or job
    """

    name: str
    declared: Declared | None = None
    job: str | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """All reads of one table by one consumer.

    columns:   those known to be read, ``schema.table.column``; ``whole``: whether every read told its columns
    accounts:  they came through
    explained: ``edge``, ``declared`` or ``path`` where lineage or a declaration knows of it, else empty; ``by``: which
    """

    who: Who
    table: str
    reads: int
    first: datetime
    last: datetime
    columns: tuple[str, ...]
    whole: bool
    accounts: tuple[str, ...]
    explained: str
    by: str


def observe(records: Records) -> tuple[Observed, ...]:
    """Return every pair that the log shows, by table, then most reads first."""
    index = Lineage.of(records.graph, records.policy.lineage)
    known = _Identities(records.declarations, index.jobs)
    known.learn(records.log.reads)
    grouped: dict[tuple[Who, str], list[QueryRead]] = defaultdict(list)
    for read in records.log.reads:
        who = known.of(read)
        for table in read.tables:
            grouped[who, table].append(read)
    pairs = (_observed(who, table, reads, index) for (who, table), reads in grouped.items())
    return tuple(sorted(pairs, key=lambda pair: (pair.table, -pair.reads, pair.who.name)))


class _Identities:
    """Accounts and tags → consumers.

    Accounts compare without regard to case: an engine's export spells them as the engine folds them, a declaration as
    somebody typed them.
    """

    def __init__(self, declarations: Declarations, jobs: frozenset[str]) -> None:
        self.jobs = jobs
        self.job_accounts = {job.casefold(): job for job in sorted(jobs, reverse=True)}
        self.patterns = tuple(pattern.casefold() for pattern in declarations.shared_accounts)
        self.by_tag = [it for it in declarations.consumers if it.tags]
        self.by_account: dict[str, list[Declared]] = defaultdict(list)
        for consumer in declarations.consumers:
            for account in consumer.accounts:
                self.by_account[account.casefold()].append(consumer)
        self.named: set[str] = set()
        self.spelled: dict[str, str] = {}
        self.found: dict[tuple[str, str, str], Who] = {}

    def learn(self, reads: Iterable[QueryRead]) -> None:
        """Note the accounts that somebody named reads through: what comes through them unnamed is somebody else's."""
        for user, tag, application in {(read.user, read.tag, read.application) for read in reads}:
            account = user.casefold()
            self.spelled[account] = min(user, self.spelled.get(account, user))
            if self._by_tag(account, tag, application):
                self.named.add(account)

    def of(self, read: QueryRead) -> Who:
        key = read.user, read.tag, read.application
        if key not in self.found:
            self.found[key] = self._resolve(*key)
        return self.found[key]

    def _resolve(self, user: str, tag: str, application: str) -> Who:
        account = user.casefold()
        who = self._by_tag(account, tag, application)
        if who:
            return who
        if account in self.job_accounts:
            return Who(self.job_accounts[account], job=self.job_accounts[account])
        shared = self._shared(account)
        own = {it.name: it for it in self.by_account.get(account, ()) if not it.tags}
        if len(own) == 1 and not shared:
            return next(Who(*it) for it in own.items())
        label = self.spelled.get(account, user) or NO_ACCOUNT
        return Who(f"{label} [{tag}]" if shared and tag else label, shared=shared)

    def _by_tag(self, account: str, tag: str, application: str) -> Who | None:
        said = [text for text in (tag, application) if text]
        tagged = [it for it in self.by_tag if _tagged(it, said) and self._through(it, account)]
        if len(tagged) == 1:
            return Who(tagged[0].name, tagged[0])
        job = next((text for text in said if text in self.jobs), None)
        return Who(job, job=job) if job else None

    def _through(self, consumer: Declared, account: str) -> bool:
        return not consumer.accounts or consumer in self.by_account.get(account, ())

    def _shared(self, account: str) -> bool:
        if not account or account in self.named or any(fnmatchcase(account, pattern) for pattern in self.patterns):
            return True
        return len({it.name for it in self.by_account.get(account, ())}) > 1


def _tagged(consumer: Declared, said: Iterable[str]) -> bool:
    return any(fnmatchcase(text, pattern) for text in said for pattern in consumer.tags)


@dataclass(frozen=True, slots=True)
class Lineage:
    """What explains a read: the graph's flows; ``naming`` says which dataset a table is.

    read_by: each table with each job that reads it; ``between``: each table and one derived from it, by which job
    feeders: the tables that each is derived from; ``outputs``: the tables that each job writes
    """

    naming: LineagePolicy
    read_by: frozenset[tuple[Dataset, str]]
    between: Mapping[tuple[Dataset, Dataset], str]
    feeders: Mapping[Dataset, tuple[Dataset, ...]]
    outputs: Mapping[str, tuple[Dataset, ...]]
    above: dict[Dataset, frozenset[Dataset]]

    @classmethod
    def of(cls, graph: Graph, naming: LineagePolicy) -> "Lineage":
        """Return the index of ``graph``."""
        feeders: dict[Dataset, list[Dataset]] = defaultdict(list)
        outputs: dict[str, list[Dataset]] = defaultdict(list)
        for flow in graph.flows:
            feeders[flow.target].append(flow.source)
        for write in graph.writes:
            outputs[write.job.name].append(write.dataset)
        return cls(
            naming=naming,
            read_by=frozenset((flow.source, flow.job) for flow in graph.flows),
            between={(flow.source, flow.target): flow.job for flow in reversed(graph.flows)},
            feeders={dataset: tuple(sources) for dataset, sources in feeders.items()},
            outputs={job: tuple(datasets) for job, datasets in outputs.items()},
            above={},
        )

    @property
    def jobs(self) -> frozenset[str]:
        """The jobs that write anything."""
        return frozenset(self.outputs)

    def dataset(self, table: str) -> Dataset:
        """Return the dataset that a table is."""
        return self.naming.dataset(table)

    def upstream(self, dataset: Dataset) -> frozenset[Dataset]:
        """Return every dataset that ``dataset`` is derived from, itself where it goes round in a circle."""
        if dataset not in self.above:
            seen: set[Dataset] = set()
            waiting = [dataset]
            while waiting:
                fresh = set(self.feeders.get(waiting.pop(), ())) - seen
                seen |= fresh
                waiting.extend(fresh)
            self.above[dataset] = frozenset(seen)
        return self.above[dataset]


def _observed(who: Who, table: str, reads: list[QueryRead], lineage: Lineage) -> Observed:
    explained, by = _explained(who, table, frozenset(it for read in reads for it in read.writes), lineage)
    own = f"{table}."
    columns = {column for read in reads for column in read.columns or () if column.startswith(own)}
    return Observed(
        who=who,
        table=table,
        reads=len(reads),
        first=min(read.at for read in reads),
        last=max(read.at for read in reads),
        columns=tuple(sorted(columns)),
        whole=all(read.columns is not None for read in reads),
        accounts=tuple(sorted({read.user for read in reads if read.user})),
        explained=explained,
        by=by,
    )


def _explained(who: Who, table: str, writes: frozenset[str], lineage: Lineage) -> tuple[str, str]:
    """Return how a read is known, the closest first: an edge of the graph, a declaration, a path through the graph."""
    source = lineage.dataset(table)
    targets = {lineage.dataset(name) for name in (*writes, who.name)}
    if who.job and (source, who.job) in lineage.read_by:
        return "edge", who.job
    to = next((target for target in sorted(targets) if (source, target) in lineage.between), None)
    if to:
        return "edge", lineage.between[source, to]
    if who.declared and table in who.declared.tables:
        return "declared", who.declared.file
    beyond = (*_beyond(who, lineage), *sorted(targets))
    through = next((dataset for dataset in beyond if source in lineage.upstream(dataset)), None)
    return ("path", f"through {through}") if through else ("", "")


def _beyond(who: Who, lineage: Lineage) -> Iterator[Dataset]:
    yield from lineage.outputs.get(who.job or "", ())
    yield from (lineage.dataset(table) for table in sorted(who.declared.tables if who.declared else ()))
