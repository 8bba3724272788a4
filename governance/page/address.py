"""Where the page shows a table or column: the links that Dagster's pages carry."""

from urllib.parse import quote

from governance.policy import Policy


def asset_path(name: str) -> tuple[str, ...]:
    """Return the key of the asset in Dagster that a table (``schema.table``) or a dataset of files is: its parts."""
    # a location's name has no dot, and a schema's no slash
    return tuple(name.split("/" if "/" in name.partition(".")[0] else "."))


def page_address(policy: Policy, table: str, field: str | None = None) -> str:
    """Return the page's address at ``table`` (``schema.table``), or at its column ``field``.

    It is ``{page}/#marketing.audience`` or ``{page}/#marketing.audience.email``.
    """
    name = table if field is None else f"{table}.{field}"
    return f"{policy.ui.page}/#{quote(name, safe='')}"
