"""What was read of pipelines' texts before, kept in the project's state: a load reads only what changed."""

from governance.remembered.memory import Memory, open_memory

__all__ = ["Memory", "open_memory"]
