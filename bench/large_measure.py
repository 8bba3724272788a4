"""One process of ``bench.large``: it loads definitions as Dagster does, or as many dummies, and prints its seconds."""

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

CHECKS = 9
"""Rules about a table: so many checks each dummy has."""


def cpu() -> float:
    """Return seconds of processor that this process and those that it waited for have had."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(it.ru_utime + it.ru_stime for it in used)


def ours() -> Any:
    """Return the definitions of the project that the environment names."""
    from platform_assets.definitions import defs  # noqa: PLC0415  its import is part of what is measured

    return defs()


def dummies(count: int) -> Any:
    """Return as many assets that do nothing, each after two others and with as many checks as ours have.

    They are made as Dagster's users make them, by its decorators.
    """
    from dagster import (  # noqa: PLC0415  see above
        AssetCheckSpec,
        AssetKey,
        AssetSelection,
        Definitions,
        asset,
        define_asset_job,
        multi_asset_check,
    )

    def built(place: int) -> Any:
        @asset(key=key(place), deps=[key(below) for below in sorted({place // 2, place // 3} - {place})])
        def run() -> None: ...

        return run

    def checked(place: int) -> Any:
        specs = [AssetCheckSpec(f"rule_{number}", asset=key(place)) for number in range(CHECKS)]

        @multi_asset_check(name=f"check_{place}", specs=specs, can_subset=True)
        def run() -> Any:
            yield None

        return run

    def key(place: int) -> AssetKey:
        return AssetKey(["dummies", f"table_{place}"])

    every, checks = AssetSelection.all(), AssetSelection.all_asset_checks()
    return Definitions(
        assets=[built(place) for place in range(count)],
        asset_checks=[checked(place) for place in range(count)],
        jobs=[define_asset_job("nightly", selection=every), define_asset_job("governance", selection=checks)],
    )


def main(build: Callable[[], Any]) -> dict[str, float]:
    """Return seconds since the process began: dagster imported, definitions built, their repository made."""
    begun = time.perf_counter()
    import dagster  # noqa: F401, PLC0415  what Dagster alone costs

    found = {"import wall": time.perf_counter() - begun, "import cpu": cpu()}
    built = build()
    found |= {"built wall": time.perf_counter() - begun, "built cpu": cpu()}
    built.get_repository_def()
    found |= {"wall": time.perf_counter() - begun, "cpu": cpu()}
    return found | {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    print(json.dumps(main((lambda: dummies(int(sys.argv[1]))) if sys.argv[1:] else ours)))
