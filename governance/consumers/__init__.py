"""Who reads what: declared consumers, reads observed in query logs, and the union of all that is known."""
