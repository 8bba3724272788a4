"""pyiceberg's SQL catalog with limits of time on PostgreSQL."""

from typing import Any

from pyiceberg.catalog import sql
from sqlalchemy import event


class SqlCatalog(sql.SqlCatalog):
    """The catalog; what it does not answer in time may have happened all the same, as ``publish.landed`` finds out."""

    def _init_catalog(self) -> None:
        # before it asks for the first time
        event.listen(self.engine, "do_connect", _bounded)
        super()._init_catalog()


def _bounded(_dialect: object, _record: object, _args: object, options: dict[str, Any]) -> None:
    # the engine has its driver by now
    from platform_assets.iceberg.postgres import Connection  # noqa: PLC0415

    options.setdefault("connection_factory", Connection)
