"""SQL in, column lineage out. ``column_lineage`` is the one public entry.

The values of ``model`` come without the engine: whoever reads lineage from events loads no SQL parser.
"""

from typing import TYPE_CHECKING, Any

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation

if TYPE_CHECKING:
    from governance.lineage.trace import column_lineage

__all__ = ["ColumnLineage", "InputField", "OutputField", "Transformation", "column_lineage"]


def __getattr__(name: str) -> Any:
    """Load the engine when it is first asked for (PEP 562)."""
    if name != "column_lineage":
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from governance.lineage.trace import column_lineage  # noqa: PLC0415  loaded on demand, see above

    return column_lineage
