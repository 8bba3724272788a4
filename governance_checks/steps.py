"""Steps of checks that differ in their table alone: what they have alike is made once, by Dagster's own decorator.

For each step the decorator inspects the function and makes a definition of each output, and Dagster looks for what a
step takes of the resources: of a thousand steps that is half of a load.
"""

from collections.abc import Iterable, Mapping
from typing import cast

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


class _Step(OpDefinition):
    """The step that ``like`` is, under another name."""

    def __init__(self, like: OpDefinition, name: str) -> None:
        vars(self).update(vars(like))
        self._called = name

    @property
    def name(self) -> str:
        return self._called


class Alike:
    """Makes steps that run what ``first`` runs, a step that Dagster's decorator made, with these ``checks``.

    Inside of a step an output is called as its check is, and so they are alike.
    """

    def __init__(self, first: AssetChecksDefinition, checks: Iterable[str]) -> None:
        op = cast("OpDefinition", first.node_def)
        said = next(iter(op.outs.values()))
        self._op = OpDefinition(
            op.compute_fn,
            name=op.name,
            ins={TABLE: In(Nothing)},
            outs={check: Out(said.dagster_type, is_required=said.is_required) for check in checks},
            required_resource_keys=op.required_resource_keys,
            config_schema=op.config_schema,
        )
        (given,) = with_resources([first], {})
        self._resources = given.resource_defs

    def step(self, table: AssetKey, specs: Iterable[AssetCheckSpec]) -> AssetChecksDefinition:
        """Return the step that runs the checks ``specs`` of ``table``."""
        return _Checks(
            node_def=_Step(self._op, table.to_python_identifier("governance")),
            keys_by_input_name={TABLE: table},
            keys_by_output_name={},
            check_specs_by_output_name={spec.name: spec for spec in specs},
            can_subset=True,
            resource_defs=self._resources,
        )
