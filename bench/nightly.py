"""The nightly job of the demo, seven assets and their checks, in one process. Goal: at most 15 s on two cores."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JOB = """
import time
from governance.project import find_project
from platform_assets.definitions import build_definitions
from platform_assets.assets.job import run_job
from platform_assets.assets.instance import project_instance
from platform_assets.tour.tour import make_sources
project = find_project()
make_sources(project, 1.0)
defs = build_definitions(project)
with project_instance(project) as instance:
    begun = time.perf_counter()
    outcome = run_job(defs, "nightly", instance)
    print(f"{len(outcome.built)} assets, {len(outcome.checks)} checks, {time.perf_counter() - begun:.1f} s")
"""


def main() -> None:
    """Print three runs, each in a fresh process on a fresh platform."""
    for _ in range(3):
        with tempfile.TemporaryDirectory() as state:
            begun = time.perf_counter()
            env = os.environ | {"HEADWATER_STATE": state}
            root = Path(__file__).parent.parent
            run = subprocess.run(
                [sys.executable, "-c", JOB], env=env, cwd=root, capture_output=True, text=True, check=True
            )
            whole = time.perf_counter() - begun
            print(f"nightly: {run.stdout.strip()} (with start of process and sources {whole:.1f} s)")
