"""The functions of templates: ``ref``, ``source``, ``var``, ``config`` and ``this``."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from governance.template.model import Surroundings, Value
from governance.template.refused import Refused
from governance.template.written import literal

WORDS = (
    "description",
    "owner",
    "grain",
    "tags",
    "freshness",
    "automation",
    "include",
    "engine",
    "partition_by",
    "partitions",
)
"""What ``config`` says as the header does; ``materialized`` besides."""

LISTS = frozenset({"grain", "tags", "include", "partition_by"})

MATERIALIZED = {"table": "create table {} as ", "incremental": "insert into {} "}
"""What a bare query is given in front, by what ``config`` says of ``materialized``."""

ABSENT: Mapping[str, str] = {
    "adapter": "a template asks no database: write the SQL itself",
    "builtins": "write ref, source, var or config alone",
    "env_var": "the same files render the same text: write var('name'), and the value in [vars] of lineage.toml",
    "exceptions": "take it out",
    "execute": "a template is rendered once, and asks no database: take the condition out",
    "graph": "a template asks no database and no graph: name the tables by ref",
    "log": "take it out: rendering has no log",
    "lipsum": "the same files render the same text: write it",
    "model": "write this, or ref('schema.table')",
    "modules": "the same files render the same text: write times in SQL, or var('name')",
    "print": "take it out: rendering has no log",
    "return": "what a macro writes is its value",
    "run_query": "a template asks no database: write the SQL itself, or a list in [vars] of lineage.toml",
    "run_started_at": "the same files render the same text: write current_timestamp in SQL, or var('name')",
    "statement": "a template asks no database: write the SQL itself",
    "target": "the same files render the same text: write var('name'), and the value in [vars] of lineage.toml",
}
"""What dbt has and is not available, with what to do instead."""


class Words:
    """The functions of one rendering, and what ``config`` was told; ``table`` is None for a text that builds none."""

    def __init__(self, around: Surroundings, table: str | None) -> None:
        self._around = around
        self._table = table
        self.config: dict[str, str] = {}

    def names(self) -> dict[str, Any]:
        """Return the functions by the names that templates call them by."""
        asked: dict[str, Callable[..., object]] = {
            "ref": self.ref,
            "source": self.source,
            "var": self.var,
            "config": self.configure,
            "is_incremental": _is_incremental,
        }
        return asked if self._table is None else asked | {"this": self._table}

    def ref(self, *parts: object, **more: object) -> str:
        """Return the table that a pipeline builds: by schema and name, or by a name that only one has."""
        if more or not 1 <= len(parts) <= 2 or not all(isinstance(it, str) for it in parts):  # noqa: PLR2004
            raise Refused("ref names a table", "write ref('schema.table')")
        name = ".".join(str(it) for it in parts)
        tables = self._around.tables
        found = [name] if name in tables else sorted(it for it in tables if it.rpartition(".")[2] == name)
        if len(found) > 1:
            either = " or ".join(f"ref('{it}')" for it in found)
            raise Refused(f"ref('{name}') may be {' or '.join(found)}", f"write {either}")
        if not found and name in self._around.sources:
            raise Refused(f"{name} is a declared source, and ref names what a pipeline builds", _as_source(name))
        return found[0] if found else _unknown(f"no pipeline builds {name}", name, tables, "ref")

    def source(self, *parts: object, **more: object) -> str:
        """Return a declared table, or a declared dataset of files as a literal."""
        if more or len(parts) != 2 or not all(isinstance(it, str) for it in parts):  # noqa: PLR2004
            raise Refused("source names a schema or location, and what is in it", "write source('crm', 'learners')")
        table, files = (f"{parts[0]}{between}{parts[1]}" for between in "./")
        if table in self._around.sources:
            return table
        if files in self._around.sources:
            return literal(files)
        if table in self._around.tables:
            raise Refused(f"{table} is built by a pipeline, and source names what none builds", f"write ref('{table}')")
        return _unknown(f"sources.toml declares neither {table} nor {files}", files, self._around.sources, "source")

    def var(self, *parts: Any, **more: Any) -> Any:
        """Return a variable's value, or the default."""
        known = self._around.variables
        if not parts or not isinstance(parts[0], str) or len(parts) + len(more) > 2 or more.keys() - {"default"}:  # noqa: PLR2004
            raise Refused("var names a variable, and perhaps what holds without it", "write var('name', 'default')")
        if parts[0] in known:
            return _free(known[parts[0]])
        if len(parts) + len(more) == 2:  # noqa: PLR2004
            return more["default"] if more else parts[1]
        return _unknown(f"[vars] of lineage.toml has no {parts[0]}", parts[0], known, "var")

    def configure(self, *parts: object, **said: object) -> str:
        """Keep what the template says of its pipeline, and write nothing."""
        if parts:
            raise Refused("config takes words by name", "write config(owner='team:learning')")
        for word, value in said.items():
            if word not in (*WORDS, "materialized"):
                near = get_close_matches(word, WORDS, 1)
                fix = f"did you mean {near[0]}?" if near else f"the words are materialized, {', '.join(WORDS)}"
                raise Refused(f"config knows no {word}", fix)
            text = _as_header(word, value)
            if self.config.setdefault(word, text) != text:
                raise Refused(f"config says {word} twice, as {self.config[word]} and as {text}", "say it once")
        return ""


def _as_header(word: str, value: object) -> str:
    """Return ``value`` as a header line would say it."""
    listed = value if isinstance(value, list | tuple) and word in LISTS else [value]
    if not listed or not all(isinstance(it, str) and it.strip() for it in listed):
        raise Refused(f"config takes a text as {word}, not {value!r}", f"write {word}='…'")
    text = ", ".join(" ".join(str(it).split()) for it in listed)
    if word == "materialized" and text not in MATERIALIZED:
        raise Refused(f"a pipeline is materialized as a table, not as {text}", "write 'table' or 'incremental'")
    return text


def _free(value: Value) -> object:
    """Return a variable as templates have it, a list as one of their own."""
    return [_free(it) for it in value] if isinstance(value, tuple) else value


def _is_incremental(*_parts: object, **_more: object) -> NoReturn:
    raise Refused(
        "is_incremental() would ask what the table holds, and the same files render the same text",
        "write the condition in SQL: where at > coalesce((select max(at) from {{ this }}), '-infinity')",
    )


def _unknown(problem: str, name: str, known: Iterable[str], word: str) -> NoReturn:
    near = get_close_matches(name, sorted(known), 1)
    if not near and "." not in name:
        near = [it for it in sorted(known) if get_close_matches(name, [it.rpartition(".")[2]], 1)][:1]
    raise Refused(problem, f"did you mean {_call(near[0], word)}?" if near else f"{word} takes {_some(known)}")


def _call(name: str, word: str) -> str:
    return _as_source(name).removeprefix("write ") if word == "source" else f"{word}('{name}')"


def _as_source(name: str) -> str:
    sign = "/" if "/" in name else "."
    schema, _, rest = name.partition(sign)
    return f"write source('{schema}', '{rest}')"


def _some(known: Iterable[str], most: int = 8) -> str:
    names = sorted(known)
    return f"{', '.join(names[:most])}{' …' if len(names) > most else ''}" if names else "nothing here: there is none"
