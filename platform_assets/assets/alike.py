"""Assets whose steps are alike: what Dagster's own decorator finds out about a step it finds out once.

For each asset the decorator inspects the function, and Dagster looks for what a step takes of the resources: of a
thousand assets that is a third of a load.
"""

from collections.abc import Mapping
from functools import cache
from typing import cast

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


class Alike:
    """Makes assets that run what ``first`` runs, an asset that Dagster's decorator made, with these ``resources``."""

    def __init__(self, first: AssetsDefinition, resources: Mapping[str, object]) -> None:
        op = first.op
        self._run, self._needs, self._config = op.compute_fn, op.required_resource_keys, op.config_schema
        self._result = op.outs[RESULT].dagster_type
        (given,) = with_resources([first], resources)
        self._resources = given.resource_defs

    def asset(self, spec: AssetSpec, backfill_policy: BackfillPolicy | None) -> AssetsDefinition:
        """Return the asset that ``spec`` says; what it depends on comes before, and no value is handed over."""
        # Dagster would make names of the keys, and a file's may have signs that those must not have
        keys = {f"input_{place}": dep.asset_key for place, dep in enumerate(spec.deps)}
        op = OpDefinition(
            self._run,
            name=spec.key.to_python_identifier(),
            ins={name: _input(name) for name in keys},
            outs={RESULT: self._out(spec)},
            description=spec.description,
            required_resource_keys=self._needs,
            config_schema=self._config,
            code_version=spec.code_version,
        )
        return _Asset(
            node_def=op,
            keys_by_input_name=keys,
            keys_by_output_name={RESULT: spec.key},
            specs=[spec],
            backfill_policy=backfill_policy,
            resource_defs=self._resources,
        )

    def _out(self, spec: AssetSpec) -> Out:
        return Out(
            self._result, description=spec.description, metadata={**spec.metadata}, code_version=spec.code_version
        )


@cache
def _input(name: str) -> In:
    # Dagster takes a definition too where it says In
    return cast("In", In(Nothing).to_definition(name))
