"""Lineage that was read from text → Runs, so that a graph can tell of what has not run."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from governance.events.model import ColumnLineagePart, FieldLineagePart, InputFieldPart, TransformationPart
from governance.learned import Learned
from governance.lineage.model import ColumnLineage, InputField
from governance.policy_lineage import LineagePolicy
from governance.runs import Job, Run, RunDataset

NEVER = datetime.min.replace(tzinfo=UTC)
"""When text "ran": before every run, so that what a run of the same job told stands instead."""


def stated(lineages: Iterable[ColumnLineage], naming: LineagePolicy, owners: Mapping[str, str]) -> tuple[Run, ...]:
    """Return a run for each of ``lineages`` that writes a table, as of before all time; its job is the table's name.

    ``naming`` says the namespaces of datasets and jobs, ``owners`` those that pipelines name, by table.
    """
    written = ((it, it.output) for it in lineages if it.output is not None)
    return tuple(_run(it, table, naming, owners.get(table)) for it, table in written)


def _run(lineage: ColumnLineage, table: str, naming: LineagePolicy, owner: str | None) -> Run:
    def inputs(found: Iterable[InputField]) -> tuple[InputFieldPart, ...]:
        return tuple(_input(it, naming) for it in found)

    fields = {out.name: FieldLineagePart(input_fields=inputs(out.inputs)) for out in lineage.fields}
    part = ColumnLineagePart(fields=fields, dataset=inputs(lineage.dataset))
    output = RunDataset(naming.dataset(table), tuple(fields), part, snapshot=None, owners=(owner,) if owner else ())
    read = tuple(RunDataset(naming.dataset(name), (), None, None, ()) for name in lineage.inputs)
    job = Job(naming.job_namespace, table)
    return Run("", job, "COMPLETE", NEVER, NEVER, None, read, (output,), Learned.PARSED)


def _input(used: InputField, naming: LineagePolicy) -> InputFieldPart:
    kind, subtype = used.transformation.value
    how = TransformationPart(type=kind, subtype=subtype, masking=used.masking)
    dataset = naming.dataset(used.dataset)
    return InputFieldPart(namespace=dataset.namespace, name=dataset.name, field=used.field, transformations=(how,))
