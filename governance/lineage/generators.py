"""Table functions and laterals: what a collection's rows look like, and that the collection shapes the rows.

An element is a TRANSFORMATION of its collection, a position comes from no column, and the collection is a JOIN input.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from governance.errors import DynamicSql, UnparsableSql, UnreadConstruct
from governance.lineage.columns import Column
from governance.lineage.edges import JOIN, NOTHING, TRANSFORMATION, Deps, add, moved, united
from governance.lineage.functions import kinds_of
from governance.lineage.scope import Scope
from governance.lineage.shapes import shaped
from governance.lineage.structs import declared_members
from governance.lineage.value import value_of

ELEMENT, POSITION = True, False

SHAPES: dict[str, tuple[tuple[str, bool], ...]] = {
    "flatten": (("SEQ", POSITION), ("KEY", ELEMENT), ("PATH", ELEMENT), ("INDEX", POSITION), ("VALUE", ELEMENT),
                ("THIS", ELEMENT)),
    "split_to_table": (("SEQ", POSITION), ("INDEX", POSITION), ("VALUE", ELEMENT)),
    "string_split": (("value", ELEMENT), ("ordinal", POSITION)),
    "openjson": (("key", ELEMENT), ("value", ELEMENT), ("type", ELEMENT)),
    "json_each": (("key", ELEMENT), ("value", ELEMENT), ("type", ELEMENT), ("atom", ELEMENT), ("id", POSITION),
                  ("parent", POSITION), ("fullkey", ELEMENT), ("path", ELEMENT)),
    "jsonb_each": (("key", ELEMENT), ("value", ELEMENT)),
    "json_array_elements": (("value", ELEMENT),),
    "posexplode": (("pos", POSITION), ("col", ELEMENT), ("value", ELEMENT)),
    "explode": (("col", ELEMENT), ("value", ELEMENT)),
    "explode of a map": (("key", ELEMENT), ("value", ELEMENT)),
    "posexplode of a map": (("pos", POSITION), ("key", ELEMENT), ("value", ELEMENT)),
    "glob": (("file", ELEMENT),),
    "numbers": (("number", ELEMENT),),
    "json_tuple": tuple((f"c{number}", ELEMENT) for number in range(50)),
}  # fmt: skip
"""Table functions → their columns, and whether each holds something of the collection."""

SQL_TEXTS = frozenset({
    "crosstab", "dblink", "external_query", "openquery", "query", "query_table", "postgres_query", "mysql_query",
    "sqlite_query",
})  # fmt: skip
"""Table functions that are given SQL, or the name of a table, as a text."""

ELEMENTS: dict[str, int] = {"explode": 1, "posexplode": 2}

SAME: dict[str, str] = {
    "json_tree": "json_each", "json_each_text": "jsonb_each", "jsonb_each_text": "jsonb_each",
    "json_array_elements_text": "json_array_elements", "jsonb_array_elements": "json_array_elements",
    "jsonb_array_elements_text": "json_array_elements", "explode_outer": "explode", "posexplode_outer": "posexplode",
    "splittotable": "split_to_table", "parse_url_tuple": "json_tuple", "variant_explode": "posexplode",
}  # fmt: skip
"""Table functions that give what another one gives."""

KEEPS = frozenset({"postgres", "redshift", "duckdb", "trino"})
"""Dialects in which the alias of a function with one unnamed column names that column too."""


def generated(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column] | None:
    """Return the columns of the generator ``tree``, before ``names`` (the alias's column list) are put on them.

    None where nobody can tell them: an unknown table function without a list of columns.
    """
    reader = READERS.get(tree.__class__)
    if reader is not None:
        return reader(scope, tree, names, alias)
    return _function(scope, tree, names, alias)


def _column(scope: Scope, name: str, deps: Deps, like: Column | None = None) -> Column:
    key = scope.session.rules.fold(name, None)
    return Column(name, key, deps, like.members if like is not None else None)


def _expanded(scope: Scope, tree: exp.Expr) -> Column:
    """The element of a collection; the collection shapes the rows."""
    collection = shaped(scope, tree)
    add(scope.rows, collection.deps, JOIN)
    members = declared_members(collection, scope.session.rules)
    if members is not None:
        members = {key: part._replace(deps=moved(part.deps, TRANSFORMATION)) for key, part in members.items()}
    return collection._replace(deps=moved(collection.deps, TRANSFORMATION), members=members)


def unnested(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """UNNEST of one collection or of several side by side; a map gives key and value."""
    elements = [_expanded(scope, part) for part in tree.args["expressions"]]
    dialect = scope.session.rules.name
    if dialect == "bigquery":
        scope.elements += elements
    unnamed = not names and ((dialect == "bigquery" and not alias) or dialect == "trino")
    if unnamed and len(elements) == 1 and elements[0].members:
        return list(elements[0].members.values())
    offset = tree.args.get("offset")
    room = len(names) - len(elements)
    columns: list[Column] = []
    for element in elements:
        width = _width(element, room, alone=len(elements) == 1)
        room -= width - 1
        start = len(columns)
        columns += [_column(scope, _nth(names, start + n, alias), element.deps, element) for n in range(width)]
    if offset:
        name = offset.name if isinstance(offset, exp.Expr) else "ordinality"
        columns.append(_column(scope, name, NOTHING))
    return columns


def _nth(names: Sequence[str], number: int, alias: str) -> str:
    if number < len(names):
        return names[number]
    return alias if alias and number == 0 else "unnest" if number == 0 else f"col{number}"


def _width(element: Column, room: int, *, alone: bool) -> int:
    """How many columns one collection gives: a map two, and an only collection as many as are named."""
    if room <= 0:
        return 1
    return room + 1 if alone else 2 if element.type.upper().startswith("MAP") else 1


def exploded(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """EXPLODE in Spark's and Hive's LATERAL VIEW; Snowflake's FLATTEN arrives as the same tree."""
    kind = "flatten" if scope.session.rules.name == "snowflake" else "explode"
    return _shaped(scope, kind, _inputs(tree), names, alias)


def posexploded(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """POSEXPLODE: a position, then the element."""
    return _shaped(scope, "posexplode", _inputs(tree), names, alias)


def split(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """SPLIT_TO_TABLE."""
    return _shaped(scope, "split_to_table", _inputs(tree), names, alias)


def stacked(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """``stack(n, a1, b1, a2, b2)`` gives n rows: each column takes every so-manieth value."""
    del alias
    values, rows_of = tree.args["expressions"], tree.args["this"].name
    if not rows_of.isdecimal() or rows_of == "0":
        raise scope.session.error(
            UnreadConstruct, "the number of rows of STACK is no literal", tree, fix="write a number"
        )
    rows = int(rows_of)
    width = -(-len(values) // rows)
    deps = [moved(united([value_of(scope, value) for value in values[n::width]]), TRANSFORMATION) for n in range(width)]
    return [_column(scope, names[n] if n < len(names) else f"col{n}", part) for n, part in enumerate(deps)]


def inlined(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """INLINE: the members of each struct in a list."""
    del alias
    element = _expanded(scope, tree.args["this"])
    members = list((element.members or {}).values())
    if not members and not names:
        problem = "the members of what INLINE expands are not known"
        raise scope.session.error(UnreadConstruct, problem, tree, fix="list them after its alias, or declare the type")
    if not names:
        return members
    deps = [member.deps for member in members] or [element.deps] * len(names)
    return [_column(scope, name, part) for name, part in zip(names, deps, strict=False)]


def series(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """RANGE and GENERATE_SERIES: numbers from their bounds, and as many rows."""
    deps: Deps = {}
    for part in tree.args.values():
        if isinstance(part, exp.Expr):
            add(deps, value_of(scope, part), TRANSFORMATION)
    add(scope.rows, deps, JOIN)
    own = "range" if tree.args.get("is_end_exclusive") else "generate_series"
    name = scope.session.rules.name
    own = "sequential_number" if name == "trino" else own
    keeps = name in {"postgres", "redshift"} and alias
    return [_column(scope, names[0] if names else alias if keeps else own, deps)]


def opened_json(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """OPENJSON and JSON_TABLE with declared columns, else key, value and type."""
    schema = tree.args.get("schema")
    if not isinstance(tree.args.get("this"), exp.Expr):
        raise scope.session.error(UnparsableSql, "a JSON table of no document", tree, fix="name the document")
    declared = tree.args.get("expressions") or (schema.args.get("expressions") if schema is not None else None)
    element = _expanded(scope, tree.args["this"])
    if not declared:
        return _shaped(scope, "openjson", [tree.args["this"]], names, alias)
    return [
        _column(scope, _declared(part), NOTHING if part.args.get("ordinality") else element.deps) for part in declared
    ]


def opened_xml(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column]:
    """XMLTABLE: the path and the documents that it is passed give every declared column, and the rows."""
    del alias
    given = [tree.args["this"], *(tree.args.get("passing") or ())]
    documents = [_expanded(scope, part.args["this"] if part.__class__ is exp.Alias else part) for part in given]
    deps = united([document.deps for document in documents])
    declared = tree.args.get("columns") or ()
    if not declared:
        return [_column(scope, names[0] if names else "COLUMN_VALUE", deps)]
    return [_column(scope, _declared(part), NOTHING if _counts(part) else deps) for part in declared]


def _counts(tree: exp.Expr) -> bool:
    """Tell whether a column of an XMLTABLE is FOR ORDINALITY, which was respelt as a type."""
    kind = tree.args.get("kind")
    return kind is not None and kind.args["this"] is exp.DataType.Type.SERIAL


def _declared(tree: exp.Expr) -> str:
    name = tree.args.get("this")
    return name.name if isinstance(name, exp.Expr) else str(name)


def _inputs(tree: exp.Expr) -> list[exp.Expr]:
    if tree.__class__ is exp.Dot:  # a method, ``mail.nodes('/x')``
        return [tree]
    parts = [tree.args.get("this"), *(tree.args.get("expressions") or ())]
    return [
        part.args["expression"] if part.__class__ is exp.Kwarg else part for part in parts if isinstance(part, exp.Expr)
    ]


def _shaped(scope: Scope, kind: str, inputs: Sequence[exp.Expr], names: Sequence[str], alias: str) -> list[Column]:
    del alias
    expand = shaped if kind == "json_tuple" else _expanded  # of a document it makes one row
    elements = [expand(scope, part) for part in inputs]
    deps = moved(united([element.deps for element in elements]), TRANSFORMATION)
    shape = SHAPES[kind]
    given = shape if not names or len(names) >= len(shape) else shape[: len(names)]
    if kind == "json_tuple":  # one column for each path after the document
        given = shape[: len(names) or len(inputs) - 1]
    element = elements[0] if elements else None
    if not names and kind in ELEMENTS:  # of a map they give key and value, of a list the element alone
        is_map = element is not None and element.type.upper().startswith("MAP")
        given = SHAPES[f"{kind} of a map"] if is_map else shape[: ELEMENTS[kind]]
    called = [names[n] if n < len(names) else name for n, (name, _) in enumerate(given)]
    return [
        _column(scope, name, deps if holds else NOTHING, element if holds else None)
        for name, (_, holds) in zip(called, given, strict=True)
    ]


def _function(scope: Scope, tree: exp.Expr, names: Sequence[str], alias: str) -> list[Column] | None:
    """A table function by its name: one of the table, or one whose columns the alias lists; None for any other."""
    name = _called(tree)
    if name in SQL_TEXTS:
        raise scope.session.error(DynamicSql, f"{name} runs SQL that is a text", tree, fix="write the query itself")
    kind = SAME.get(name, name)
    inputs = _inputs(tree) if not isinstance(tree.args.get("this"), str) else list(tree.args.get("expressions") or ())
    if kind in SHAPES:
        return _shaped(scope, kind, inputs, names, alias)
    if kind == "inline_outer" and inputs:
        return inlined(scope, exp.Inline(this=inputs[0]), names, alias)
    elements = [_expanded(scope, part) for part in inputs]
    deps = united([element.deps for element in elements])
    if names:
        return [_column(scope, column, deps) for column in names]
    if alias and scope.session.rules.name in KEEPS:
        return [_column(scope, alias, deps)]
    return None


def _called(tree: exp.Expr) -> str:
    if tree.__class__ is exp.Anonymous:
        return tree.name.lower()
    return tree.key.lower()


READERS: dict[type, Callable[[Scope, exp.Expr, Sequence[str], str], list[Column]]] = {
    exp.Unnest: unnested,
    **dict.fromkeys(kinds_of(exp.Explode), exploded),
    **dict.fromkeys(kinds_of(exp.Posexplode), posexploded),
    exp.SplitToTable: split,
    exp.Stack: stacked,
    exp.Inline: inlined,
    exp.GenerateSeries: series,
    exp.ExplodingGenerateSeries: series,
    exp.OpenJSON: opened_json,
    exp.JSONTable: opened_json,
    exp.XMLTable: opened_xml,
}
