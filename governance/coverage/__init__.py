"""How much of what there is the lineage knows, counted against lists from outside it, and over time."""
