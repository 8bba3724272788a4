"""Files read as tables: ``read_csv('landing/orders.csv')``, ``FROM 'a.parquet'``, a stage, Spark's ``format.`path```.

The file is the dataset: the schema's key for it (the path, with or without ``file:``), else a URL as it is, and
``file:`` before any other path.
"""

import re
from collections.abc import Sequence

from sqlglot import exp

from governance.errors import DynamicSql
from governance.lineage.columns import Column, Columns, ListedColumns, OpenColumns
from governance.lineage.edges import AS_IS, IDENTITY, add, source_of, united
from governance.lineage.scope import Scope
from governance.lineage.views import view_of

READERS: frozenset[str] = frozenset(
    [
        "read_csv",
        "read_csv_auto",
        "sniff_csv",
        "read_parquet",
        "parquet_scan",
        "parquet_metadata",
        "parquet_schema",
        "read_json",
        "read_json_auto",
        "read_json_objects",
        "read_ndjson",
        "read_ndjson_auto",
        "read_ndjson_objects",
        "read_text",
        "read_blob",
        "read_xlsx",
        "st_read",
        "delta_scan",
        "iceberg_scan",
        "read_files",
        "sqlite_scan",
        "arrow_scan",
        "openrowset",
        "url",
        "s3",
        "file",
        "hdfs",
        "gcs",
    ]
)
"""Table functions whose first argument is a path, or a list of paths."""

FORMATS: frozenset[str] = frozenset(["parquet", "csv", "json", "orc", "avro", "delta", "text", "iceberg", "binaryfile"])
"""Spark's ``format.`path` ``."""

_PATH = re.compile(
    r"://|^@|^s3:|\.(csv|tsv|txt|parquet|json|jsonl|ndjson|avro|orc|xlsx|arrow|feather|db)(\.(gz|zst|bz2))?$",
    re.IGNORECASE,
)
_BINARY = {
    "read_text": ("filename", "content", "size", "last_modified"),
    "read_blob": ("filename", "content", "size", "last_modified"),
}


def looks_like_path(text: str) -> bool:
    """Tell whether a quoted name in FROM is a file rather than a table."""
    return bool(_PATH.search(text))


def dataset(scope: Scope, path: str) -> str:
    """Return the name of the dataset that ``path`` is."""
    for name in (path, f"file:{path}"):
        if name in scope.session.tables.schema:
            return name
    return path if "://" in path else f"file:{path}"


def columns_of(scope: Scope, paths: Sequence[str]) -> Columns:
    """Return the columns of the files at ``paths``, read one below the other; a block may stand for a file."""
    view = view_of(scope.session, tuple(paths)) if scope.session.seen and len(paths) == 1 else None
    if view is not None:
        add(scope.rows, view.rows, IDENTITY)
        scope.inputs.update(view.inputs)
        return ListedColumns(view.columns)
    names = [dataset(scope, path) for path in paths]
    scope.inputs.update(names)
    declared = [scope.session.tables.columns(name).all() for name in names if name in scope.session.tables.schema]
    if len(declared) != len(names):
        return OpenColumns(names)
    together: dict[str, Column] = {}
    for column in (column for columns in declared for column in columns):
        seen = together.get(column.key)
        together[column.key] = column if seen is None else column._replace(deps=united([seen.deps, column.deps]))
    return ListedColumns(list(together.values()))


def read_file(scope: Scope, name: str, arguments: Sequence[exp.Expr]) -> Columns:
    """Return the columns that the reading function ``name`` gives.

    Raises:
        DynamicSql: the path is made at run time.
    """
    paths = _paths(arguments[0]) if arguments else []
    if not paths:
        at = arguments[0] if arguments else None
        raise scope.session.error(DynamicSql, f"the path of {name} is not a literal", at, fix="write the path as text")
    given = _BINARY.get(name) or _declared(arguments[1:])
    if not given:
        return columns_of(scope, paths)
    names = [dataset(scope, path) for path in paths]
    scope.inputs.update(names)
    fold = scope.session.rules.fold
    return ListedColumns(
        [Column(n, fold(n, None), {source_of(dataset_, n): AS_IS for dataset_ in names}) for n in given]
    )


def _paths(tree: exp.Expr) -> list[str]:
    if tree.__class__ is exp.Literal:
        return [tree.name]
    if tree.__class__ is exp.Array:
        parts = tree.args["expressions"]
        return [part.name for part in parts] if all(part.__class__ is exp.Literal for part in parts) else []
    return []


def _declared(arguments: Sequence[exp.Expr]) -> list[str]:
    """The names in ``columns = {'a': 'INTEGER', …}`` or ``names = ['a', …]``."""
    for argument in arguments:
        if argument.args.get("expression") is None or argument.args["this"].name.lower() not in {
            "columns",
            "names",
            "schema",
        }:
            continue
        value = argument.args["expression"]
        parts = value.args.get("expressions") or ()
        if value.__class__ is exp.Struct:
            return [part.args["this"].name for part in parts]
        if value.__class__ is exp.Array:
            return [part.name for part in parts]
    return []
