"""Where the page shows a table or column: the links that Dagster's pages carry."""

from urllib.parse import quote

from governance.policy import Policy


def page_address(policy: Policy, table: str, field: str | None = None) -> str:
    """Return the page's address at ``table`` (``schema.table``), or at its column ``field``.

    It is ``{page}/#marketing.audience`` or ``{page}/#marketing.audience.email``.
    """
    name = table if field is None else f"{table}.{field}"
    return f"{policy.ui.page}/#{quote(name, safe='')}"
