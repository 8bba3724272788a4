"""``make bench``: every figure that the README claims, each beside what it is compared with, in one run.

Machines are noisy: read the ratios, not the seconds.
"""

import sys
from importlib import import_module

SECTIONS = (
    "overhead",
    "nightly",
    "ingest",
    "ready",
    "lineage",
    "large",
    "graph",
    "store",
    "ship",
    "shared",
    "history",
    "page",
    "diff",
)
"""Modules of this folder, each with ``main()``; name some on the command line to run those alone."""


def main() -> None:
    """Run the sections named on the command line, all of them without any."""
    for section in sys.argv[1:] or SECTIONS:
        print(f"\n== {section} ==", flush=True)
        import_module(f"bench.{section}").main()


if __name__ == "__main__":
    main()
