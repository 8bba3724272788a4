"""A step of checks that is made quickly is the step that Dagster's decorator makes, but for names inside of it."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from governance.rules import RULES, About
from governance_checks.factory import PLATFORM, build_checks
from governance_checks.steps import TABLE

KEY = dg.AssetKey(["shop", "first"])


def asked(_: dg.DagsterInstance) -> Any:
    raise NotImplementedError


def decorated() -> dg.AssetChecksDefinition:
    """Return the step of one table as the decorator makes it."""
    specs = [
        dg.AssetCheckSpec(rule.name, asset=KEY, description=rule.description, blocking=rule.blocking)
        for rule in RULES
        if rule.about is About.TABLE
    ]

    @dg.multi_asset_check(name=KEY.to_python_identifier("governance"), specs=specs, can_subset=True)
    def governance(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
        yield from asked(context.instance)

    return governance


def of_step(step: dg.AssetChecksDefinition) -> dict[str, Any]:
    """Return all that Dagster knows of a step but what it runs, and what its inputs and outputs are called."""
    said, op = step.get_attributes_dict(), step.op
    return {
        **said,
        "keys_by_input_name": list(said["keys_by_input_name"].values()),
        "check_specs_by_output_name": list(said["check_specs_by_output_name"].values()),
        "specs": list(said["specs"]),
        "node_def": {
            "name": op.name,
            "ins": list(op.ins.values()),
            "outs": list(op.outs.values()),
            "description": op.description,
            "tags": op.tags,
            "resources": op.required_resource_keys,
            "config": op.config_schema.as_field().config_type.key,
            "retry": op.retry_policy,
            "pool": op.pool,
        },
    }


def test_it_is_what_the_decorator_makes() -> None:
    found, platform = build_checks(["shop.first"], asked)
    (expected,) = dg.with_resources([decorated()], {})
    assert of_step(found) == of_step(expected)
    assert found.op.compute_fn == platform.op.compute_fn
    (given,) = dg.with_resources([found], {"more": dg.ResourceDefinition.none_resource()})
    assert given is found


def test_inside_of_it_an_output_is_called_as_its_check_is() -> None:
    (found, _) = build_checks(["shop.first"], asked)
    assert {name: spec.name for name, spec in found.check_specs_by_output_name.items()} == {
        rule.name: rule.name for rule in RULES if rule.about is About.TABLE
    }
    assert found.keys_by_input_name == {TABLE: KEY}


def test_who_gives_another_io_manager_is_heard() -> None:
    (found, _) = build_checks(["shop.first"], asked)
    other = dg.mem_io_manager
    (given,) = dg.with_resources([found], {"io_manager": other})
    assert isinstance(given, dg.AssetChecksDefinition)
    assert given.resource_defs == {"io_manager": other}
    assert given.check_keys == found.check_keys


def test_a_platform_without_tables_has_its_own_step() -> None:
    (platform,) = build_checks([], asked)
    assert {key.asset_key for key in platform.check_keys} == {PLATFORM}
