"""Settings of the machine that would only make the tests slow."""

import os

# Without its bytecode kept, each of the processes that tests start compiles the whole project anew: half of its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
