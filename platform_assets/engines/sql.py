"""Names and texts as SQL writes them."""


def quoted(name: str) -> str:
    """Return ``name`` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return ``text`` as a SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def seen(name: str) -> str:
    """Return the column ``name`` so that DuckDB looks at its values, and goes by no min and max that pass over NaN.

    Nothing is known of what TRY gives, and a column by itself fails at nothing that TRY could hide.
    """
    return f"try({quoted(name)})"
