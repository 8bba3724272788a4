"""The lineage page over HTTP: it only reads, answers GET and HEAD, and is made anew when what it shows has changed.

A browser on this machine can be made to ask any address by any page that it has open. So what is asked must name this
server by an address, ``localhost`` or a name that was given to it: a foreign name that resolves here is refused.
"""

import hashlib
import html
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from governance.errors import HeadwaterError
from governance.page.reports import kept_reports, reports_folder
from governance.policy import load_policy
from governance.project import Project
from platform_assets.pages.listen import listening
from platform_assets.pages.pages import Made, Pages
from platform_assets.pages.waiting import PATIENCE, POLICY, may_last, waiting_html

HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
CLOSED = "frame-ancestors 'none'"
"""What a policy in the page's own text cannot say."""

BARE = "default-src 'none'"
"""The policy of answers that hold no script and no style."""

KEPT = "connect-src 'none'; base-uri 'none'; form-action 'none'"
"""Beside the policy that a kept report carries itself, which names its scripts by their digests."""


def application(pages: Pages, names: Iterable[str] = ()) -> Starlette:
    """Return the server's application; ``names`` are those that it answers to beside addresses and localhost."""

    def page(request: Request) -> Response:
        return _shown(pages, request)

    def data(request: Request) -> Response:
        made = pages.made(*_asked(request))
        return _unless_known(request, made, BARE, Response(made.data, media_type="application/json"))

    def find(request: Request) -> Response:
        return JSONResponse(pages.find(request.query_params.get("q", "")), headers=_policy(BARE))

    def version(_: Request) -> Response:
        return JSONResponse({"state": pages.look()})

    def reports(_: Request) -> Response:
        return _list(kept_reports(pages.project.state))

    def kept(request: Request) -> Response:
        return _kept(pages.project.state, request.path_params["name"])

    found: Mapping[str, Callable[[Request], Response]] = {
        "/": page,
        "/document.json": data,
        "/find": find,
        "/version": version,
        "/reports/": reports,
        "/reports/{name}": kept,
    }
    return Starlette(
        routes=[Route(path, answer, methods=["GET"]) for path, answer in found.items()],
        middleware=[
            Middleware(_Guard, names=frozenset(name.lower() for name in names)),
            Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4),
        ],
        exception_handlers={HeadwaterError: _refused},
    )


def _shown(pages: Pages, request: Request) -> Response:
    """Answer with the page, or, where what it is of takes long to read, with that it does."""
    asked = _asked(request)
    made = pages.made_within(PATIENCE, *asked)
    if isinstance(made, float):
        if may_last(pages.project, pages.events):
            return _waiting(pages, made)
        made = pages.made(*asked)
    return _unless_known(request, made, made.policy, Response(made.page, media_type="text/html"))


def serve(project: Project, events: Path | None, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until the process is told to end.

    Raises:
        HeadwaterError: there is no such address, or the port is taken or not allowed.
    """
    with listening(host, port) as opened:
        pages = Pages(project, events, say)
        app = application(pages, _names(project, host))
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ws="none",
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        shown = f"[{host}]" if ":" in host else host
        say(f"The lineage page is at http://{shown}:{port}")
        if not _is_loopback(opened.getsockname()[0]):
            say("Whoever reaches this machine over its network can read it.")
        pages.begin()
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[opened])


class _Guard:
    """Answers only to names that are this server's, and says with every answer what a browser may do with it."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if self._is_ours(host):
            await self._app(scope, receive, guarded)
        else:
            text = (
                f"this server is not called {host!r}: ask for it by its address, or set page in [ui] of lineage.toml\n"
            )
            await PlainTextResponse(text, 421)(scope, receive, guarded)

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        return name in self._names or name == "localhost" or name.endswith(".localhost") or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback


def _names(project: Project, host: str) -> tuple[str, ...]:
    try:
        page = urlsplit(load_policy(project).ui.page).hostname
    except HeadwaterError:
        # what is wrong with the policy the page itself says
        page = None
    return tuple(name for name in (host, page) if name)


def _unless_known(request: Request, made: Made, policy: str, answer: Response) -> Response:
    """Return ``answer``, or that the browser has it already."""
    tag = f'W/"{hashlib.sha256(f"{made.tag} {policy}".encode()).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == tag:
        answer = Response(status_code=304)
    answer.headers.update({"ETag": tag, **_policy(policy)})
    return answer


def _asked(request: Request) -> tuple[str, int]:
    """Return around which table a part is asked for, and with the runs of how many days; what is no number is none."""
    days = request.query_params.get("past", "")
    return request.query_params.get("around", ""), int(days) if re.fullmatch(r"\d{1,5}", days, re.ASCII) else 0


def _waiting(pages: Pages, seconds: float) -> Response:
    text = waiting_html(pages.project, pages.events, seconds)
    return HTMLResponse(text, 503, headers={"Retry-After": "2", "Cache-Control": "no-store", **_policy(POLICY)})


def _policy(policy: str) -> dict[str, str]:
    return {"Content-Security-Policy": f"{policy}; {CLOSED}"}


def _list(names: Sequence[str]) -> Response:
    items = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    kept = f"<ul>{items}</ul>" if items else "<p>None yet: the job governance keeps one each time it runs.</p>"
    return _page("Kept reports", kept, 200)


def _kept(state: Path, name: str) -> Response:
    # only a name that is listed is a file that is read
    if name not in kept_reports(state):
        return PlainTextResponse("there is no such report\n", 404)
    text = reports_folder(state).joinpath(name).read_text("utf-8")
    return HTMLResponse(text, headers=_policy(KEPT))


def _refused(_: Request, error: Exception) -> Response:
    said = (
        {"Where": error.where(), "What": error.problem, "What to do": error.fix}
        if isinstance(error, HeadwaterError)
        else {}
    )
    rows = "".join(f"<dt>{name}</dt><dd>{html.escape(text)}</dd>" for name, text in said.items() if text)
    return _page("The page cannot be made", f"<dl>{rows}</dl>", 500)


def _page(title: str, body: str, status: int) -> Response:
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><main><h1>{title}</h1>{body}</main></body></html>
"""
    return HTMLResponse(text, status, headers=_policy(BARE))
