"""What the exports of query logs call things, one ``Format`` each; adding one is adding a line to ``FORMATS``.

Sources: DuckDB's ``duckdb_logs`` (tried on 2.0.1); Snowflake's ACCOUNT_USAGE views QUERY_HISTORY and ACCESS_HISTORY;
Trino's ``system.runtime.queries`` and the JSON of its HTTP event listener (QueryCompletedEvent); Postgres' csvlog,
which has no header line, and jsonlog, where the statement stands in the message.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from governance.errors import HeadwaterError
from governance.queries.cells import objects_in, text_in, time_in
from governance.queries.model import LoggedQuery

Row = Mapping[str, Any]

MESSAGE = re.compile(
    r"(?:duration: [\d.]+ ms\s+)?(?:statement|execute [^:]*): (?P<sql>.*)",
    re.DOTALL,
)
"""How Postgres logs a statement that ran (log_statement, log_min_duration_statement); parse and bind ran nothing."""

CSVLOG = (
    *("log_time", "user_name", "database_name", "process_id", "connection_from"),
    *("session_id", "session_line_num", "command_tag", "session_start_time", "virtual_transaction_id"),
    *("transaction_id", "error_severity", "sql_state_code", "message", "detail"),
    *("hint", "internal_query", "internal_query_pos", "context", "query"),
    *("query_pos", "location", "application_name", "backend_type", "leader_pid"),
    "query_id",
)


def _as_it_is(text: str) -> str:
    return text


def _postgres_statement(message: str) -> str:
    found = MESSAGE.fullmatch(message)
    return found["sql"] if found else ""


@dataclass(frozen=True, slots=True)
class Format:
    """One export: which keys hold what, the first that is there; a dotted key goes into nested objects.

    dialect: of its SQL, as the lineage engine names it
    needs:   keys that a line of it has, by which it is recognised; compared without regard to case
    schema:  keys of the schema in which a query ran
    status:  the key that says how the query ended, and the values that mean well
    sql_in:  the statement in what ``sql`` names
    objects: keys of lists of the tables read, as the engine itself saw them
    """

    name: str
    dialect: str
    needs: tuple[str, ...]
    at: tuple[str, ...]
    user: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    application: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    query_id: tuple[str, ...] = ()
    schema: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    status: tuple[str, frozenset[str]] | None = None
    sql_in: Callable[[str], str] = _as_it_is


FORMATS: tuple[Format, ...] = (
    Format(
        name="snowflake",
        dialect="snowflake",
        needs=("query_text", "user_name", "start_time"),
        at=("start_time",),
        user=("user_name",),
        tag=("query_tag",),
        application=("client_application_id",),
        sql=("query_text",),
        query_id=("query_id",),
        schema=("schema_name",),
        status=("execution_status", frozenset({"SUCCESS"})),
    ),
    Format(
        name="snowflake-access",
        dialect="snowflake",
        needs=("query_start_time", "base_objects_accessed"),
        at=("query_start_time",),
        user=("user_name",),
        tag=("query_tag",),
        query_id=("query_id",),
        objects=("base_objects_accessed", "direct_objects_accessed"),
    ),
    Format(
        name="trino",
        dialect="trino",
        needs=("query_id", "query", "created", "state"),
        at=("created", "started"),
        user=("user",),
        tag=("client_tags",),
        application=("source",),
        sql=("query",),
        query_id=("query_id",),
        status=("state", frozenset({"FINISHED"})),
    ),
    Format(
        name="trino-events",
        dialect="trino",
        needs=("metadata.queryid", "context.user", "createtime"),
        at=("createtime",),
        user=("context.user",),
        tag=("context.clienttags",),
        application=("context.source",),
        sql=("metadata.query",),
        schema=("context.schema",),
        query_id=("metadata.queryid",),
        objects=("iometadata.inputs",),
        status=("metadata.querystate", frozenset({"FINISHED"})),
    ),
    Format(
        name="postgres",
        dialect="postgres",
        needs=("error_severity", "message"),
        at=("log_time", "timestamp"),
        user=("user_name", "user"),
        application=("application_name",),
        tag=("application_name",),
        sql=("message",),
        status=("error_severity", frozenset({"LOG", "INFO", "NOTICE", "DEBUG"})),
        sql_in=_postgres_statement,
    ),
    Format(
        name="duckdb",
        dialect="duckdb",
        needs=("timestamp", "message", "connection_id"),
        at=("timestamp",),
        user=("user",),
        tag=("tag",),
        sql=("message",),
        status=("type", frozenset({"QueryLog", ""})),
    ),
    Format(
        name="plain",
        dialect="duckdb",
        needs=("time", "user"),
        at=("time",),
        user=("user",),
        tag=("tag",),
        application=("application",),
        sql=("sql",),
        query_id=("id",),
        schema=("schema",),
        objects=("tables",),
    ),
)
"""The most telling first: a line is of the first format whose ``needs`` it has."""

NAMES = tuple(form.name for form in FORMATS)


def format_named(name: str) -> Format:
    """Return the format that ``NAMES`` lists under ``name``."""
    return next(form for form in FORMATS if form.name == name)


def format_of(row: Row, file: str) -> Format:
    """Return the format of a file's first line.

    Raises:
        HeadwaterError: it is none of those known.
    """
    keys = _keys(row)
    for form in FORMATS:
        if keys.issuperset(form.needs):
            return form
    said = "; ".join(f"{form.name}: {', '.join(form.needs)}" for form in FORMATS)
    raise HeadwaterError(f"{file}: no known form of query log", fix=f"export one of these forms ({said})")


def logged(row: Row, form: Format, line: int) -> LoggedQuery:
    """Return a line of an export in Headwater's words."""
    flat = {key.lower(): value for key, value in row.items()}
    return LoggedQuery(
        line=line,
        at=time_in(_first(flat, form.at)),
        user=text_in(_first(flat, form.user)),
        tag=text_in(_first(flat, form.tag)),
        application=text_in(_first(flat, form.application)),
        sql=form.sql_in(text_in(_first(flat, form.sql))).strip(),
        objects=objects_in(_first(flat, form.objects)),
        query_id=text_in(_first(flat, form.query_id)),
        schema=text_in(_first(flat, form.schema)),
        failed=_failed(flat, form),
    )


def _keys(row: Row) -> set[str]:
    nested = {f"{key}.{inner}" for key, value in row.items() if isinstance(value, Mapping) for inner in value}
    return {key.lower() for key in (*row, *nested)}


def _first(row: Row, keys: Collection[str]) -> Any:
    found = (_at_path(row, key) for key in keys)
    return next((value for value in found if value not in (None, "")), None)


def _at_path(row: Row, path: str) -> Any:
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = next((inner for key, inner in value.items() if key.lower() == part), None)
    return value


def _failed(row: Row, form: Format) -> bool:
    if form.status is None:
        return False
    key, well = form.status
    said = _at_path(row, key)
    return said is not None and text_in(said) not in well
