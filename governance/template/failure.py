"""What ends a rendering → the error that the user reads, with the template's file and line."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import TracebackType

from jinja2 import Template as Compiled
from jinja2 import TemplateNotFound, TemplateSyntaxError, UndefinedError

from governance.errors import PipelineError
from governance.template.refused import Refused
from governance.template.words import ABSENT

FOLDER = "platform_assets/blocks"

_UNDEFINED = re.compile(r"'(\w+)' is undefined")
_NOT_EXPORTED = re.compile(r"the template '(.+?)' \(imported on .*\) does not export the requested name '(\w+)'")
_MISSING_FILTER = re.compile(r"No (filter|test) named '(\w+)'")


def failed(
    error: Exception, file: str, text: str, macros: Mapping[str, str], known: Mapping[str, Iterable[str]]
) -> PipelineError:
    """Return what ended the rendering of ``file``, whose text is ``text``.

    ``macros`` are the files of macros by their names in templates, as they may be shown; ``known`` the names, filters
    and tests that there are, by ``name``, ``filter`` and ``test``.
    """
    problem, fix, said = _told(error, macros, known)
    frames = _frames(error)
    if isinstance(error, TemplateSyntaxError):
        frames = [*frames, (error.name, error.lineno)]
    line = next((at for name, at in reversed(frames) if name is None), 1)
    name, at = frames[-1] if frames else (None, 1)
    if name is not None and name in macros:
        problem = f"in {macros[name]}:{at}: {problem}"
    return PipelineError(file, _line_with(text, line, said), problem, fix=fix)


def _told(error: Exception, macros: Mapping[str, str], known: Mapping[str, Iterable[str]]) -> tuple[str, str, str]:
    """Return what is wrong, what to do, and the word that it is about."""
    if isinstance(error, Refused):
        return error.problem, error.fix, ""
    if isinstance(error, TemplateNotFound):
        near = get_close_matches(str(error.name), macros, 1)
        fix = f"did you mean {near[0]}?" if near else "name a file in it, such as 'money.j2'"
        return f"{FOLDER} has no {error.name}, and templates are read from nowhere else", fix, str(error.name)
    if isinstance(error, RecursionError):
        return "macros call each other without end, or an expression is nested too deeply", "break the circle", ""
    return _said_by_jinja(error, macros, known)


def _said_by_jinja(
    error: Exception, macros: Mapping[str, str], known: Mapping[str, Iterable[str]]
) -> tuple[str, str, str]:
    if isinstance(error, UndefinedError) and (found := _UNDEFINED.fullmatch(str(error))):
        return _unknown(found[1], known["name"])
    if found := _NOT_EXPORTED.match(str(error)):
        return f"{macros.get(found[1], found[1])} has no macro {found[2]}", *_unknown(found[2], known["name"])[1:]
    if found := _MISSING_FILTER.match(str(error)):
        near = get_close_matches(found[2], known[found[1]], 1)
        fix = f"did you mean {near[0]}?" if near else f"the {found[1]}s are {', '.join(known[found[1]])}"
        return f"there is no {found[1]} {found[2]}", fix, found[2]
    return f"Jinja: {_sentence(error)}", "mend the template there", ""


def _unknown(name: str, known: Iterable[str]) -> tuple[str, str, str]:
    if name in ABSENT:
        return f"{name} is not available in templates", ABSENT[name], name
    near = get_close_matches(name, known, 1)
    fix = f"did you mean {near[0]}?" if near else "set it in the template, or write var('name') for one of [vars]"
    return f"there is no name {name}", fix, name


def _sentence(error: Exception) -> str:
    """Return what Python or Jinja say, without the names of our own functions."""
    text = str(getattr(error, "message", None) or error) or type(error).__name__
    return re.sub(r"\b[A-Z]\w*\._?(\w+)\(\)", r"\1()", text).strip().rstrip(".")


def _frames(error: Exception) -> list[tuple[str | None, int]]:
    """Return (template, line) of each call of a template, outermost first; the pipeline's own has no name."""
    found: list[tuple[str | None, int]] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            found.append((template.name, template.get_corresponding_lineno(trace.tb_lineno)))
        trace = trace.tb_next
    return found


def _line_with(text: str, line: int, word: str) -> int:
    """Return the first line from ``line`` on that has ``word``, within what Jinja reads as one; else ``line``."""
    lines = text.split("\n")
    for at in range(line, len(lines) + 1):
        if re.search(rf"\b{re.escape(word)}\b", lines[at - 1]) if word else True:
            return at
        if "}}" in lines[at - 1] or "%}" in lines[at - 1]:
            break
    return line
