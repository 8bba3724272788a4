"""A template's text → the SQL that it writes, with the template's line of each line."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType, MappingProxyType
from typing import Any

from jinja2 import Template as Compiled
from jinja2 import nodes

from governance.template.budget import TEXT
from governance.template.environment import Loader, Sandbox
from governance.template.failure import failed
from governance.template.filters import FILTERS, TESTS
from governance.template.marks import heads
from governance.template.model import MacroFile, Rendered, Surroundings, Template
from governance.template.origin import Stretch, origin, pieces, stretches, with_text
from governance.template.refused import Refused, TooMuch
from governance.template.rewrite import MARK, bounded, marked
from governance.template.words import MATERIALIZED, Words

SOURCE = 100_000
"""Characters of a template, and of a file of macros."""

TOKENS = 20_000
"""Words and signs of Jinja in a template, and in a file of macros."""

QUERY = frozenset({"select", "with", "from"})

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_MACRO = re.compile(r"\{%[-+]?\s*macro\s+([A-Za-z_]\w*)")


def render(text: str, file: str, table: str | None, around: Surroundings) -> Rendered:
    """Return what the template ``text`` of ``file`` writes for ``table``, None where it builds no table.

    A bare query is given ``create table … as`` or, where ``config`` says incremental, ``insert into …`` in front, on
    its own line.

    Raises:
        PipelineError: Jinja cannot read it, it names what there is not, or it is beyond a bound.
    """
    words = Words(around, table)
    sandbox = _sandbox(around, words)
    try:
        code, lines = _template_code(text)
        made = stretches(_run(sandbox, code))
        if table is not None:
            made = _whole(made, table, words.config)
    except Exception as error:  # noqa: BLE001  # whatever an expression of a template raises is the template's
        raise failed(error, file, text, {it.name: it.file for it in around.macros}, _known(sandbox, text)) from None
    sql = "".join(it.text for it in made)
    found = pieces(made)
    said = tuple((word, value) for word, value in words.config.items() if word != "materialized")
    template = Template(text, found, tuple((word, lines.get(word, 1)) for word, _ in said))
    return Rendered(sql, origin(sql, found), template, said)


def _sandbox(around: Surroundings, words: Words) -> Sandbox:
    names = words.names()
    loader = Loader({it.name: it.text for it in around.macros}, _macro_code)
    macros = _macros(around.macros)
    sandbox = Sandbox(names, loader)
    sandbox.globals |= {name: _macro(sandbox, name, files) for name, files in macros.items() if name not in names}
    return sandbox


@lru_cache(maxsize=16)
def _macros(files: tuple[MacroFile, ...]) -> Mapping[str, tuple[MacroFile, ...]]:
    """Return the files that have each macro."""
    found: dict[str, tuple[MacroFile, ...]] = {}
    for file in files:
        # what follows the last comment's end is none, however often one begins
        end = file.text.rfind("#}") + 2
        text = _COMMENT.sub("", file.text[:end]) + file.text[end:]
        for name in dict.fromkeys(_MACRO.findall(text)):
            found[name] = (*found.get(name, ()), file)
    return found


def _macro(sandbox: Sandbox, name: str, files: tuple[MacroFile, ...]) -> Callable[..., Any]:
    """Return what calls a macro by name; its file is read at the first call, so that macros may call each other."""

    def macro(*args: Any, **kwargs: Any) -> Any:
        if len(files) > 1:
            fix = "import it: {% from '" + files[0].name + "' import " + name + " %}"
            raise Refused(f"the macro {name} stands in {' and in '.join(it.file for it in files)}", fix)
        module = sandbox.get_template(files[0].name).module
        return getattr(module, name)(*args, **kwargs)

    macro.__name__ = name
    return macro


def _run(sandbox: Sandbox, code: CodeType) -> str:
    template = Compiled.from_code(sandbox, code, sandbox.make_globals(None))
    parts: list[str] = []
    size = 0
    for part in template.root_render_func(template.new_context()):
        size += len(part)
        if size > TEXT:
            raise TooMuch(f"the rendered text has more than {TEXT:,} characters", "divide the pipeline")
        parts.append(part)
    return "".join(parts)


@lru_cache(maxsize=4096)
def _template_code(text: str) -> tuple[CodeType, Mapping[str, int]]:
    """Return the template compiled, and the line of each word that a call of ``config`` says in it."""
    sandbox = Sandbox({})
    tree = _parsed(sandbox, text, None)
    calls = (it for it in tree.find_all(nodes.Call) if isinstance(it.node, nodes.Name) and it.node.name == "config")
    lines = {word.key: word.lineno for it in calls for word in it.kwargs}
    return sandbox.compile(bounded(marked(tree))), MappingProxyType(lines)


@lru_cache(maxsize=1024)
def _macro_code(name: str, text: str) -> CodeType:
    sandbox = Sandbox({})
    return sandbox.compile(bounded(_parsed(sandbox, text, name)), name)


def _parsed(sandbox: Sandbox, text: str, name: str | None) -> nodes.Template:
    if len(text) > SOURCE:
        raise TooMuch(f"the file has {len(text):,} characters, and {SOURCE:,} are the most of a template", "divide it")
    if MARK in text:
        raise Refused("the file has the character NUL", "take it out")
    if sum(1 for _, kind, _ in sandbox.lex(text, name) if kind not in {"data", "whitespace"}) > TOKENS:
        raise TooMuch(f"the file has more than {TOKENS:,} words and signs of Jinja", "divide it")
    return sandbox.parse(text, name)


def _whole(made: tuple[Stretch, ...], table: str, config: Mapping[str, str]) -> tuple[Stretch, ...]:
    """Return ``made`` as a statement that writes ``table``: a bare query is given what stands before it."""
    begins = list(heads("".join(it.text for it in made)))
    kind = config.get("materialized", "table")
    bare = next((at for at, word in begins if word in QUERY), None)
    if bare is not None:
        return with_text(made, bare, MATERIALIZED[kind].format(table))
    writes = next((word for _, word in reversed(begins)), "")
    if "materialized" in config and writes != {"table": "create", "incremental": "insert"}[kind]:
        raise Refused(f"config says {kind}, and the text writes by {writes or 'nothing'}", "say one of the two")
    return made


def _known(sandbox: Sandbox, text: str) -> Mapping[str, Sequence[str]]:
    own = re.findall(r"\{%[-+]?\s*(?:set|macro|for)\s+(\w+)", text)
    return {"name": sorted({*own, *sandbox.globals}), "filter": FILTERS, "test": TESTS}
