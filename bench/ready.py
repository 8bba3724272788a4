"""``headwater dev`` until its UI answers (goal: 20 s), and ``headwater impact`` from start to end (goal: 1 s)."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

COMMAND = Path(sys.executable).with_name("headwater")
PATIENCE = 180.0


def main() -> None:
    """Print the time until the UI answers, and of one ``headwater impact`` from start of process to its end."""
    with tempfile.TemporaryDirectory() as state:
        env = os.environ | {"HEADWATER_STATE": state}
        print(f"headwater dev ready after {_ready(env):.1f} s")
        subprocess.run([COMMAND, "demo", "--scale", "0.1"], env=env, capture_output=True, check=True)
        times = sorted(_impact(env) for _ in range(5))
        print(f"headwater impact, start of process to end: {times[2]:.2f} s (median of 5)")


def _ready(env: dict[str, str]) -> float:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begun = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dev = subprocess.Popen([COMMAND, "dev", "--port", str(port)], env=env, start_new_session=True, **quiet)
    try:
        while time.perf_counter() - begun < PATIENCE:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/server_info", timeout=1):
                    return time.perf_counter() - begun
            except (urllib.error.URLError, TimeoutError):
                time.sleep(0.1)
        raise TimeoutError(f"no answer within {PATIENCE} s")
    finally:
        os.killpg(dev.pid, signal.SIGTERM)
        dev.wait(30)


def _impact(env: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run([COMMAND, "impact", "crm.learners.email"], env=env, capture_output=True, check=True)
    return time.perf_counter() - begun
