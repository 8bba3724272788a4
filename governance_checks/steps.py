"""Steps of checks that differ in their table alone: what they have alike is made once, by Dagster's own decorator.

For each step the decorator inspects the function and makes a definition of each output, and Dagster looks for what a
step takes of the resources: of a thousand steps that is half of a load.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from dagster import (
    AssetChecksDefinition,
    AssetCheckSpec,
    AssetKey,
    In,
    Nothing,
    OpDefinition,
    Out,
    ResourceDefinition,
    with_resources,
)

TABLE = "table"
"""The input by which a step comes after its table; no value is handed over."""

GIVEN = frozenset({"resource_defs", "execution_type"})
"""What a step is made anew without: its resources, and what it is by itself, which is Dagster's beta."""


class _Checks(AssetChecksDefinition):
    """Checks that were made with the resources that Dagster would give them."""

    def with_resources(self, resource_defs: Mapping[str, ResourceDefinition]) -> AssetChecksDefinition:
        if all(resource_defs.get(key) is given for key, given in self.resource_defs.items()):
            return self
        bare = {name: it for name, it in self.get_attributes_dict().items() if name not in GIVEN}
        return cast("AssetChecksDefinition", AssetChecksDefinition(**bare).with_resources(resource_defs))


class _Output(Out):
    """What one check says, by name alike in every step."""

    def to_definition(
        self, annotation_type: type, name: str | None, description: str | None, code_version: str | None
    ) -> Any:
        return _defined(self, annotation_type, name, description, code_version)


@cache
def _defined(out: Out, *of: Any) -> Any:
    return Out.to_definition(out, *of)


class Alike:
    """Makes steps that are as ``first``, the step that Dagster's decorator made, but of another table."""

    def __init__(self, first: AssetChecksDefinition) -> None:
        op = cast("OpDefinition", first.node_def)
        # Dagster takes a definition too where it says In
        self._ins = cast("Mapping[str, In]", {TABLE: In(Nothing).to_definition(TABLE)})
        self._run, self._needs, self._config = op.compute_fn, op.required_resource_keys, op.config_schema
        self._output = _Output(next(iter(op.outs.values())).dagster_type, is_required=False)
        (given,) = with_resources([first], {})
        self._resources = given.resource_defs

    def step(self, table: AssetKey, specs: Sequence[AssetCheckSpec]) -> AssetChecksDefinition:
        """Return the step that runs the checks ``specs`` of ``table``."""
        op = OpDefinition(
            self._run,
            name=table.to_python_identifier("governance"),
            ins=self._ins,
            outs={spec.name: self._output for spec in specs},
            required_resource_keys=self._needs,
            config_schema=self._config,
        )
        return _Checks(
            node_def=op,
            keys_by_input_name={TABLE: table},
            keys_by_output_name={},
            check_specs_by_output_name={spec.name: spec for spec in specs},
            can_subset=True,
            resource_defs=self._resources,
        )
