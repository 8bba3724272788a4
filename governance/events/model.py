"""OpenLineage events as they are read: typed where Headwater looks, silent about the rest.

The shapes follow OpenLineage 2-0-2 (https://openlineage.io/spec/2-0-2/OpenLineage.json). Facets that are not named here
stay in the store's own bytes; nothing is lost by reading. A run event tells what a run did; a job event and a dataset
event are design-time statements, tied to no run.
"""

from datetime import UTC, datetime

import msgspec

from governance.events.file_parts import DatasetTypePart, InputFacetsPart, StoragePart
from governance.events.uses import ExpressionsPart


class Part(msgspec.Struct, frozen=True, gc=False, rename="camel", forbid_unknown_fields=False, omit_defaults=True):
    """Base of all parts of an event: camelCase in JSON, unknown keys ignored."""


class TransformationPart(Part, frozen=True):
    """How an input field is used (ColumnLineageDatasetFacet ``transformations``)."""

    type: str
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class InputFieldPart(Part, frozen=True):
    """One input of a field or of the whole dataset."""

    namespace: str
    name: str
    field: str
    transformations: tuple[TransformationPart, ...] = ()


class FieldLineagePart(Part, frozen=True):
    """The inputs of one output field; the two deprecated keys are kept for old producers."""

    input_fields: tuple[InputFieldPart, ...] = ()
    transformation_description: str | None = None
    transformation_type: str | None = None


class ColumnLineagePart(Part, frozen=True):
    """The columnLineage facet; ``producer`` is the code that found it."""

    fields: dict[str, FieldLineagePart] = {}
    dataset: tuple[InputFieldPart, ...] = ()
    producer: str | None = msgspec.field(default=None, name="_producer")


class LineageInputPart(Part, frozen=True):
    """A source in the lineage facet: a dataset, a field of one, or (``type`` JOB) a job, which no table is."""

    type: str
    namespace: str = ""
    name: str = ""
    field: str | None = None
    transformations: tuple[TransformationPart, ...] = ()


class LineageFieldPart(Part, frozen=True):
    """What feeds one field."""

    inputs: tuple[LineageInputPart, ...] = ()


class LineageEntryPart(Part, frozen=True):
    """What feeds one target; on a dataset's own facet the target is that dataset."""

    type: str = "DATASET"
    namespace: str = ""
    name: str = ""
    inputs: tuple[LineageInputPart, ...] = ()
    fields: dict[str, LineageFieldPart] = {}


class JobLineagePart(Part, frozen=True):
    """The lineage facet of a job (https://openlineage.io/spec/facets/1-0-0/LineageFacet.json)."""

    entries: tuple[LineageEntryPart, ...] = ()


class SchemaFieldPart(Part, frozen=True):
    """A column of the schema facet, nested where the type is."""

    name: str
    type: str | None = None
    description: str | None = None
    fields: tuple["SchemaFieldPart", ...] = ()


class SchemaPart(Part, frozen=True):
    """The schema facet."""

    fields: tuple[SchemaFieldPart, ...] = ()


class VersionPart(Part, frozen=True):
    """The version facet: an Iceberg snapshot id."""

    dataset_version: str


class TagPart(Part, frozen=True):
    """One tag of a dataset or of one of its fields."""

    key: str
    value: str
    source: str | None = None
    field: str | None = None


class TagsPart(Part, frozen=True):
    """The tags facet."""

    tags: tuple[TagPart, ...] = ()


class OwnerPart(Part, frozen=True):
    """One owner and the kind of ownership."""

    name: str
    type: str | None = None


class OwnershipPart(Part, frozen=True):
    """The ownership facet."""

    owners: tuple[OwnerPart, ...] = ()


class SymlinkPart(Part, frozen=True):
    """Another identity of the same dataset."""

    namespace: str
    name: str
    type: str | None = None


class SymlinksPart(Part, frozen=True):
    """The symlinks facet."""

    identifiers: tuple[SymlinkPart, ...] = ()


class IdentifierPart(Part, frozen=True):
    """The former name of a dataset."""

    namespace: str
    name: str


class LifecyclePart(Part, frozen=True):
    """The lifecycleStateChange facet."""

    lifecycle_state_change: str
    previous_identifier: IdentifierPart | None = None


class DocumentationPart(Part, frozen=True):
    """The documentation facet."""

    description: str | None = None


class DatasetFacetsPart(Part, frozen=True):
    """The dataset facets that Headwater reads."""

    schema: SchemaPart | None = None
    column_lineage: ColumnLineagePart | None = None
    version: VersionPart | None = None
    tags: TagsPart | None = None
    ownership: OwnershipPart | None = None
    symlinks: SymlinksPart | None = None
    lifecycle_state_change: LifecyclePart | None = None
    lineage: LineageEntryPart | None = None
    documentation: DocumentationPart | None = None
    dataset_type: DatasetTypePart | None = None
    storage: StoragePart | None = None
    expressions: ExpressionsPart | None = msgspec.field(default=None, name="headwater_expressions")


class DatasetPart(Part, frozen=True):
    """An input or output of a run."""

    namespace: str
    name: str
    facets: DatasetFacetsPart = DatasetFacetsPart()
    input_facets: InputFacetsPart = InputFacetsPart()


class ErrorPart(Part, frozen=True):
    """The errorMessage run facet."""

    message: str


class ParentRunPart(Part, frozen=True):
    """The run id of the parent."""

    run_id: str


class ParentPart(Part, frozen=True):
    """The parent run facet, here the Dagster run."""

    run: ParentRunPart


class RunFacetsPart(Part, frozen=True):
    """The run facets that Headwater reads."""

    error_message: ErrorPart | None = None
    parent: ParentPart | None = None


class RunPart(Part, frozen=True):
    """One occurrence of a job."""

    run_id: str
    facets: RunFacetsPart = RunFacetsPart()


class SqlPart(Part, frozen=True):
    """The sql job facet: the text as it was sent, redacted."""

    query: str


class JobFacetsPart(Part, frozen=True):
    """The job facets that Headwater reads."""

    ownership: OwnershipPart | None = None
    sql: SqlPart | None = None
    lineage: JobLineagePart | None = None


class JobPart(Part, frozen=True):
    """The process that reads and writes."""

    namespace: str
    name: str
    facets: JobFacetsPart = JobFacetsPart()


class Event(Part, frozen=True):
    """An event. ``event_time`` is as written; ``at`` orders events, a naive time read as UTC.

    A run event has ``run`` and ``job``; a job event only ``job``, a dataset event only ``dataset``: those two are
    ``design`` and have the run id ``""``.
    """

    event_time: datetime
    run: RunPart = RunPart("")
    job: JobPart = JobPart("", "")
    event_type: str = "OTHER"
    inputs: tuple[DatasetPart, ...] = ()
    outputs: tuple[DatasetPart, ...] = ()
    dataset: DatasetPart | None = None
    producer: str = ""

    def __post_init__(self) -> None:
        """Refuse what is none of the three kinds; msgspec turns the ValueError into its ValidationError."""
        if self.run.run_id and not self.job.name:
            raise ValueError("a run without a job")
        if not self.run.run_id and not self.job.name and self.dataset is None:
            raise ValueError("no run, no job and no dataset")
        if not self.run.run_id and self.event_type != "OTHER":
            raise ValueError("a run's state without a run")

    @property
    def at(self) -> datetime:
        """The event's time with a zone: one stated rule, naive means UTC."""
        return self.event_time if self.event_time.tzinfo else self.event_time.replace(tzinfo=UTC)

    @property
    def design(self) -> bool:
        """Whether it is a job's or dataset's own event, tied to no run."""
        return not self.run.run_id


TERMINAL = frozenset({"COMPLETE", "FAIL", "ABORT"})
"""The states that end a run (https://openlineage.io/docs/spec/run-cycle)."""
