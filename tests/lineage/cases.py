"""The written form of a lineage case: a query, then its edges.

    -- schema: s.t(a int, b varchar), s.u(a int)      before the first title: for the whole file
    -- title: a filter shapes every row
    SELECT a FROM s.t WHERE b > 'x';
    --> a  s.t.a  DIRECT IDENTITY
    --> *  s.t.b  INDIRECT FILTER

A title may be followed by ``-- schema:``, ``-- dialect:``, ``-- default: s``, ``-- raises: UnknownColumn`` and
``-- duckdb: no (reason)``. Two or more spaces part the words of an edge. ``--> out`` alone is a field from no column,
``--> *  s.u`` a dataset read of which no column matters, ``--> [s.out]`` opens the edges of the output ``s.out``, and a
last word MASKED says that every path of the edge goes through a masking function.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Edge = tuple[str, str, str, str, bool]
Schema = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Expected:
    """The lineage of one output, in the shape of ``ColumnLineage.as_dict()`` with sets for the edges."""

    output: str | None
    fields: tuple[tuple[str, frozenset[Edge]], ...]
    dataset: frozenset[Edge]
    inputs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Case:
    """One title of a fixture file."""

    title: str
    place: str
    sql: str
    schema: Schema
    dialect: str
    default_schema: str | None
    raises: str | None
    duckdb: str | None
    expected: tuple[Expected, ...]


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of one fixture file, in its order."""
    head, *blocks = re.split(r"^-- title: *", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    shared = _directives(head)
    offset = head.count("\n")
    cases = []
    for block in blocks:
        cases.append(_case(block, shared, f"{path.name}:{offset + 1}"))
        offset += block.count("\n")
    return tuple(cases)


def _directives(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in re.findall(r"^-- (schema|dialect|default|raises|duckdb): *(.*?) *$", text, flags=re.MULTILINE):
        found[key] = f"{found[key]}, {value}" if key == "schema" and key in found else value
    return found


def _case(block: str, shared: dict[str, str], place: str) -> Case:
    title, _, body = block.partition("\n")
    own = {**shared, **_directives(body)}
    lines = body.splitlines()
    sql = "\n".join(line for line in lines if not re.match(r"-->|-- (schema|dialect|default|raises|duckdb):", line))
    return Case(
        title=title.strip(),
        place=place,
        sql=sql.strip(),
        schema=read_schema(own.get("schema", "")),
        dialect=own.get("dialect", "duckdb"),
        default_schema=own.get("default"),
        raises=own.get("raises"),
        duckdb=own.get("duckdb"),
        expected=tuple(_expected([line[3:].strip() for line in lines if line.startswith("-->")])),
    )


def _expected(lines: list[str]) -> Iterator[Expected]:
    sections: list[tuple[str | None, list[str]]] = []
    for line in lines:
        if line.startswith("["):
            sections.append((line.strip("[]"), []))
        elif sections:
            sections[-1][1].append(line)
        else:
            sections.append((None, [line]))
    for output, edges in sections:
        yield _section(output, [re.split(r" {2,}", edge) for edge in edges])


def _section(output: str | None, rows: list[list[str]]) -> Expected:
    fields: dict[str, set[Edge]] = {}
    dataset: set[Edge] = set()
    read: set[str] = set()
    for name, *rest in rows:
        if name == "*" and len(rest) == 1:
            read.add(rest[0])
            continue
        edges = dataset if name == "*" else fields.setdefault(name, set())
        if rest:
            edges.add(_edge(*rest))
    every = dataset.union(*fields.values())
    return Expected(
        output,
        tuple((name, frozenset(edges)) for name, edges in fields.items()),
        frozenset(dataset),
        frozenset(read | {edge[0] for edge in every}),
    )


def _edge(source: str, words: str) -> Edge:
    quoted = re.fullmatch(r'(.+)\."(.+)"', source)
    dataset, field = quoted.groups() if quoted else source.rsplit(".", 1)
    kind, subtype, *masked = words.split()
    return dataset, field, kind, subtype, masked == ["MASKED"]


def read_schema(text: str) -> dict[str, dict[str, str]]:
    """``s.t(a int, m struct(x int)), s.u(b int)`` as ``{"s.t": {"a": "int", …}, …}``."""
    tables = {}
    for declared in _parts(text):
        name, _, columns = declared.partition("(")
        tables[name.strip().replace('"', "")] = dict(_column(part) for part in _parts(columns.rstrip()[:-1]))
    return tables


def _column(text: str) -> tuple[str, str]:
    quoted = re.match(r'"([^"]+)"\s+(.*)', text)
    name, kind = quoted.groups() if quoted else text.split(None, 1)
    return name, kind


def _parts(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "(<") - (letter in ")>")
        if letter == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
