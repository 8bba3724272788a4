"""The page's document → one HTML file that needs nothing beside itself, under a strict Content-Security-Policy.

The scripts are plain ES modules that a browser could load one by one; a single file cannot, so they are joined, in the
order in which they import one another, into one module. What that asks of them: an import or export stands on one line,
exports are named, names at the top are unique over all modules.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from importlib.resources import files
from typing import Any

STATIC = files("governance.page").joinpath("static")
ENTRY = "app.js"
"""The module that imports all others, directly or not."""

STYLES = ("page.css", "graph.css")
ELK = "vendor/elk-worker.min.js"
SERVED = '<meta name="headwater-served" content="version">'
"""By this the page knows that it can ask ``version`` whether there is something newer."""

_IMPORT = re.compile(r"^import .*? from '\./(?P<module>[\w-]+\.js)';?\s*$", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_SCRIPT = {"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"}


@dataclass(frozen=True, slots=True)
class Html:
    """A page, and the Content-Security-Policy that it also carries itself."""

    text: str
    policy: str


def report_html(document: Mapping[str, Any]) -> Html:
    """Return the page as a file of its own: it can connect to nothing at all."""
    return _html(document, connect="'none'", head="")


def served_html(document: Mapping[str, Any]) -> Html:
    """Return the page as the server gives it: it may ask that server, and nobody else."""
    return _html(document, connect="'self'", head=SERVED)


def document_json(document: Mapping[str, Any]) -> str:
    """Return the document as JSON text that is also UTF-8: half a surrogate pair is replaced."""
    return _SURROGATE.sub("\ufffd", json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def modules() -> tuple[str, ...]:
    """Return the names of the page's modules, each after those that it imports.

    Raises:
        graphlib.CycleError: modules import each other.
    """
    imports: dict[str, list[str]] = {}
    waiting = [ENTRY]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = sorted(match["module"] for match in _IMPORT.finditer(_static(f"app/{name}")))
            waiting += imports[name]
    return tuple(TopologicalSorter(dict(sorted(imports.items()))).static_order())


def script() -> str:
    """Return all modules as one: no import is left, and nothing is exported."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _static(f"app/{name}"))).strip() for name in modules()) + "\n"


def _html(document: Mapping[str, Any], connect: str, head: str) -> Html:
    code, style = script(), "\n".join(map(_static, STYLES))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(code)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "worker-src blob:",
            f"connect-src {connect}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    data = document_json(document)
    for sign, spelled in _IN_SCRIPT.items():
        data = data.replace(sign, spelled)
    body = (
        f'<script type="application/json" id="document">{data}</script>\n'
        f'<script type="text/plain" id="elk">{_static(ELK)}</script>\n'
        f'<script type="module">{code}</script>\n'
    )
    page = _static("index.html")
    # the policy holds for what comes after it, so it comes first
    page = page.replace("<head>", f"<head>\n{meta}\n{head}", 1)
    page = page.replace("</head>", f"<style>{style}</style>\n</head>", 1)
    before, end, after = page.rpartition("</body>")
    return Html(f"{before}{body}{end}{after}", policy)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _static(name: str) -> str:
    return STATIC.joinpath(name).read_text("utf-8")
