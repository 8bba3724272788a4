"""SQL in, column lineage out. ``column_lineage`` is the one public entry."""

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation
from governance.lineage.trace import column_lineage

__all__ = ["ColumnLineage", "InputField", "OutputField", "Transformation", "column_lineage"]
