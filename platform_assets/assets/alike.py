"""Assets whose steps are alike: what Dagster's own decorator finds out about a step it finds out once.

For each asset the decorator inspects the function, and Dagster looks for what a step takes of the resources: of a
thousand assets that is a third of a load.
"""

from collections.abc import Collection, Mapping
from typing import Any

from dagster import (
    AssetsDefinition,
    AssetSpec,
    BackfillPolicy,
    In,
    Nothing,
    OpDefinition,
    Out,
    ResourceDefinition,
    with_resources,
)

RESULT = "result"
"""What Dagster calls a step's only output."""

GIVEN = frozenset({"resource_defs", "execution_type"})
"""What an asset is made anew without: its resources, and what it is by itself, which is Dagster's beta."""


class _Asset(AssetsDefinition):
    """An asset that was made with the resources that Dagster would give it."""

    def with_resources(self, resource_defs: Mapping[str, ResourceDefinition]) -> AssetsDefinition:
        if all(resource_defs.get(key) is given for key, given in self.resource_defs.items()):
            return self
        bare = {name: it for name, it in self.get_attributes_dict().items() if name not in GIVEN}
        return AssetsDefinition(**bare).with_resources(resource_defs)


class _Step(OpDefinition):
    """The step that ``like`` is, but of the asset of ``spec``, of which its result tells."""

    def __init__(self, like: OpDefinition, result: Any, spec: AssetSpec) -> None:
        vars(self).update(vars(like))
        told = Out(result, description=spec.description, metadata={**spec.metadata}, code_version=spec.code_version)
        self._of, self._called = spec, spec.key.to_python_identifier()
        self._told = told.to_definition(type(None), RESULT, None, None)

    @property
    def name(self) -> str:
        return self._called

    @property
    def description(self) -> str | None:
        return self._of.description

    @property
    def output_defs(self) -> list[Any]:
        return [self._told]

    @property
    def output_dict(self) -> dict[str, Any]:
        return {RESULT: self._told}

    def output_def_named(self, name: str) -> Any:
        return self.output_dict[name]


class Alike:
    """Makes assets that run what ``first`` runs, an asset that Dagster's decorator made, with these ``resources``."""

    def __init__(self, first: AssetsDefinition, resources: Mapping[str, object]) -> None:
        self._first, self._result = first.op, first.op.outs[RESULT].dagster_type
        self._steps: dict[int, OpDefinition] = {}
        (given,) = with_resources([first], resources)
        self._resources = given.resource_defs

    def asset(self, spec: AssetSpec, backfill_policy: BackfillPolicy | None) -> AssetsDefinition:
        """Return the asset that ``spec`` says; what it depends on comes before, and no value is handed over."""
        # Dagster would make names of the keys, and a file's may have signs that those must not have
        keys = {f"input_{place}": dep.asset_key for place, dep in enumerate(spec.deps)}
        return _Asset(
            node_def=_Step(self._step(keys), self._result, spec),
            keys_by_input_name=keys,
            keys_by_output_name={RESULT: spec.key},
            specs=[spec],
            backfill_policy=backfill_policy,
            resource_defs=self._resources,
        )

    def _step(self, inputs: Collection[str]) -> OpDefinition:
        """Return the step that has so many inputs: all that have are alike but in what they tell."""
        if len(inputs) not in self._steps:
            first = self._first
            self._steps[len(inputs)] = OpDefinition(
                first.compute_fn,
                name=first.name,
                ins={name: In(Nothing) for name in inputs},
                outs=first.outs,
                required_resource_keys=first.required_resource_keys,
                config_schema=first.config_schema,
            )
        return self._steps[len(inputs)]
