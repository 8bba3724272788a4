"""SQL in, column lineage out. ``column_lineage`` is the one public entry."""

from governance.lineage.model import ColumnLineage, InputField, OutputField, Transformation

__all__ = ["ColumnLineage", "InputField", "OutputField", "Transformation"]
